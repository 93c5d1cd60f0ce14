#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What assay writes means the same to both runtimes: QDQ models that assay quantized, run at optimisation none by assay and
by ONNX Runtime (graph_optimization_level disabled).

Every quantized tensor is compared, each on the samples on which all quantized tensors in front of it are equal, so that a
difference belongs to the node that made it: at most one step, on at most 0.1 % of the elements. The outputs are compared
on all samples, under the same bounds: there a value near a tie deep inside the network shows in full.

Networks are those of the quantizer's peer test: generated ones, the bundled ones, and real ones where they were fetched.
What differs more is listed in roundtrip_exceptions.json with its reason and its own bounds; an exception that is not needed
fails the test.

Arguments: the path of the assay program, then names of networks (all by default).
"""

import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper

import networks
import runner

FEWEST_NETWORKS = 12
MOST_STEPS = 1
MOST_SHARE = 0.001
# 0.1 % of an output with few elements is less than one element: one may differ.
MOVERS = ("Identity", "Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "MaxPool", "Slice", "Gather", "Split")

OPTION_SETS = {
    "u8s8": [],
    "u8s8_channel": ["quantizer.per_channel=true"],
    "s8s8": ["quantizer.activation_type=int8"],
    "symmetric_s8_channel": ["quantizer.activation_type=int8", "quantizer.activation_symmetric=true",
                             "quantizer.per_channel=true"],
    "u16s8": ["quantizer.activation_type=uint16"],
}
LARGE_NETWORK_OPTION_SETS = ("u8s8", "s8s8", "u8s8_channel")


def expose_quantized(model):
    """Makes what every QuantizeLinear of an activation gives an output; {tensor: the quantized tensors in front of it}."""
    graph = model.graph
    types = {c.name: c.data_type for c in graph.initializer}
    front, known = {}, {}
    for node in graph.node:
        behind = set().union(*(known.get(name, set()) for name in node.input))
        if node.op_type == "QuantizeLinear" and node.input[0] not in types:
            front[node.output[0]] = behind
            behind = behind | {node.output[0]}
            graph.output.append(helper.make_tensor_value_info(node.output[0], types[node.input[2]], None))
        for name in node.output:
            known[name] = behind
    return front


def quantized_outputs(model):
    """The quantized tensor behind each output of the graph that has one: {output: quantized tensor}."""
    producers = {name: node for node in model.graph.node for name in node.output}
    found = {}
    for output in model.graph.output:
        node = producers.get(output.name)
        while node is not None and node.op_type in MOVERS:
            node = producers.get(node.input[0])
        if node is not None and node.op_type == "DequantizeLinear":
            found[output.name] = node.input[0]
    return found


def run_assay(program, model, feeds, folder):
    """Outputs by name, of one sample."""
    arguments = [program, "infer", str(model), "-o", str(folder / "out"), "--set", "runtime.optimization=none"]
    for position, (name, value) in enumerate(feeds.items()):
        path = folder / f"input_{position}.npy"
        np.save(path, value)
        arguments += ["--input", f"{name}={path}"]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"assay infer: exit {done.returncode}: {done.stderr.strip()}")
    return folder / "out"


def file_of(output):
    return re.sub(r"[^A-Za-z0-9_.-]", "_", output) + ".npy"


class Counts:
    """Over all samples of one output."""

    def __init__(self):
        self.elements, self.differing, self.steps = 0, 0, 0

    def add(self, ours, theirs):
        steps = np.abs(ours.astype(np.int64) - theirs.astype(np.int64))
        self.elements += steps.size
        self.differing += int(np.count_nonzero(steps))
        self.steps = max(self.steps, int(steps.max(initial=0)))

    def within(self, most_steps, most_share):
        return self.steps <= most_steps and self.differing <= max(1.0, most_share * self.elements)

    def __str__(self):
        return f"{self.differing} of {self.elements} elements differ, by {self.steps} steps at most"


def places(entry):
    return [(n, o) for n in entry["networks"] for o in entry["options"]]


def compare(network, source, option, folder, program):
    """{("tensor" or "output", name): Counts}, or a text that says why nothing was compared."""
    data, quantized = folder / "samples.npz", folder / f"{option}.onnx"
    if not data.exists():
        np.savez(data, **network.samples)
    settings = [part for setting in ["quantizer.fuse_bias=false", *OPTION_SETS[option]] for part in ("--set", setting)]
    done = subprocess.run([program, "quantize", str(source), "-o", str(quantized), "--calibration", str(data), *settings],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip()}"
    model = onnx.load(str(quantized))
    onnx.checker.check_model(model, full_check=True)
    outputs = quantized_outputs(model)
    front = expose_quantized(model)
    onnx.save(model, quantized)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(quantized), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    counts = {("tensor", name): Counts() for name in front} | {("output", name): Counts() for name in outputs}
    for i in range(len(next(iter(network.samples.values())))):
        feeds = {name: values[i] for name, values in network.samples.items()}
        theirs = dict(zip(names, session.run(None, feeds)))
        out = run_assay(program, quantized, feeds, folder)
        ours = {name: np.load(out / file_of(name)) for name in front}
        equal = {name for name in front if np.array_equal(ours[name], theirs[name])}
        for name, others in front.items():
            if others <= equal:
                counts[("tensor", name)].add(ours[name], theirs[name])
        for name, tensor in outputs.items():
            counts[("output", name)].add(ours[tensor], theirs[tensor])
    return counts


def check_network(network, model, folder, program, exceptions):
    """Failures as texts, and how many tensors and outputs were compared; None where this build cannot read the model."""
    source = folder / "float.onnx"
    onnx.save(model, source)
    failures, compared = [], 0
    for option in OPTION_SETS:
        if network.large and option not in LARGE_NETWORK_OPTION_SETS:
            continue
        counts = compare(network, source, option, folder, program)
        if isinstance(counts, str):
            if "this build" in counts or "not supported" in counts:
                return None, counts
            failures.append(f"{network.name} {option}: {counts}")
            continue
        for (what, name), count in counts.items():
            compared += 1 if count.elements else 0
            covered = count.within(MOST_STEPS, MOST_SHARE) or exceptions.covers(
                (network.name, option),
                lambda entry: name in entry[what + "s"] and count.within(entry["steps"], entry["share"]))
            if not covered:
                failures.append(f"{network.name} {option}: {what} '{name}': {count}")
    return (failures, compared) if failures or compared else (None, "no quantized output")


def main():
    exceptions = runner.Exceptions("roundtrip_exceptions.json", places)
    return runner.run(lambda *given: check_network(*given, exceptions), networks.all_networks(runner.REPOSITORY),
                      OPTION_SETS, "tensors and outputs compared", exceptions, FEWEST_NETWORKS)


if __name__ == "__main__":
    sys.exit(main())
