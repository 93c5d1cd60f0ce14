#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Quantized real networks at optimised levels: assay in the profile of this CPU against ONNX Runtime, at basic, extended and
all on both sides, on QDQ and QOperator models that assay and ONNX Runtime's own tool quantized.

Equal arithmetic needs a CPU on which both take the same instructions: AVX2 without VNNI (isa=avx2, precision=fast) or with
it (isa=avx512_vnni); the test takes assay's best one. Every output may differ by one step on at most 0.5 % of its elements
(one element where that is less than one). A step is the scale of the quantized tensor that the output shows; behind float
operators it is 1/255 of the output's range. What differs more stands in optimised_exceptions.json with its reason and its
bounds; an exception that is not needed fails the test.

Arguments: the path of the assay program, then names of networks (all by default). --measure prints what differs, as
exceptions without a reason.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper, version_converter
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

import models_test
import networks
import roundtrip_test
import runner

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parents[1] / "build" / "models"
MOST_STEPS, MOST_SHARE = 1, 0.005
LEVELS = {"basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC, "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
          "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL}
FORMATS = {"qdq": QuantFormat.QDQ, "qoperator": QuantFormat.QOperator}
NETWORKS = ("face_detection_front_128x128_barracuda", "face_detection_back_256x256_barracuda", "mlsd_320x320_tiny", "embedding_model",
            "ch_ppocr_mobile_v2.0_cls_infer", "alexa_v0.1", "hello_deepa", "hey_jarvis_v0.1", "timer_v0.1", "weather_v0.1")


class Samples(CalibrationDataReader):
    def __init__(self, samples):
        self.left = iter(samples)

    def get_next(self):
        return next(self.left, None)


def fixed(path, shapes):
    """The network with its open dimensions fixed and its constants folded, so that both tools see one graph, in an opset that
    has scales per channel."""
    with tempfile.TemporaryDirectory() as folder:
        model = onnx.load(path)
        for value in model.graph.input:
            for dim, size in zip(value.type.tensor_type.shape.dim, shapes.get(value.name, [])):
                dim.dim_value = size
        plain = pathlib.Path(folder) / "plain.onnx"
        onnx.save(model, plain)
        model = networks.folded(plain)
    old = next(entry.version for entry in model.opset_import if entry.domain == "") < 13
    return version_converter.convert_version(model, 13) if old else model


def quantize(tool, assay, form, samples, folder):
    source, target = folder / "float.onnx", folder / f"{tool}_{form}.onnx"
    if tool == "assay":
        stacked = {name: np.stack([sample[name] for sample in samples]) for name in samples[0]}
        np.savez(folder / "samples.npz", **stacked)
        done = subprocess.run([assay, "quantize", source, "-o", target, "--calibration", folder / "samples.npz", "--set",
                               f"quantizer.format={form}", "--set", "quantizer.per_channel=true"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    else:
        quantize_static(str(source), str(target), Samples(samples), quant_format=FORMATS[form], per_channel=True,
                        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    return target


def run_assay(assay, model, inputs, level, folder):
    out = folder / "out"
    arguments = [assay, "infer", model, "-o", out, "--set", f"runtime.optimization={level}", "--set", "runtime.precision=fast"]
    for i, (name, value) in enumerate(inputs.items()):
        np.save(folder / f"in{i}.npy", value)
        arguments += ["--input", f"{name}={folder / f'in{i}.npy'}"]
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def output_steps(path):
    """{output: the scale of the quantized tensor that it shows}."""
    model = onnx.load(path)
    constants = {c.name: c for c in model.graph.initializer}
    shown = roundtrip_test.quantized_outputs(model)
    makers = {node.input[0]: node for node in model.graph.node if node.op_type == "DequantizeLinear"}
    scales = {output: numpy_helper.to_array(constants[makers[tensor].input[1]]) for output, tensor in shown.items()}
    return {output: float(scale) for output, scale in scales.items() if scale.size == 1}


def compare(assay, model, inputs, level, folder):
    """{output: (largest difference in steps, share of elements that differ by half a step or more)}."""
    session = models_test.peer_session(model, LEVELS[level])
    expected = session.run(None, inputs)
    out = run_assay(assay, model, inputs, level, folder)
    steps = output_steps(model)
    found = {}
    for info, reference in zip(session.get_outputs(), expected):
        actual = np.load(out / models_test.file_name(info.name))
        assert actual.shape == reference.shape and actual.dtype == reference.dtype, info.name
        step = steps.get(info.name) or float(np.ptp(reference)) / 255 or 1.0
        apart = np.abs(actual.astype(np.float64) - reference) / step
        differing = np.rint(apart) > 0
        found[info.name] = (int(np.rint(apart.max())), float(differing.mean()), int(differing.sum()))
    return found


def exceeds(result, steps, share):
    largest, part, count = result
    return largest > steps or (part > share and count > 1)


def test_network(assay, name, exceptions, measure):
    path = next(MODELS.glob(f"*/{name}.onnx"))
    faults, used = [], set()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        shapes = {value: [1, *shape[1:]] for value, shape in models_test.SHAPES.get(name, {}).items()}
        onnx.save(fixed(path, shapes), folder / "float.onnx")
        session = models_test.peer_session(folder / "float.onnx", LEVELS["basic"])
        samples = []
        rng = np.random.default_rng(models_test.SEED)
        for _ in range(3):
            samples.append({info.name: rng.uniform(*models_test.random_range(name), info.shape).astype(np.float32) for info in session.get_inputs()})
        for tool in ("assay", "onnxruntime"):
            for form in FORMATS:
                model = quantize(tool, assay, form, samples, folder)
                for level in LEVELS:
                    for output, result in compare(assay, model, samples[0], level, folder).items():
                        if not exceeds(result, MOST_STEPS, MOST_SHARE):
                            continue
                        match = [i for i, e in enumerate(exceptions) if e["network"] == name and tool in e["tools"] and form in e["formats"]
                                 and level in e["levels"] and output in e["outputs"]]
                        used.update(match)
                        if measure or not match or all(exceeds(result, exceptions[i]["steps"], exceptions[i]["share"]) for i in match):
                            faults.append(f"{tool} {form} {level} {output}: {result[0]} steps, {result[1]:.4f} of the elements")
    return faults, used


def main():
    arguments = [a for a in sys.argv[1:] if a != "--measure"]
    onnxruntime.set_default_logger_severity(3)
    assay, names = pathlib.Path(arguments[0]).resolve(), arguments[1:] or NETWORKS
    if not MODELS.exists():
        print("skipped: models missing (scripts/setup-models fetches them)")
        sys.exit(77)
    document = json.loads((HERE / "optimised_exceptions.json").read_text(encoding="utf-8"))
    exceptions = document["exceptions"]
    failed, used = 0, set()
    for name in names:
        faults, needed = test_network(assay, name, exceptions, "--measure" in sys.argv)
        used |= needed
        print(f"{name}: {'differs' if faults else 'agrees'}", flush=True)
        for fault in faults:
            print(f"  {fault}")
        failed += bool(faults)
    if not arguments[1:]:
        for i in set(range(len(exceptions))) - used:
            print(f"not needed: {exceptions[i]}")
            failed += 1
    print(f"{len(names) - failed} of {len(names)} networks agree with ONNX Runtime {onnxruntime.__version__} at optimised levels")
    sys.exit(runner.verdict(failed, document["measured_on"]))


if __name__ == "__main__":
    main()
