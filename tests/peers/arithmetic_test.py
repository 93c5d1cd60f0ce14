#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay's arithmetic of the profile avx2 in fast against ONNX Runtime on a CPU with AVX2 and no VNNI: the same bytes, where pairs saturate
and where they do not.

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
SEED = 23
TYPES = {np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8, np.dtype(np.int32): TensorProto.INT32}


def model(op, inputs, computed, output, domain="", **attributes):
    """One node; the inputs in `computed` are the graph's."""
    names = list(inputs)
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], "node", domain=domain, **attributes)], "g",
        [helper.make_tensor_value_info(n, TYPES[inputs[n].dtype], inputs[n].shape) for n in computed],
        [helper.make_tensor_value_info("y", TYPES[np.dtype(output)], None)],
        [numpy_helper.from_array(np.asarray(inputs[n]), n) for n in names if n not in computed])
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


class Arithmetic(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.rng = np.random.default_rng(SEED)

    def both(self, made, feeds):
        path = self.root / "m.onnx"
        onnx.save(made, path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        theirs = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(["y"], feeds)[0]
        flags = []
        for name, value in feeds.items():
            np.save(self.root / f"{name}.npy", value)
            flags += ["--input", f"{name}={self.root / name}.npy"]
        done = subprocess.run([ASSAY, "infer", path, "-o", self.root / "out", "--set", "runtime.isa=avx2", "--set",
                               "runtime.precision=fast", *flags], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return np.load(self.root / "out" / "y.npy"), theirs

    def bytes_of(self, kind, shape, extreme):
        info = np.iinfo(kind)
        if extreme:
            return np.full(shape, info.max, kind)
        return self.rng.integers(info.min, info.max + 1, shape).astype(kind)

    def convolution(self, kind, groups, channels, outputs, kernel, zero_points, extreme):
        """Operands of a convolution over as many axes as the kernel has."""
        size = tuple(k + int(self.rng.integers(1, 8)) for k in kernel)
        x = self.bytes_of(kind, (int(self.rng.integers(1, 3)), channels, *size), extreme)
        w = self.bytes_of(np.int8, (outputs, channels // groups, *kernel), extreme)
        return x, w, np.asarray(zero_points, np.int8)

    def test_qlinear_conv_depthwise_and_not(self):
        shapes = [(1, 1, 1), (2, 2, 2), (3, 3, 3), (16, 16, 16), (22, 22, 22), (1, 1, 2), (1, 2, 1), (2, 2, 4), (2, 4, 2)]
        kernels = [(2,), (4,), (1, 1), (2, 2), (3, 3), (5, 5)]
        for (groups, channels, outputs), kernel, extreme, differ in itertools.product(shapes, kernels, (False, True), (False, True)):
            kind = np.int8 if self.rng.random() < 0.2 else np.uint8
            computed = ["x", "w"] if self.rng.random() < 0.3 else ["x"]
            points = [m % 2 if differ else 3 for m in range(outputs)]
            x, w, wz = self.convolution(kind, groups, channels, outputs, kernel, points, extreme)
            inputs = {"x": x, "xs": np.float32(1), "xz": np.asarray(0, kind), "w": w, "ws": np.full(outputs, 0.01, np.float32),
                      "wz": wz, "ys": np.float32(0.01 * w[0].size), "yz": np.asarray(5, kind)}
            made = model("QLinearConv", inputs, computed, kind, group=groups)
            ours, theirs = self.both(made, {n: inputs[n] for n in computed})
            with self.subTest(groups=groups, channels=channels, outputs=outputs, kernel=kernel, kind=kind.__name__,
                              extreme=extreme, differ=differ, computed=computed):
                np.testing.assert_array_equal(ours, theirs)

    def test_conv_integer(self):
        for groups, channels, outputs in [(1, 1, 1), (2, 2, 2), (8, 8, 8), (1, 3, 4), (2, 4, 2)]:
            for kernel in [(2,), (1, 1), (2, 2), (3, 3)]:
                for extreme in (False, True):
                    x, w, _ = self.convolution(np.uint8, groups, channels, outputs, kernel, 0, extreme)
                    inputs = {"x": x, "w": w.view(np.uint8), "xz": np.uint8(7), "wz": np.uint8(9)}
                    made = model("ConvInteger", inputs, ["x"], np.int32, group=groups)
                    ours, theirs = self.both(made, {"x": x})
                    with self.subTest(groups=groups, channels=channels, outputs=outputs, kernel=kernel, extreme=extreme):
                        np.testing.assert_array_equal(ours, theirs)

    def test_average_pools(self):
        for _ in range(60):
            axes = int(self.rng.integers(1, 3))
            kernel = [int(self.rng.integers(1, 5)) for _ in range(axes)]
            kind = (np.uint8, np.int8)[int(self.rng.integers(2))]
            attributes = {"kernel_shape": kernel, "strides": [int(self.rng.integers(1, 4)) for _ in range(axes)],
                          "pads": [int(self.rng.integers(0, k)) for k in kernel * 2],
                          "ceil_mode": int(self.rng.integers(0, 2)), "count_include_pad": int(self.rng.integers(0, 2))}
            x = self.bytes_of(kind, (1, 2, *(int(n) for n in self.rng.integers(4, 10, axes))), False)
            inputs = {"x": x, "xs": np.float32(0.1), "xz": np.asarray(3, kind), "ys": np.float32(0.07), "yz": np.asarray(4, kind)}
            ours, theirs = self.both(model("QLinearAveragePool", inputs, ["x"], kind, "com.microsoft", **attributes), {"x": x})
            with self.subTest(shape=x.shape, kind=kind.__name__, **attributes):
                np.testing.assert_array_equal(ours, theirs)


def host_flags():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return set(line.split(":", 1)[1].split())
    return set()


if __name__ == "__main__":
    ASSAY = os.path.abspath(sys.argv.pop(1))
    flags = host_flags()
    if "avx2" not in flags or flags & {"avx_vnni", "avx512_vnni", "avx512bw"}:
        print("skipped: the peer takes other instructions than avx2 on this CPU")
        sys.exit(77)
    print(f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}, seed {SEED}")
    unittest.main()
