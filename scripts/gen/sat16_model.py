# SPDX-License-Identifier: Apache-2.0
"""Post-training int8 quantization and emulation of the small ONNX networks (Conv, BatchNormalization, Clip, Add,
GlobalAveragePool, Flatten, Gemm), written for sat16_study.py and independent of every runtime.
"""

from dataclasses import dataclass, field

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper

from sat16_arith import ConvShape, exact_conv, is_depthwise, pair_saturation, requantize

F32 = np.float32


@dataclass(frozen=True)
class WeightScheme:
    """How weights become bytes."""

    name: str
    per_channel: bool = True
    signed: bool = True
    reduce_range: bool = False


@dataclass
class Layer:
    """One step of a network after BatchNormalization and Clip were merged into their convolution."""

    op: str
    name: str
    inputs: list
    output: str
    weights: np.ndarray = None
    bias: np.ndarray = None
    shape: ConvShape = None
    clip: tuple = None


@dataclass
class Run:
    """Result of one integer run: logits and, per layer, (saturated pairs, pairs)."""

    logits: np.ndarray
    pairs: dict = field(default_factory=dict)


def load_layers(path):
    """Reads a model as a list of Layer."""
    graph = onnx.load(str(path)).graph
    constants = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    layers = []
    for node in graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        output = node.output[0]
        if node.op_type == "BatchNormalization":
            _fold_batch_norm(layers[-1], node, constants, attributes["epsilon"])
        elif node.op_type == "Clip":
            _expect_follows(layers[-1], node)
            layers[-1].clip = tuple(float(constants[name]) for name in node.input[1:])
            layers[-1].output = output
        elif node.op_type in ("Conv", "Gemm"):
            layers.append(_contraction(node, constants, attributes))
        elif node.op_type in ("Add", "GlobalAveragePool", "Flatten"):
            layers.append(Layer(node.op_type, node.name, list(node.input), output))
        else:
            raise ValueError(f"{path}: node {node.name}: operator {node.op_type} is not known here")
    return layers


def _expect_follows(layer, node):
    if node.input[0] != layer.output or layer.op != "Conv" or layer.clip is not None:
        raise ValueError(f"node {node.name} does not follow a convolution")


def _contraction(node, constants, attributes):
    weights = constants[node.input[1]].astype(np.float64)
    bias = constants[node.input[2]].astype(np.float64) if len(node.input) > 2 else np.zeros(len(weights))
    if node.op_type == "Gemm":
        weights, shape = weights[:, :, None, None], ConvShape()
    else:
        shape = ConvShape(attributes["strides"][0], attributes["pads"][0], attributes["group"])
    return Layer(node.op_type, node.name, [node.input[0]], node.output[0], weights, bias, shape)


def _fold_batch_norm(layer, node, constants, epsilon):
    _expect_follows(layer, node)
    gamma, beta, mean, variance = (constants[name].astype(np.float64) for name in node.input[1:])
    factor = gamma / np.sqrt(variance + epsilon)
    layer.weights = layer.weights * factor[:, None, None, None]
    layer.bias = (layer.bias - mean) * factor + beta
    layer.output = node.output[0]


def run_float(layers, images, on_tensor=None):
    """Float logits; on_tensor(name, array) sees each tensor that will be quantized."""
    see = on_tensor or (lambda name, array: None)
    see("image", images)
    tensors = {"image": images}
    for layer in layers:
        x = tensors[layer.inputs[0]]
        if layer.op in ("Conv", "Gemm"):
            value = _float_contraction(layer, x)
        elif layer.op == "Add":
            value = x + tensors[layer.inputs[1]]
        else:
            value = x.mean((2, 3), keepdims=True, dtype=F32) if layer.op == "GlobalAveragePool" else x
        tensors[layer.output] = value
        see(layer.output, value)
    return tensors[layers[-1].output].reshape(len(images), -1)


def _float_contraction(layer, x):
    weights, bias = (torch.from_numpy(a.astype(F32)) for a in (layer.weights, layer.bias))
    y = F.conv2d(torch.from_numpy(x), weights, bias, layer.shape.stride, layer.shape.pad, 1, layer.shape.groups)
    return (y if layer.clip is None else y.clamp(*layer.clip)).numpy()


