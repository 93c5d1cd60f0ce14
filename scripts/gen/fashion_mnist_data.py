# SPDX-License-Identifier: Apache-2.0
"""Fashion-MNIST from Debian's package dataset-fashion-mnist, and the uint8 .npy files cut from it."""

import gzip
import struct
from pathlib import Path

import numpy as np

PACKAGE_DIR = Path("/usr/share/datasets/fashion-mnist")
TEST_COUNT = 1000
CALIBRATION_COUNT = 128

# Network input = float32(byte * scale + offset): the two lightings share one uint8 file.
LIGHTINGS = {"dark": (1 / 255, 0.0), "bright": (-1 / 255, 1.0)}


def read_idx(path):
    """Reads one gzipped idx file of unsigned bytes."""
    with gzip.open(path, "rb") as stream:
        data = stream.read()
    zero, kind, rank = struct.unpack(">HBB", data[:4])
    if zero != 0 or kind != 8:
        raise ValueError(f"{path}: not an idx file of unsigned bytes")
    shape = struct.unpack(f">{rank}I", data[4 : 4 + 4 * rank])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load_grey(split, package_dir=PACKAGE_DIR):
    """Returns (images uint8 [N,1,28,28], labels int64 [N]); split is "train" or "t10k"."""
    images = read_idx(Path(package_dir) / f"{split}-images-idx3-ubyte.gz")
    labels = read_idx(Path(package_dir) / f"{split}-labels-idx1-ubyte.gz")
    return images[:, None, :, :].copy(), labels.astype(np.int64)


def to_input(images, lighting):
    """The float32 tensor a network sees."""
    scale, offset = LIGHTINGS[lighting]
    return (images.astype(np.float64) * scale + offset).astype(np.float32)


HALVES = 14
FEATURES = 2 * HALVES + 10


def features(images):
    """Hand-made features of images uint8 [N,1,28,28] in their own units, float32 [N,FEATURES]: sums of bytes over pairs of
    rows and of columns, the sum of all, the number of pixels that are not 0, bounds of these (top, left, height, width),
    the centre of the bytes (row, column) and their variance around it (in squared pixels)."""
    grey = images[:, 0].astype(np.float64)
    rows, columns = grey.sum(2), grey.sum(1)
    total = np.maximum(grey.sum((1, 2)), 1)
    lit = grey > 0
    place = np.arange(grey.shape[1])

    def bounds(lines):
        first = lines.argmax(1)
        return first, lines.shape[1] - lines[:, ::-1].argmax(1) - first

    def moments(sums):
        centre = (sums * place).sum(1) / total
        return centre, (sums * (place - centre[:, None]) ** 2).sum(1) / total

    (top, height), (left, width) = bounds(lit.any(2)), bounds(lit.any(1))
    (row, row_variance), (column, column_variance) = moments(rows), moments(columns)
    single = [total, lit.sum((1, 2)), top, left, height, width, row, column, row_variance, column_variance]
    pairs = [sums.reshape(len(sums), HALVES, 2).sum(2) for sums in (rows, columns)]
    return np.concatenate([*pairs, np.stack(single, 1)], 1).astype(np.float32)
