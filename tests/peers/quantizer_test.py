#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay's static quantizer against ONNX Runtime's: the same float networks, ranges and settings give the same scales
(relative 1e-6), zero points, and bytes of quantized weights and biases, tensor by tensor.

Both read the ranges of one calibration; the settings go to assay as quantizer.ort_options, so their mapping is part of
the test. What differs by intent is listed in quantizer_exceptions.json, each with its reason; an exception that no
difference uses fails the test.

Arguments: the path of the assay program, then names of networks (all by default).
"""

import json
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.calibrate import load_tensors_data

import networks
import runner

FEWEST_NETWORKS = 12
FEWEST_OPTION_SETS = 24
LARGE_NETWORK_OPTION_SETS = ("qdq_s8s8", "qdq_u8s8", "qdq_u8s8_channel", "qdq_symmetric_s8", "qop_u8s8", "qop_u8s8_channel")

S8, U8, S16, U16, S4 = "QInt8", "QUInt8", "QInt16", "QUInt16", "QInt4"


def settings(activation=U8, weight=S8, **more):
    chosen = {"activation_type": activation, "weight_type": weight}
    extra = {key: more.pop(key) for key in list(more) if key[0].isupper()}
    return {**chosen, **more, **({"extra_options": extra} if extra else {})}


OPTION_SETS = {
    "qdq_s8s8": settings(S8),
    "qdq_u8s8": settings(),
    "qdq_u8s8_channel": settings(per_channel=True),
    "qdq_s8s8_channel": settings(S8, per_channel=True),
    "qdq_u8u8": settings(weight=U8),
    "qdq_u8u8_channel": settings(weight=U8, per_channel=True),
    "qdq_reduced": settings(reduce_range=True),
    "qdq_reduced_channel": settings(reduce_range=True, per_channel=True),
    "qdq_symmetric_s8": settings(S8, ActivationSymmetric=True),
    "qdq_symmetric_u8": settings(ActivationSymmetric=True),
    "qdq_weight_asymmetric": settings(WeightSymmetric=False),
    "qdq_restricted": settings(ActivationRestrictedAsymmetric=True),
    "qdq_keep": settings(S8, QDQKeepRemovableActivations=True),
    "qdq_float_bias": settings(QuantizeBias=False),
    "qdq_weight_pair": settings(AddQDQPairToWeight=True, per_channel=True),
    "qdq_float_outputs": settings(OpTypesToExcludeOutputQuantization=["Conv", "Gemm", "MatMul"]),
    "qdq_dedicated": settings(DedicatedQDQPair=True),
    "qdq_minimum_range": settings(MinimumRealRange=3.0),
    "qdq_force": settings(ForceQuantizeNoInputCheck=True),
    "qdq_u16s8": settings(U16),
    "qdq_s16s16": settings(S16, S16),
    "qdq_u8s4": settings(weight=S4),
    "qdq_u8s4_channel": settings(weight=S4, per_channel=True),
    "qdq_weighted_only": settings(op_types_to_quantize=["Conv", "Gemm", "MatMul"]),
    "qop_u8s8": settings(quant_format="QOperator"),
    "qop_u8s8_channel": settings(quant_format="QOperator", per_channel=True),
    "qop_s8s8": settings(S8, quant_format="QOperator"),
    "qop_u8u8": settings(weight=U8, quant_format="QOperator"),
    "qop_reduced": settings(quant_format="QOperator", reduce_range=True),
    "qop_symmetric_s8": settings(S8, quant_format="QOperator", ActivationSymmetric=True),
}


class Reader(CalibrationDataReader):
    def __init__(self, samples):
        count = len(next(iter(samples.values())))
        self.feeds = iter([{name: data[i] for name, data in samples.items()} for i in range(count)])

    def get_next(self):
        return next(self.feeds, None)


def peer_arguments(chosen):
    types = {name: getattr(QuantType, name) for name in (S8, U8, S16, U16, S4)}
    arguments = {key: types.get(value, value) if isinstance(value, str) else value for key, value in chosen.items()}
    arguments["quant_format"] = getattr(QuantFormat, chosen.get("quant_format", "QDQ"))
    return arguments


def read_ranges(cache):
    """[min, max] of every tensor in the peer's calibration cache; float32 values are exact in double."""
    ends = {name: data.range_value for name, data in load_tensors_data(cache).data.items()}
    return {name: [float(np.squeeze(low)), float(np.squeeze(high))] for name, (low, high) in ends.items()}


class Quantized:
    """scales, zero points and integers of a quantized model: {(what, tensor): array}."""

    def __init__(self, path):
        self.model = onnx.load(str(path))
        graph = self.model.graph
        self.constants = {c.name: numpy_helper.to_array(c) for c in graph.initializer}
        self.found = {}
        used = {name for node in graph.node for name in node.input}
        for name in self.constants:
            match = re.fullmatch(r"(.+?)_(scale|zero_point|quantized)(_\d+)?", name)
            if match and name in used and not (match[2] == "quantized" and name.endswith(("_scale", "_zero_point"))):
                self.found[(match[2], match[1] + (match[3] or ""))] = self.constants[name]
        for node in graph.node:  # tensors that share the parameters of another
            if node.op_type == "QuantizeLinear" and node.input[0] not in self.constants:
                tensor = node.input[0].removesuffix("_QuantizeLinear_Input")
                self.found[("scale", tensor)] = self.constants[node.input[1]]
                self.found[("zero_point", tensor)] = self.constants[node.input[2]]


