#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay's passes against ONNX Runtime's optimiser: the same operators are left of small quantized graphs, and they give the same bytes.

Run with the path of the assay program; needs the environment of scripts/setup-peers.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ASSAY = None
SEED = 11
RNG = np.random.default_rng(SEED)
OPSET = 17


def constant(name, value, dtype=np.float32):
    return numpy_helper.from_array(np.asarray(value, dtype), name)


CONSTANTS = [
    constant("s", 0.03), constant("z", 120, np.uint8), constant("s2", 0.02), constant("z2", 10, np.uint8),
    constant("zi", -7, np.int8), constant("s3", 0.05), constant("z3", 100, np.uint8),
    constant("w", RNG.integers(-127, 128, (8, 5)), np.int8), constant("ws", 0.01), constant("wz", 0, np.int8),
    constant("wc", RNG.uniform(0.005, 0.02, 5)), constant("wcz", np.zeros(5), np.int8),
    constant("bias", RNG.normal(0, 1, 5)), constant("row", RNG.normal(0, 1, 5)), constant("half", 0.5),
    constant("ix", [2, 0], np.int64), constant("parts", [3, 5], np.int64), constant("starts", [1], np.int64),
    constant("ends", [7], np.int64), constant("axis1", [1], np.int64), constant("bits", RNG.integers(0, 2, (6, 8)), bool),
    constant("shape", [6, 2, 4], np.int64), constant("scales4", [1, 1, 2, 2]), constant("shape4", [1, 1, 6, 8], np.int64),
    constant("twice", [1, 2], np.int64),
]


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def q(x, y, scale="s", zero_point="z"):
    return node("QuantizeLinear", f"{x} {scale} {zero_point}", y)


def dq(x, y, scale="s", zero_point="z"):
    return node("DequantizeLinear", f"{x} {scale} {zero_point}", y)


def pair(x, y, scale="s", zero_point="z"):
    return [q(x, y + "_q", scale, zero_point), dq(y + "_q", y, scale, zero_point)]


WEIGHT = [dq("w", "wd", "ws", "wz")]
COLUMNS = [node("DequantizeLinear", "w wc wcz", "wd", axis=1)]
DYNAMIC = [node("DynamicQuantizeLinear", "x", "xq xs xz"), node("MatMulInteger", "xq w xz wz", "sums"),
           node("Cast", "sums", "floats", to=1)]


def around(op, inputs="", **attributes):
    """x -> pair -> op -> pair with the same parameters."""
    return [*pair("x", "d"), node(op, ("d " + inputs).strip(), "m", **attributes), *pair("m", "y")]


# name -> (nodes, the operators that are left between QuantizeLinear and DequantizeLinear)
GRAPHS = {
    "matmul": ([*pair("x", "d"), *WEIGHT, node("MatMul", "d wd", "m"), *pair("m", "y", "s3", "z3")], ["QLinearMatMul"]),
    "matmul_to_float": ([*pair("x", "d"), *WEIGHT, node("MatMul", "d wd", "y")], ["MatMulIntegerToFloat"]),
    "matmul_columns_to_float": ([*pair("x", "d"), *COLUMNS, node("MatMul", "d wd", "y")], ["MatMulIntegerToFloat"]),
    "matmul_relu_to_float": ([*pair("x", "d"), *WEIGHT, node("MatMul", "d wd", "m"), node("Relu", "m", "y")],
                             ["MatMulIntegerToFloat", "Relu"]),
    "matmul_add": ([*pair("x", "d"), *WEIGHT, node("MatMul", "d wd", "m"), node("Add", "m row", "a"), *pair("a", "y", "s3", "z3")],
                   ["QGemm"]),
    "dynamic": ([*DYNAMIC, node("Mul", "xs ws", "scale"), node("Mul", "floats scale", "y")], ["DynamicQuantizeMatMul"]),
    "dynamic_bias": ([*DYNAMIC, node("Mul", "xs wc", "scale"), node("Mul", "floats scale", "m"), node("Add", "m row", "y")],
                     ["DynamicQuantizeMatMul"]),
    "where": ([*pair("x", "d"), *pair("x", "e", "s2", "z2"), node("Where", "bits d e", "m"), *pair("m", "y", "s3", "z3")],
              ["QLinearWhere"]),
    "where_constant": ([*pair("x", "d"), node("Where", "bits d half", "m"), *pair("m", "y", "s3", "z3")], ["QLinearWhere"]),
    "split": ([*pair("x", "d"), node("Split", "d parts", "a b", axis=1), *pair("a", "y"), *pair("b", "y2")], ["Split"]),
    "argmax": ([*pair("x", "d"), node("ArgMax", "d", "y", axis=1)], ["ArgMax"]),
    "reduce_max": (around("ReduceMax", axes=[1]), ["ReduceMax"]),
    "reduce_min": (around("ReduceMin", axes=[0]), ["ReduceMin"]),
    "gather": (around("Gather", "ix", axis=1), ["Gather"]),
    "slice": (around("Slice", "starts ends axis1"), ["Slice"]),
    "tile": (around("Tile", "twice"), ["Tile"]),
    "expand": (around("Expand", "shape4"), ["Expand"]),
    "unsqueeze": (around("Unsqueeze", "axis1"), ["Unsqueeze"]),
    "double_pair": ([*pair("x", "d"), *pair("d", "e", "s2", "z2"), node("Neg", "e", "y")], ["Neg"]),
    "resize": ([node("Reshape", "x shape4", "r"), *pair("r", "d"),
                helper.make_node("Resize", ["d", "", "scales4"], ["m"], mode="nearest"), *pair("m", "y")], ["Resize"]),
}
MOVED = {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "Reshape"}


def operators(path):
    return [n.op_type for n in onnx.load(path).graph.node if n.op_type not in MOVED]


class Passes(unittest.TestCase):
    def test_the_same_operators_and_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            x = RNG.normal(0, 1.5, (6, 8)).astype(np.float32)
            np.save(root / "x.npy", x)
            for case, (nodes, left) in GRAPHS.items():
                with self.subTest(case=case):
                    outputs = [n for n in ("y", "y2") if any(n in m.output for m in nodes)]
                    kind = TensorProto.INT64 if case == "argmax" else TensorProto.FLOAT
                    used = {i for m in nodes for i in m.input}
                    graph = helper.make_graph(
                        nodes, case, [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                        [helper.make_tensor_value_info(n, kind, None) for n in outputs], [c for c in CONSTANTS if c.name in used])
                    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
                    path = root / f"{case}.onnx"
                    onnx.save(model, path)
                    options = onnxruntime.SessionOptions()
                    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
                    options.intra_op_num_threads = 1
                    options.optimized_model_filepath = str(root / "theirs.onnx")
                    options.log_severity_level = 3
                    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
                    theirs = session.run(outputs, {"x": x})
                    done = subprocess.run(
                        [ASSAY, "infer", path, "--input", f"x={root / 'x.npy'}", "-o", root / "out", "--save-optimized",
                         root / "ours.onnx", "--set", "runtime.optimization=extended"], capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(operators(root / "ours.onnx"), left)
                    self.assertEqual(operators(root / "theirs.onnx"), left)
                    for output, expected in zip(outputs, theirs):
                        np.testing.assert_array_equal(np.load(root / "out" / f"{output}.npy"), expected)


if __name__ == "__main__":
    ASSAY = os.path.abspath(sys.argv.pop(1))
    print(f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}, seed {SEED}")
    unittest.main()