def calibrate(layers, images):
    """Min-max ranges with 0 inside, as asymmetric uint8 (scale, zero point) per tensor."""
    ranges = {}

    def observe(name, array):
        low, high = ranges.get(name, (0.0, 0.0))
        ranges[name] = (min(low, float(array.min())), max(high, float(array.max())))

    run_float(layers, images, observe)
    parameters = {}
    for name, (low, high) in ranges.items():
        scale = F32((high - low) / 255)
        parameters[name] = (scale, int(np.rint(-low / scale)))
    return parameters


def quantize_weights(weights, scheme):
    """Raw bytes as int64, scale and zero point (per output channel, or of length 1).

    Signed weights are symmetric in [-127,127], or [-64,64] with reduce_range; unsigned ones span min to max.
    """
    flat = weights.reshape(len(weights), -1) if scheme.per_channel else weights.reshape(1, -1)
    if scheme.signed:
        limit = 64 if scheme.reduce_range else 127
        scale, zero_point = np.abs(flat).max(1) / limit, np.zeros(len(flat), np.int64)
        low, high = -limit, limit
    else:
        bottom, top = np.minimum(flat.min(1), 0), np.maximum(flat.max(1), 0)
        low, high = 0, 127 if scheme.reduce_range else 255
        scale = (top - bottom) / high
        zero_point = np.rint(-bottom / np.where(scale > 0, scale, 1)).astype(np.int64)
    scale = np.where(scale > 0, scale, 1).astype(F32)
    column = (-1, 1, 1, 1)
    raw = np.clip(np.rint(weights / scale.reshape(column)) + zero_point.reshape(column), low, high)
    return raw.astype(np.int64), scale, zero_point


def quantize(x, scale, zero_point):
    return np.clip(np.rint(x / scale) + zero_point, 0, 255).astype(np.uint8)


def dequantize(q, scale, zero_point):
    return (q.astype(F32) - F32(zero_point)) * scale


def run_integer(layers, parameters, images, scheme, saturates=lambda layer: False, float_stem=False):
    """Runs the quantized network; saturates(layer) says whether that layer's pairs saturate.

    float_stem leaves the first convolution and its input unquantized.
    """
    run = Run(None)
    tensors = {"image": quantize(images, *parameters["image"])}
    for layer in layers:
        x, (x_scale, x_zero) = tensors[layer.inputs[0]], parameters[layer.inputs[0]]
        y_scale, y_zero = parameters[layer.output]
        if float_stem and layer is layers[0]:
            value = quantize(_float_contraction(layer, images), y_scale, y_zero)
        elif layer.op in ("Conv", "Gemm"):
            raw, w_scale, w_zero = quantize_weights(layer.weights, scheme)
            sums = exact_conv(x, x_zero, raw, w_zero.reshape(-1, 1, 1, 1), layer.shape)
            if scheme.signed and saturates(layer) and not is_depthwise(raw, layer.shape):
                correction, *run.pairs[layer.name] = pair_saturation(x, x_zero, raw, layer.shape)
                sums = sums + correction
            product = (x_scale * w_scale).astype(F32)
            value = requantize(sums, np.rint(layer.bias / product).astype(np.int64), product / y_scale, y_zero)
        elif layer.op == "Add":
            other = tensors[layer.inputs[1]]
            total = dequantize(x, x_scale, x_zero) + dequantize(other, *parameters[layer.inputs[1]])
            value = quantize(total, y_scale, y_zero)
        elif layer.op == "GlobalAveragePool":
            value = quantize(dequantize(x, x_scale, x_zero).mean((2, 3), keepdims=True, dtype=F32), y_scale, y_zero)
        else:
            value = x
        tensors[layer.output] = value
    run.logits = dequantize(tensors[layers[-1].output], *parameters[layers[-1].output]).reshape(len(images), -1)
    return run


def count_macs(layers, images):
    """Multiply-accumulates of one image."""
    sizes = {}
    run_float(layers, images[:1], lambda name, array: sizes.__setitem__(name, array[0].size))
    return sum(sizes[la.output] * la.weights[0].size for la in layers if la.weights is not None)
