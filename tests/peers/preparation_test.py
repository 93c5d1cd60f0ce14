#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What assay's quantizer writes with its pre-processing options and for bodies of If and Loop, judged by the peers: every
model passes onnx.checker with full_check and loads in ONNX Runtime; quantized to 16 bits it computes there what the float
model computes, since equalizing, smoothing, fusing and folding change no function.

Arguments: the path of the assay program, then names of networks (all by default).
"""

import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import networks
import runner

PREPARATION = ["quantizer.equalize=true", "quantizer.smooth_quant=true", "quantizer.bias_correction=true"]
FINE = ["quantizer.activation_type=uint16", "quantizer.weight_type=int16", "quantizer.per_channel=true"]
OPTION_SETS = {
    "fine": FINE,
    "fine_prepared": FINE + PREPARATION,
    "equalize": ["quantizer.equalize=true"],
    "smooth": ["quantizer.smooth_quant=true", "quantizer.smooth_quant_alpha=0.8"],
    "correct": ["quantizer.bias_correction=true", "quantizer.weight_type=int4"],
    "qoperator_prepared": ["quantizer.format=qoperator"] + PREPARATION,
    "dynamic_smooth": ["quantizer.format=dynamic", "quantizer.smooth_quant=true"],
    "weight_only_corrected": ["quantizer.format=weight_only", "quantizer.bias_correction=true", "quantizer.equalize=true"],
}
FINE_SQNR = 50  # dB: 16 bits leave far more, but for what stays in 8 bits
HALF_SQNR = 30


def branches():
    """A Conv in each branch of an If, and a Loop whose body has a MatMul with a weight of the graph around it."""
    n = networks.Network("branches", 21)
    n.input("x", 1, 4, 6, 6)
    n.inputs.append(helper.make_tensor_value_info("c", TensorProto.BOOL, [1]))
    n.samples["c"] = np.array([[True], [False]] * 3)
    n.weight("shared", 4, 4, 1, 1)
    bodies = {}
    for branch, activation in (("then", "Relu"), ("else", "Sigmoid")):
        bodies[branch] = helper.make_graph(
            [helper.make_node("Conv", ["x", "shared"], [f"{branch}_conv"], f"{branch}_n"),
             helper.make_node(activation, [f"{branch}_conv"], [f"{branch}_y"], f"{branch}_a")],
            branch, [], [helper.make_tensor_value_info(f"{branch}_y", TensorProto.FLOAT, [1, 4, 6, 6])])
    n.node("If", ["c"], "chosen", then_branch=bodies["then"], else_branch=bodies["else"])
    n.node("Conv", ["chosen", "shared"], "c2")
    n.weight("turn", 6, 6, scale=0.2)
    value = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
    body = helper.make_graph(
        [helper.make_node("MatMul", ["state", "turn"], ["turned"], "turn_n"),
         helper.make_node("Add", ["turned", "c2"], ["next"], "add_n"),
         helper.make_node("Identity", ["go"], ["go_on"], "go_n")],
        "body", [value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []),
                 value("state", TensorProto.FLOAT, [1, 4, 6, 6])],
        [value("go_on", TensorProto.BOOL, []), value("next", TensorProto.FLOAT, [1, 4, 6, 6])])
    n.constant("trips", np.array(3, np.int64))
    n.node("Loop", ["trips", "", "c2"], "y", body=body)
    n.output("y", 1, 4, 6, 6)
    return n


def odd_names():
    """Nodes of one name, values named like those that quantizing makes, a weight and a bias of two nodes, one of them also
    an operand of an Add; outputs that are an input, a weight and the value in front of a Relu."""
    n = networks.Network("odd_names", 22)
    n.input("x", 1, 4, 5, 5)
    n.input("x_quantized", 1, 4, 5, 5, low=-3, high=2)
    n.weight("x_scale", 4, 4, 1, 1)
    n.weight("x_zero_point", 4)
    n.node("Conv", ["x", "x_scale", "x_zero_point"], "x_QuantizeLinear")
    n.node("Conv", ["x_quantized", "x_scale", "x_zero_point"], "x_DequantizeLinear_Output")
    n.node("Add", ["x_QuantizeLinear", "x_scale"], "y_quantized")
    n.node("Relu", ["y_quantized"], "y")
    n.node("Mul", ["y", "x_DequantizeLinear_Output"], "z")
    for node in n.nodes:
        node.name = "node"
    for name, shape in (("z", (4, 4, 5, 5)), ("y_quantized", (4, 4, 5, 5)), ("x_scale", (4, 4, 1, 1)), ("x", (1, 4, 5, 5))):
        n.output(name, *shape)
    return n


def session(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def uniquely_named(model):
    """ONNX Runtime refuses two nodes of one name."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for i, node in enumerate(copy.graph.node):
        node.name = f"n{i}"
    return copy


def sqnr(reference, found):
    noise = np.sum((reference.astype(np.float64) - found) ** 2)
    return np.inf if noise == 0 else 10 * np.log10(np.sum(reference.astype(np.float64) ** 2) / noise)


def check_network(network, model, folder, program):
    source, data = folder / "float.onnx", folder / "data.npz"
    onnx.save(model, source)
    reference = folder / "reference.onnx"
    onnx.save(uniquely_named(model), reference)
    np.savez(data, **network.samples)
    half = any(value.type.tensor_type.elem_type == TensorProto.FLOAT16 for value in model.graph.input)
    failures = []
    for name, settings in OPTION_SETS.items():
        output = folder / f"{name}.onnx"
        command = [program, "quantize", source, "-o", output, "--calibration", data]
        command += [part for setting in settings for part in ("--set", setting)]
        command += ["--external-data"] if name == "fine" else []
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        where = f"{network.name} {name}"
        if done.returncode != 0:
            failures.append(f"{where}: exit {done.returncode}: {done.stderr.strip()}")
            continue
        onnx.checker.check_model(str(output), full_check=True)
        quantized = session(output)
        if not name.startswith("fine"):
            continue
        real = session(reference)
        for i in range(len(next(iter(network.samples.values())))):
            feed = {key: value[i] for key, value in network.samples.items()}
            for wanted, found in zip(real.run(None, feed), quantized.run(None, feed)):
                if wanted.dtype.kind == "f" and sqnr(wanted, found) < (HALF_SQNR if half else FINE_SQNR):
                    failures.append(f"{where}: sample {i}: SQNR {sqnr(wanted, found):.1f} dB")
    return failures, len(OPTION_SETS)


def main():
    made = (make() for make in [*networks.GENERATED, branches, odd_names])
    return runner.run(check_network, ((network, network.model()) for network in made), OPTION_SETS, "settings")


if __name__ == "__main__":
    sys.exit(main())