def canonical_bias_copies(found, floats):
    """The peer's copy 'b0' of bias 'b' is 'b_1' in assay; its first stays 'b'."""
    renamed = {}
    for (what, tensor), value in found.items():
        match = re.fullmatch(r"(.+?)(\d+)(_quantized)?", tensor)
        if match and match[1] + match[2] not in floats and match[1] in floats:
            tensor = match[1] + (match[3] or "") + f"_{int(match[2]) + 1}"
        renamed[(what, tensor)] = value
    return renamed


def clamp_outputs(model):
    """What stands for a clamp's input where the clamp is joined to its producer: the output of the last clamp."""
    uses = {}
    for node in model.graph.node:
        for name in node.input:
            uses.setdefault(name, []).append(node)
    aliases = {}
    for node in reversed(model.graph.node):
        if node.op_type in ("Relu", "Clip") and len(uses[node.input[0]]) == 1:
            aliases[node.input[0]] = aliases.get(node.output[0], node.output[0])
    return aliases


def equal(what, ours, theirs):
    if ours.size != theirs.size:
        return False
    ours, theirs = ours.reshape(-1), theirs.reshape(-1)
    if what == "scale":
        return bool(np.all(np.abs(ours - theirs) <= 1e-6 * np.abs(theirs)))
    return ours.dtype == theirs.dtype and bool(np.all(ours == theirs))


def differences(ours, theirs, aliases):
    """{(what, tensor): text} of everything that is not equal."""
    found = {}
    for key, value in theirs.items():
        what, tensor = key
        own = ours.get(key)
        if own is None and tensor in aliases:
            own = ours.get((what, aliases[tensor]))
        if own is None:
            found[key] = "assay has none"
        elif not equal(what, own, value):
            found[key] = f"assay {own.reshape(-1)[:3]}, peer {value.reshape(-1)[:3]}"
    behind = {clamp: tensor for tensor, clamp in aliases.items()}
    for key in ours:
        what, tensor = key
        if key not in theirs and (what, behind.get(tensor)) not in theirs:
            found[key] = "the peer has none"
    return found


def places(entry):
    return [(n, o, t) for n in entry["networks"] for o in entry["options"] for t in entry["tensors"]]


def run_assay(program, arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def compare_network(network, model, folder, program, exceptions):
    """Failures as texts, and how many settings were compared; None where this build cannot read the model."""
    source = folder / "float.onnx"
    onnx.save(model, source)
    cache, ranges = folder / "cache.json", folder / "ranges.json"
    floats = {c.name for c in model.graph.initializer}
    failures, compared = [], 0
    for option, chosen in OPTION_SETS.items():
        if (network.large and option not in LARGE_NETWORK_OPTION_SETS) or not option.startswith(network.options):
            continue
        theirs = folder / f"{option}.peer.onnx"
        quantize_static(str(source), str(theirs), Reader(network.samples), calibration_cache_path=str(cache),
                        **peer_arguments(chosen))
        if not ranges.exists():
            ranges.write_text(json.dumps(read_ranges(cache)))
        mine = folder / f"{option}.assay.onnx"
        done = run_assay(program, ["quantize", source, "-o", mine, "--set", f"quantizer.ranges={ranges}",
                                   "--set", f"quantizer.ort_options={json.dumps(chosen)}"])
        if done.returncode != 0:
            if compared == 0 and ("this build" in done.stderr or "not supported" in done.stderr):
                return None, done.stderr.strip()
            failures.append(f"{network.name} {option}: exit {done.returncode}: {done.stderr.strip()}")
            continue
        onnx.checker.check_model(str(mine))
        onnxruntime.InferenceSession(str(mine), providers=["CPUExecutionProvider"])
        peer = canonical_bias_copies(Quantized(theirs).found, floats)
        for key, text in differences(Quantized(mine).found, peer, clamp_outputs(model)).items():
            what, tensor = key
            if not exceptions.covers((network.name, option, tensor), lambda entry: what in entry["what"]):
                failures.append(f"{network.name} {option}: {what} of {tensor}: {text}")
        compared += 1
    return failures, compared


def main():
    assert len(OPTION_SETS) >= FEWEST_OPTION_SETS
    exceptions = runner.Exceptions("quantizer_exceptions.json", places)
    return runner.run(lambda *given: compare_network(*given, exceptions), networks.all_networks(runner.REPOSITORY),
                      OPTION_SETS, "settings", exceptions, FEWEST_NETWORKS)


if __name__ == "__main__":
    sys.exit(main())
