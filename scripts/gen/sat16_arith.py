# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic of u8 x s8 convolutions: exact sums, and sums whose pairs saturate in int16.

The saturating form is that of the instruction vpmaddubsw: products of contraction indices (0,1), (2,3), ... are added
in int16 with saturation, the pair sums are added exactly, an odd last index stands alone. The contraction runs over
(kernel y, kernel x, input channel), channel fastest, on raw activation bytes; padding is the zero-point byte. True
depthwise convolutions are exact.
"""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

FLOAT32_EXACT = 1 << 24


@dataclass(frozen=True)
class ConvShape:
    """Attributes of a convolution; a matrix product is one with a 1x1 kernel on a 1x1 image."""

    stride: int = 1
    pad: int = 0
    groups: int = 1


def exact_conv(activations, zero_point, weights, weight_zero_point, shape):
    """int64 sums of (activation - zero_point) * (weight - weight_zero_point); arrays are NCHW and OIHW."""
    w = weights.astype(np.int64) - weight_zero_point
    bound = 255 * np.abs(w).reshape(len(w), -1).sum(1).max()
    # Float convolution is the fast one; below this bound every partial sum is an exact integer.
    kind = torch.float32 if bound < FLOAT32_EXACT else torch.float64
    x = torch.from_numpy(activations.astype(np.int64) - zero_point).to(kind)
    sums = F.conv2d(x, torch.from_numpy(w).to(kind), stride=shape.stride, padding=shape.pad, groups=shape.groups)
    return sums.to(torch.int64).numpy()


def flat_columns(activations, zero_point, kernel, shape):
    """Contraction vectors [N * outputs, kh * kw * C] in the flat order, and the output height and width."""
    x = np.pad(
        activations, ((0, 0), (0, 0), (shape.pad,) * 2, (shape.pad,) * 2), constant_values=zero_point
    )
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel, axis=(2, 3))
    windows = windows[:, :, :: shape.stride, :: shape.stride]
    n, channels, height, width = windows.shape[:4]
    columns = windows.transpose(0, 2, 3, 4, 5, 1).reshape(n * height * width, -1)
    return np.ascontiguousarray(columns), (height, width)


def pair_saturation(activations, zero_point, weights, shape):
    """What saturation takes from the exact sums: (correction int64 NCHW, saturated pairs, pairs).

    weights are raw signed bytes. An odd last index cannot saturate and is not counted as a pair.
    """
    columns, (height, width) = flat_columns(activations, zero_point, weights.shape[2:], shape)
    flat = weights.transpose(0, 2, 3, 1).reshape(len(weights), -1).astype(np.int32)
    correction = np.zeros((len(columns), len(weights)), np.int64)
    saturated = 0
    pairs = flat.shape[1] // 2
    for pair in range(pairs):
        s0, s1 = flat[:, 2 * pair], flat[:, 2 * pair + 1]
        # Only weights whose like-signed sum can leave int16 with bytes of 255 need a look.
        high = 255 * (np.maximum(s0, 0) + np.maximum(s1, 0)) > 32767
        low = 255 * (np.minimum(s0, 0) + np.minimum(s1, 0)) < -32768
        outputs = np.flatnonzero(high | low)
        if len(outputs) == 0:
            continue
        u0 = columns[:, 2 * pair].astype(np.int32)[:, None]
        u1 = columns[:, 2 * pair + 1].astype(np.int32)[:, None]
        sums = u0 * s0[outputs] + u1 * s1[outputs]
        change = np.clip(sums, -32768, 32767) - sums
        saturated += int(np.count_nonzero(change))
        correction[:, outputs] += change
    n = len(activations)
    correction = correction.reshape(n, height, width, -1).transpose(0, 3, 1, 2)
    return correction, saturated, pairs * correction.size


def is_depthwise(weights, shape):
    return shape.groups > 1 and shape.groups == len(weights) and weights.shape[1] == 1


def requantize(sums, bias, multiplier, zero_point):
    """uint8 of int32 sums, in float32 steps as QLinearConv does it; multiplier is per output channel."""
    total = (sums + bias.reshape(1, -1, 1, 1)).astype(np.int32)
    scaled = np.rint(total.astype(np.float32) * multiplier.astype(np.float32).reshape(1, -1, 1, 1))
    return np.clip(scaled + zero_point, 0, 255).astype(np.uint8)
