# SPDX-License-Identifier: Apache-2.0
"""Writes a network of fashion_mnist_nets as ONNX, BatchNormalization nodes included.

Built node by node, so that node and tensor names are readable and stay the same with every torch version.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from fashion_mnist_nets import Residual

OPSET = 13
IR_VERSION = 7


class GraphWriter:
    """Collects nodes and initializers while the network is walked."""

    def __init__(self):
        self.nodes = []
        self.initializers = {}

    def constant(self, name, value):
        array = np.asarray(value, np.float32)
        self.initializers[name] = numpy_helper.from_array(array, name)
        return name

    def node(self, op, inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def parameters(self, module, name, *fields):
        return [self.constant(f"{name}/{field}", getattr(module, field).detach().numpy()) for field in fields]

    def emit(self, module, name, x):
        """Adds one module that reads tensor x; returns the tensor that it writes."""
        if isinstance(module, nn.Sequential):
            for child_name, child in module.named_children():
                x = self.emit(child, f"{name}/{child_name}" if name else child_name, x)
            return x
        if isinstance(module, Residual):
            return self.node("Add", [x, self.emit(module.body, name, x)], f"{name}/add")
        if isinstance(module, nn.Conv2d):
            fields = ("weight",) if module.bias is None else ("weight", "bias")
            pads = list(module.padding) * 2
            return self.node(
                "Conv", [x] + self.parameters(module, name, *fields), name, kernel_shape=list(module.kernel_size),
                strides=list(module.stride), pads=pads, group=module.groups,
            )
        if isinstance(module, nn.BatchNorm2d):
            inputs = [x] + self.parameters(module, name, "weight", "bias", "running_mean", "running_var")
            return self.node("BatchNormalization", inputs, name, epsilon=module.eps)
        if isinstance(module, nn.Hardtanh):
            bounds = [self.constant(f"clip_{value:g}", value) for value in (module.min_val, module.max_val)]
            return self.node("Clip", [x] + bounds, name)
        if isinstance(module, nn.ReLU):
            return self.node("Relu", [x], name)
        if isinstance(module, nn.AdaptiveAvgPool2d):
            return self.node("GlobalAveragePool", [x], name)
        if isinstance(module, nn.Flatten):
            return self.node("Flatten", [x], name, axis=1)
        if isinstance(module, nn.Linear):
            return self.node("Gemm", [x] + self.parameters(module, name, "weight", "bias"), name, transB=1)
        raise TypeError(f"{name}: no ONNX form for {type(module).__name__}")


def export_onnx(net, spec, input_name, input_shape, path, description):
    """Writes net with one input of the shape [N, ...] and output "logits" [N,classes]."""
    writer = GraphWriter()
    writer.emit(net.eval(), "", input_name)
    writer.nodes[-1].output[0] = "logits"
    source = helper.make_tensor_value_info(input_name, TensorProto.FLOAT, ["N", *input_shape])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", spec.classes])
    graph = helper.make_graph(writer.nodes, "fashion_mnist", [source], [logits], list(writer.initializers.values()))
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="train_fashion_mnist.py",
        doc_string=description,
    )
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, str(path))
