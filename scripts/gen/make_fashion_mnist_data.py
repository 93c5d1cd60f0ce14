#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts the uint8 test and calibration files out of Fashion-MNIST, or with --features computes features of the same images."""

import argparse
from pathlib import Path

import numpy as np

from fashion_mnist_data import CALIBRATION_COUNT, PACKAGE_DIR, TEST_COUNT, features, load_grey


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package-dir", type=Path, default=PACKAGE_DIR)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--features", action="store_true")
    arguments = parser.parse_args()
    test_images, test_labels = load_grey("t10k", arguments.package_dir)
    train_images, _ = load_grey("train", arguments.package_dir)
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.features:
        np.save(arguments.out / "fashion_mnist_test_features.npy", features(test_images[:TEST_COUNT]))
        np.save(arguments.out / "fashion_mnist_calibration_features.npy", features(train_images[:CALIBRATION_COUNT]))
        return
    np.save(arguments.out / "fashion_mnist_test_images.npy", test_images[:TEST_COUNT])
    np.save(arguments.out / "fashion_mnist_test_labels.npy", test_labels[:TEST_COUNT])
    np.save(arguments.out / "fashion_mnist_calibration_images.npy", train_images[:CALIBRATION_COUNT])


if __name__ == "__main__":
    main()
