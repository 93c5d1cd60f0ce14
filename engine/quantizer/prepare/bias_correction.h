// SPDX-License-Identifier: Apache-2.0
// Bias correction (quantizer.bias_correction; Nagel et al., 2019, empirical form): the mean error that quantization
// adds to each output channel of a Conv, ConvTranspose, Gemm or MatMul is taken out of its bias.
//
//   b[c] := b[c] - mean(y_q[c] - y[c]) over the calibration samples and all positions
//   y_q: the quantized node on the quantized input; y: the float node on the same input before its quantization
//
// Both see what the quantized layers in front make, so every layer's own share of the error is measured, and one pass
// over the samples serves all layers: for this the quantized graph gets the float node beside each quantized one.
// A Gemm's C becomes beta * C - error, and its beta 1. A node without a bias gets one; a MatMul's error goes into the
// constant that an Add behind it adds, and where there is none the node is left.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/quantizer/options.h"

namespace assay::quantizer {

struct BiasProbe {
  std::string node;       // in the float graph
  std::string quantized;  // values of the measuring graph: y_q and y
  std::string real;
  bool last_axis = false;  // the channels lie along the last axis instead of the second
};

struct BiasMeasurement {
  Graph graph;
  std::vector<BiasProbe> probes;
};

// `quantized`: what `graph` became in QDQ form. Probes are there for nodes whose weights are quantized float32
// constants and whose bias may be changed: it has no override.
Result<BiasMeasurement> measure_bias(const Graph& graph, const Graph& quantized, const Options& options);

// Takes error[c], the mean of y_q - y, out of the bias of the probe's node in the float graph.
Status correct_bias(Graph& graph, const BiasProbe& probe, const std::vector<double>& error);

}  // namespace assay::quantizer
