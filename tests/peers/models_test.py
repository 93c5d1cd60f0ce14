#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The networks of scripts/setup-models in assay and in ONNX Runtime on the same seeded inputs.

Run with the path of the assay program; needs the environment of scripts/setup-peers. Every output must agree within
1e-4 of the range of ONNX Runtime's, shapes and types exactly. Two, three and four threads must give the bytes of one.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "build" / "models"
SEED = 20240229
TOLERANCE = 1e-4  # of the output's range

# Sizes of open dimensions, by model and input; without an entry an open dimension is 1.
SHAPES = {
    "ch_PP-OCRv4_det_infer": {"x": [1, 3, 160, 224]},
    "ch_PP-OCRv4_rec_infer": {"x": [2, 3, 48, 96]},
    "ch_ppocr_mobile_v2.0_cls_infer": {"x": [2, 3, 48, 192]},
    "embedding_model": {"input_1": [3, 76, 32, 1]},
    "melspectrogram": {"input": [1, 6400]},
    "silero_vad": {"input": [1, 1536], "h": [2, 1, 64], "c": [2, 1, 64]},
    "silero_vad_legacy": {"input": [1, 1536], "h": [2, 1, 64], "c": [2, 1, 64]},
    "silero_vad_v5": {"input": [1, 512], "state": [2, 1, 128]},
    "silero_vad_v6": {"input": [1, 512], "state": [2, 1, 128]},
}
# Inputs that are not random: the sampling rate.
VALUES = {"sr": np.array(16000, np.int64)}
# Bounds of the random values; [-1, 1] without an entry.
RANGES = {"melspectrogram": (-20000, 20000), "mlsd": (0, 255), "openwakeword": (-10, 10)}
# Outputs that keep a value where it is the largest of its neighbours and are 0 elsewhere: where two neighbours differ by
# rounding alone, either may be kept. ONNX Runtime's own levels of optimisation differ so, and no more than twice their
# difference is allowed.
MASKED = (("mlsd", "scores"),)


def text_image(rng, shape):
    """Dark strokes on a light ground: a detector of text gives probabilities near 0 and 1 on it, not rounding noise."""
    image = np.ones(shape, np.float32)
    for _ in range(6):
        top = int(rng.integers(10, shape[2] - 20))
        left = int(rng.integers(5, 60))
        for x in range(left, min(left + 144, shape[3] - 8), 12):
            image[:, :, top:top + 12, x:x + 2] = -1
            image[:, :, top:top + 2, x:x + 8] = -1
            if rng.random() < 0.5:
                image[:, :, top + 5:top + 7, x:x + 8] = -1
    return image + rng.uniform(-0.05, 0.05, shape).astype(np.float32)


def random_range(name):
    return next((bounds for key, bounds in RANGES.items() if name.startswith(key)), (-1, 1))


def make_inputs(name, session):
    rng = np.random.default_rng(SEED)
    inputs = {}
    for info in session.get_inputs():
        if info.name in VALUES:
            inputs[info.name] = VALUES[info.name]
            continue
        shape = SHAPES.get(name, {}).get(info.name) or [d if isinstance(d, int) else 1 for d in info.shape]
        assert info.type == "tensor(float)", f"{info.name} has type {info.type}"
        if name == "ch_PP-OCRv4_det_infer":
            inputs[info.name] = text_image(rng, shape)
            continue
        inputs[info.name] = rng.uniform(*random_range(name), shape).astype(np.float32)
    return inputs


def difference(actual, expected, masked_share):
    """The largest error as a share of the expected output's range; infinite where shapes or types differ, or where more
    elements than `masked_share` are 0 on one side only."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return np.inf
    if expected.size == 0:
        return 0.0
    reach = float(np.max(expected) - np.min(expected)) or float(np.max(np.abs(expected))) or 1.0
    if masked_share > 0:
        one_sided = (actual == 0) != (expected == 0)
        if np.mean(one_sided) > masked_share:
            return np.inf
        actual = np.where(one_sided, expected, actual)
    error = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    return float(np.max(error)) / reach


def file_name(value):
    return "".join(c if c.isalnum() or c in "_.-" else "_" for c in value) + ".npy"


def peer_session(path, level):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = level
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def peers_own_share(path, inputs, expected, output):
    """The share of elements of an output that are 0 at one of ONNX Runtime's levels of optimisation only."""
    plain = peer_session(path, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL).run([output], inputs)[0]
    return np.mean((plain == 0) != (expected == 0))


def infer(assay, path, inputs, folder, threads):
    """None, or what went wrong. Outputs are files of `folder`."""
    arguments = [assay, "infer", str(path), "-o", str(folder), "--set", f"runtime.threads={threads}"]
    for name, value in inputs.items():
        np.save(folder / ("in_" + file_name(name)), value)
        arguments += ["--input", f"{name}={folder / ('in_' + file_name(name))}"]
    done = subprocess.run(arguments, capture_output=True, text=True)
    return None if done.returncode == 0 else f"threads {threads}: exit {done.returncode}: {done.stderr.strip()}"


def thread_faults(assay, path, inputs, outputs, folder):
    faults = []
    for threads in (2, 3, 4):
        fault = infer(assay, path, inputs, folder, threads)
        if fault:
            return [fault]
        faults += [f"output {name} differs with {threads} threads" for name, bytes_of_one in outputs.items()
                   if (folder / file_name(name)).read_bytes() != bytes_of_one]
    return faults


def compare(assay, path, folder):
    session = peer_session(path, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
    inputs = make_inputs(path.stem, session)
    expected = session.run(None, inputs)
    fault = infer(assay, path, inputs, folder, 1)
    if fault:
        return [fault]
    faults = []
    for info, reference in zip(session.get_outputs(), expected):
        actual = np.load(folder / file_name(info.name))
        masked = 0
        if any(path.stem.startswith(model) and info.name.startswith(output) for model, output in MASKED):
            masked = 2 * peers_own_share(path, inputs, reference, info.name)
        worst = difference(actual, reference, masked)
        print(f"  {path.stem} {info.name} {list(reference.shape)}: error {worst:.2g} of the range")
        if not worst <= TOLERANCE:
            faults.append(f"output {info.name}: error {worst:.3g} of the range, shapes {actual.shape} and {reference.shape}")
    outputs = {info.name: (folder / file_name(info.name)).read_bytes() for info in session.get_outputs()}
    return faults + thread_faults(assay, path, inputs, outputs, folder)


def main():
    assay = os.path.abspath(sys.argv[1])
    paths = sorted(MODELS.glob("*/*.onnx"))
    if not paths:
        print("skipped: models missing (scripts/setup-models fetches them)")
        sys.exit(77)
    failed = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            faults = compare(assay, path, pathlib.Path(folder))
        for fault in faults:
            print(f"{path.relative_to(MODELS)}: {fault}")
        failed += bool(faults)
    print(f"{len(paths) - failed} of {len(paths)} networks agree with ONNX Runtime {onnxruntime.__version__} and with themselves on 1 to 4 threads (seed {SEED})")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
