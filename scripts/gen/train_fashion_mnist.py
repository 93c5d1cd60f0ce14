#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trains one small network on Fashion-MNIST and writes it as float ONNX.

Weights are written as training leaves them: nothing is scaled or folded. Needs the Debian packages python3-torch,
python3-onnx and dataset-fashion-mnist; with the same packages, --threads and CPU the result repeats.
"""

import argparse
import time
from pathlib import Path

import torch
from torch import nn

from fashion_mnist_data import LIGHTINGS, PACKAGE_DIR, TEST_COUNT, features, load_grey, to_input
from fashion_mnist_export import export_onnx
from fashion_mnist_nets import NETS, FeatureSpec, fold_standardization


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--net", choices=sorted(NETS), default="a")
    parser.add_argument("--lighting", choices=sorted(LIGHTINGS), default="bright")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--images", type=int, default=30000, help="the first N training images")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--learning-rate", type=float, default=0.1, help="peak of the one-cycle schedule")
    parser.add_argument("--weight-decay", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=1, help="part of what the result depends on")
    parser.add_argument("--package-dir", type=Path, default=PACKAGE_DIR)
    parser.add_argument("--out", type=Path, required=True, help="the .onnx file to write")
    return parser.parse_args()


def accuracy(net, images, labels):
    net.eval()
    with torch.no_grad():
        hits = [(net(x).argmax(1) == y).sum().item() for x, y in zip(images.split(500), labels.split(500))]
    return 100 * sum(hits) / len(labels)


def train(net, images, labels, arguments):
    steps = arguments.epochs * (len(images) // arguments.batch)
    optimizer = torch.optim.SGD(
        net.parameters(), lr=arguments.learning_rate, momentum=0.9, nesterov=True, weight_decay=arguments.weight_decay
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, arguments.learning_rate, steps, pct_start=0.2)
    order_generator = torch.Generator().manual_seed(arguments.seed)
    loss_function = nn.CrossEntropyLoss()
    for epoch in range(arguments.epochs):
        net.train()
        start = time.perf_counter()
        order = torch.randperm(len(images), generator=order_generator)
        total = 0.0
        batches = [b for b in order.split(arguments.batch) if len(b) == arguments.batch]
        for batch in batches:
            optimizer.zero_grad()
            loss = loss_function(net(images[batch]), labels[batch])
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        seconds = time.perf_counter() - start
        print(f"epoch {epoch + 1}: loss {total / len(batches):.4f}, {seconds:.0f} s", flush=True)


def main():
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(arguments.seed)

    spec = NETS[arguments.net]
    images, labels = load_grey("train", arguments.package_dir)
    test_images, test_labels = load_grey("t10k", arguments.package_dir)
    takes_features = isinstance(spec, FeatureSpec)
    prepare = features if takes_features else lambda grey: to_input(grey, arguments.lighting)
    images = torch.from_numpy(prepare(images[: arguments.images]))
    labels = torch.from_numpy(labels[: arguments.images])
    test_images = torch.from_numpy(prepare(test_images))
    test_labels = torch.from_numpy(test_labels)

    net = spec.build()
    parameters = sum(p.numel() for p in net.parameters())
    print(f"net {arguments.net} {arguments.lighting}, seed {arguments.seed}: {parameters} parameters", flush=True)
    train(net, images, labels, arguments)
    print(f"float top-1: {accuracy(net, test_images, test_labels):.2f} % of {len(test_labels)} test images, "
          f"{accuracy(net, test_images[:TEST_COUNT], test_labels[:TEST_COUNT]):.1f} % of the first {TEST_COUNT}")
    description = (
        f"Fashion-MNIST, net {arguments.net}, {'feature' if takes_features else arguments.lighting} input, seed {arguments.seed}, "
        f"{arguments.epochs} epochs of SGD on {arguments.images} images, "
        f"learning rate {arguments.learning_rate:g}, weight decay {arguments.weight_decay:g}"
    )
    if takes_features:
        net = fold_standardization(net)
    export_onnx(net, spec, "features" if takes_features else "image", images.shape[1:], arguments.out, description)


if __name__ == "__main__":
    main()
