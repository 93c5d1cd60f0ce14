# SPDX-License-Identifier: Apache-2.0
"""The small networks trained on Fashion-MNIST: MobileNetV2-like stacks of inverted residuals, and one on hand-made
features."""

from collections import OrderedDict
from dataclasses import dataclass

import torch
from torch import nn

from fashion_mnist_data import FEATURES


@dataclass(frozen=True)
class NetSpec:
    """Shape of one network; blocks are (expansion, channels, stride)."""

    stem_channels: int
    stem_kernel: int
    stem_stride: int
    blocks: tuple
    head_channels: int
    clip: tuple = (0.0, 6.0)  # None: Relu
    plain_stem: bool = False  # stem and first depthwise have a bias instead of BatchNorm
    in_channels: int = 1
    classes: int = 10

    def build(self):
        return build_mobile_net(self)


@dataclass(frozen=True)
class FeatureSpec:
    """Shape of a network on features: hidden layers of one width, with Relu."""

    width: int
    hidden: int
    classes: int = 10

    def build(self):
        return build_feature_net(self)


_NET_A_BLOCKS = ((1, 16, 2), (4, 24, 1), (4, 32, 2), (4, 32, 1), (4, 32, 1))

NETS = {
    # The first two convolutions have a bias, all others BatchNorm.
    "a": NetSpec(16, 3, 1, _NET_A_BLOCKS, 80, plain_stem=True),
    # BatchNorm after every convolution.
    "a_batch_norm_stem": NetSpec(16, 3, 1, _NET_A_BLOCKS, 80),
    # A smaller one with Relu in place of Clip.
    "b_relu": NetSpec(8, 3, 2, ((1, 8, 1), (4, 12, 2), (4, 16, 1)), 48, clip=None),
    "features": FeatureSpec(48, 2),
}

# That of TensorFlow's MobileNets. A larger one keeps channels without signal from getting huge folded weights.
BATCH_NORM_EPSILON = 1e-3


class Residual(nn.Module):
    """x + body(x)."""

    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        return x + self.body(x)


def conv_unit(spec, c_in, c_out, kernel, stride=1, groups=1, batch_norm=True, clip=True):
    padding = kernel // 2 if kernel % 2 else 0
    conv = nn.Conv2d(c_in, c_out, kernel, stride, padding, groups=groups, bias=not batch_norm)
    layers = OrderedDict(conv=conv)
    if batch_norm:
        layers["bn"] = nn.BatchNorm2d(c_out, BATCH_NORM_EPSILON)
    if clip:
        layers["clip"] = nn.Hardtanh(*spec.clip) if spec.clip else nn.ReLU()
    return nn.Sequential(layers)


def inverted_residual(spec, c_in, expansion, c_out, stride, first):
    hidden = c_in * expansion
    layers = OrderedDict()
    if expansion > 1:
        layers["expand"] = conv_unit(spec, c_in, hidden, 1)
    layers["depthwise"] = conv_unit(
        spec, hidden, hidden, 3, stride, groups=hidden, batch_norm=not (first and spec.plain_stem)
    )
    layers["project"] = conv_unit(spec, hidden, c_out, 1, clip=False)
    body = nn.Sequential(layers)
    return Residual(body) if stride == 1 and c_in == c_out else body


def build_mobile_net(spec):
    layers = OrderedDict()
    layers["stem"] = conv_unit(
        spec, spec.in_channels, spec.stem_channels, spec.stem_kernel, spec.stem_stride, batch_norm=not spec.plain_stem
    )
    channels = spec.stem_channels
    for index, (expansion, c_out, stride) in enumerate(spec.blocks, start=1):
        layers[f"block{index}"] = inverted_residual(spec, channels, expansion, c_out, stride, first=index == 1)
        channels = c_out
    layers["head"] = conv_unit(spec, channels, spec.head_channels, 1)
    layers["pool"] = nn.AdaptiveAvgPool2d(1)
    layers["flatten"] = nn.Flatten()
    layers["classifier"] = nn.Linear(spec.head_channels, spec.classes)
    return nn.Sequential(layers)


def build_feature_net(spec):
    """Takes features in their own units: the first layer standardizes them while it is trained."""
    layers = OrderedDict(standardize=nn.BatchNorm1d(FEATURES, affine=False))
    width = FEATURES
    for index in range(1, spec.hidden + 1):
        layers[f"dense{index}"] = nn.Linear(width, spec.width)
        layers[f"relu{index}"] = nn.ReLU()
        width = spec.width
    layers["classifier"] = nn.Linear(width, spec.classes)
    return nn.Sequential(layers)


def fold_standardization(net):
    """The same function of a feature net without its first layer: w' = w / deviation, b' = b - w' mean."""
    layers = OrderedDict(net.named_children())
    standardize = layers.pop("standardize")
    with torch.no_grad():
        dense = layers["dense1"]
        dense.weight /= torch.sqrt(standardize.running_var + standardize.eps)
        dense.bias -= dense.weight @ standardize.running_mean
    return nn.Sequential(layers)
