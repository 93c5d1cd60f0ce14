#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what int16 saturation of u8 x s8 pairs costs a small network, with every sum emulated exactly.

Independent of the C++ runtime, so that its figures check that one. Activations: uint8, asymmetric, min-max.
Convolutions with their BatchNormalization and Clip, and Gemm, compute in integers; Add and GlobalAveragePool compute
in float32 between dequantize and quantize. Prints Markdown.
"""

import argparse
from pathlib import Path

import numpy as np
import torch

from fashion_mnist_data import LIGHTINGS, to_input
from sat16_model import WeightScheme, calibrate, count_macs, load_layers, run_float, run_integer

BATCH = 250


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=Path, help="float .onnx files with input image and output logits")
    parser.add_argument("--lighting", choices=sorted(LIGHTINGS), default="bright")
    parser.add_argument("--images", type=Path, required=True, help="uint8 .npy [N,C,H,W]")
    parser.add_argument("--labels", type=Path, required=True, help="int64 .npy [N]")
    parser.add_argument("--calibration", type=Path, required=True, help="uint8 .npy [M,C,H,W]")
    parser.add_argument("--float-stem", action="store_true", help="leave the first convolution unquantized")
    parser.add_argument("--layers", type=int, default=4, help="how many of the most saturated layers to list")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def batches(images):
    return (images[start : start + BATCH] for start in range(0, len(images), BATCH))


class Study:
    """One quantized model with its data, and the float logits it is held against."""

    def __init__(self, path, images, labels, calibration, float_stem):
        self.layers = load_layers(path)
        self.parameters = calibrate(self.layers, calibration)
        self.images, self.labels, self.float_stem = images, labels, float_stem
        self.reference = np.concatenate([run_float(self.layers, batch) for batch in batches(images)])

    def top1(self, logits):
        return 100 * np.mean(logits.argmax(1) == self.labels)

    def run(self, scheme, arithmetic, saturates=lambda layer: False):
        """Prints one table row; returns {layer: (saturated pairs, pairs)}."""
        parts, pairs = [], {}
        for batch in batches(self.images):
            run = run_integer(self.layers, self.parameters, batch, scheme, saturates, self.float_stem)
            parts.append(run.logits)
            for name, counts in run.pairs.items():
                pairs[name] = np.add(pairs.get(name, (0, 0)), counts)
        logits = np.concatenate(parts)
        agreement = 100 * np.mean(logits.argmax(1) == self.reference.argmax(1))
        change = self.top1(logits) - self.top1(self.reference)
        print(f"| {scheme.name} | {arithmetic} | {self.top1(logits):.1f} | {change:+.1f} | {agreement:.1f} "
              f"| {sqnr_db(self.reference, logits):.1f} |", flush=True)
        return pairs


def sqnr_db(reference, logits):
    noise = np.sum((reference - logits).astype(np.float64) ** 2)
    return 10 * np.log10(np.sum(reference.astype(np.float64) ** 2) / noise)


def print_study(study, title, layer_count):
    print(f"### {title}\n")
    print(f"{count_macs(study.layers, study.images) / 1e6:.2f} M MACs an image, {len(study.images)} images\n")
    print("| weights | arithmetic | top-1 % | change | agreement % | SQNR dB |\n|---|---|---|---|---|---|")
    print(f"| float | | {study.top1(study.reference):.1f} | | | |")
    lines = []
    for per_channel in (True, False):
        suffix = "per channel" if per_channel else "per tensor"
        int8 = WeightScheme(f"int8 {suffix}", per_channel)
        study.run(int8, "exact")
        pairs = study.run(int8, "sat16", lambda layer: True)
        shares = sorted(((100 * hit / count, name) for name, (hit, count) in pairs.items()), reverse=True)
        worst = shares[0][1]
        study.run(int8, f"sat16 in {worst} only", lambda layer: layer.name == worst)
        study.run(int8, f"sat16 except {worst}", lambda layer: layer.name != worst)
        reduced = WeightScheme(f"int8 {suffix}, reduce_range", per_channel, reduce_range=True)
        if any(hit for hit, _ in study.run(reduced, "sat16", lambda layer: True).values()):
            raise AssertionError("7-bit weights cannot saturate")
        study.run(WeightScheme(f"uint8 {suffix}", per_channel, signed=False), "exact")
        listed = ", ".join(f"{name} {share:.3f} %" for share, name in shares[:layer_count])
        lines.append(f"Saturated pairs, {suffix}: {listed}")
    print("\n" + "\n\n".join(lines) + "\n")


def main():
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    images = to_input(np.load(arguments.images), arguments.lighting)
    calibration = to_input(np.load(arguments.calibration), arguments.lighting)
    labels = np.load(arguments.labels)
    for path in arguments.models:
        study = Study(path, images, labels, calibration, arguments.float_stem)
        print_study(study, path.name, arguments.layers)


if __name__ == "__main__":
    main()
