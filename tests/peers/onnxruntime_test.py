#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay against ONNX Runtime: models that assay quantizes pass the ONNX checker, load in ONNX Runtime, and give the same bytes there.

Run with the path of the assay program; needs the environment of scripts/setup-peers.
"""

import itertools
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
SEED = 7


def assay(*arguments):
    done = subprocess.run([ASSAY, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"assay {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stderr}")
    return done


def settings(options):
    return [part for key, value in options.items() for part in ("--set", f"{key}={value}")]


def small_network(rng):
    """Conv, Relu, MaxPool, depthwise Conv, Clip, 1x1 Conv with a residual Add, GlobalAveragePool, Gemm."""
    def weight(name, *shape):
        return numpy_helper.from_array(rng.normal(0, 0.4, shape).astype(np.float32), name)

    initializers = [
        weight("w1", 8, 3, 3, 3), weight("b1", 8), weight("w2", 8, 1, 3, 3), weight("b2", 8), weight("w3", 8, 8, 1, 1),
        weight("w4", 8, 5), weight("b4", 5),
        numpy_helper.from_array(np.float32(0), "low"), numpy_helper.from_array(np.float32(6), "high"),
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], "conv1", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
        helper.make_node("MaxPool", ["r1"], ["p1"], "pool1", kernel_shape=[2, 2]),
        helper.make_node("Conv", ["p1", "w2", "b2"], ["c2"], "conv2", kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=8),
        helper.make_node("Clip", ["c2", "low", "high"], ["r2"], "clip2"),
        helper.make_node("Conv", ["r2", "w3"], ["c3"], "conv3", kernel_shape=[1, 1]),
        helper.make_node("Add", ["c3", "p1"], ["a3"], "add3"),
        helper.make_node("GlobalAveragePool", ["a3"], ["g4"], "gap4"),
        helper.make_node("Flatten", ["g4"], ["f4"], "flatten4"),
        helper.make_node("Gemm", ["f4", "w4", "b4"], ["y"], "gemm4"),
    ]
    graph = helper.make_graph(nodes, "small", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def session(path, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class AgainstOnnxRuntime(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        rng = np.random.default_rng(SEED)
        onnx.save(small_network(rng), cls.root / "float.onnx")
        np.savez(cls.root / "calibration.npz", x=rng.normal(0, 1, (8, 1, 3, 16, 16)).astype(np.float32))
        cls.x = rng.normal(0, 1, (1, 3, 16, 16)).astype(np.float32)
        np.save(cls.root / "x.npy", cls.x)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def quantize(self, name, options):
        path = self.root / f"{name}.onnx"
        assay("quantize", self.root / "float.onnx", "-o", path, "--calibration", self.root / "calibration.npz",
              *settings(options))
        onnx.checker.check_model(str(path), full_check=True)
        return path

    def infer(self, path, options):
        out = self.root / (path.stem + "_out")
        assay("infer", path, "--input", f"x={self.root / 'x.npy'}", "-o", out, *settings(options))
        return np.load(out / "y.npy")

    def test_float_models_agree(self):
        theirs = session(self.root / "float.onnx", onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL).run(None, {"x": self.x})[0]
        ours = self.infer(self.root / "float.onnx", {"runtime.optimization": "none"})
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)

    def test_every_setting_loads_and_agrees(self):
        axes = {
            "quantizer.format": ["qdq", "qoperator"],
            "quantizer.activation_type": ["uint8", "int8"],
            "quantizer.activation_symmetric": ["false", "true"],
            "quantizer.per_channel": ["false", "true"],
            "quantizer.relu": ["safe", "keep", "drop"],
        }
        for number, values in enumerate(itertools.product(*axes.values())):
            options = dict(zip(axes, values))
            with self.subTest(**options):
                path = self.quantize(f"q{number}", options)
                level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
                theirs = session(path, level).run(None, {"x": self.x})[0]
                ours = self.infer(path, {"runtime.optimization": "none"})
                # The output is dequantized: its distance is in steps of the last scale. Integer models agree to the bit;
                # float sums in between may move a value by a step.
                if options["quantizer.format"] == "qoperator":
                    np.testing.assert_array_equal(ours, theirs)
                else:
                    step = np.ptp(theirs) / 255
                    np.testing.assert_allclose(ours, theirs, atol=2.5 * step)

    def test_other_formats_and_types_load_and_agree(self):
        """Dynamic, weight-only, 4- and 16-bit types, blocks; without calibration where the format needs none."""
        table = [
            {"quantizer.format": "dynamic"},
            {"quantizer.format": "dynamic", "quantizer.weight_type": "uint8", "quantizer.weight_symmetric": "false",
             "quantizer.per_channel": "true"},
            {"quantizer.format": "weight_only"},
            {"quantizer.format": "weight_only", "quantizer.weight_type": "int4", "quantizer.per_channel": "true"},
            {"quantizer.format": "weight_only", "quantizer.weight_type": "uint4", "quantizer.weight_symmetric": "false",
             "quantizer.block_size": "4"},
            {"quantizer.activation_type": "uint16"},
            {"quantizer.activation_type": "int16", "quantizer.weight_type": "int16"},
            {"quantizer.activation_type": "uint16", "quantizer.contrib_qdq": "true"},
            {"quantizer.weight_type": "int4"},
            {"quantizer.weight_qdq": "true", "quantizer.dedicated_qdq": "true", "quantizer.quantize_bias": "false"},
        ]
        for number, options in enumerate(table):
            with self.subTest(**options):
                path = self.root / f"f{number}.onnx"
                needs_data = options.get("quantizer.format") not in ("dynamic", "weight_only")
                data = ["--calibration", self.root / "calibration.npz"] if needs_data else []
                assay("quantize", self.root / "float.onnx", "-o", path, *data, *settings(options))
                onnx.checker.check_model(str(path), full_check=True)
                theirs = session(path, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL).run(None, {"x": self.x})[0]
                for level in ("none", "all"):
                    ours = self.infer(path, {"runtime.optimization": level})
                    np.testing.assert_allclose(ours, theirs, atol=2.5 * np.ptp(theirs) / 255)


if __name__ == "__main__":
    ASSAY = os.path.abspath(sys.argv.pop(1))
    print(f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}, seed {SEED}")
    unittest.main()
