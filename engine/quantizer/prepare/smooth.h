// SPDX-License-Identifier: Apache-2.0
// SmoothQuant (quantizer.smooth_quant; Xiao et al., 2023): what makes single channels of an activation large is moved
// into the weights of the MatMul and Gemm nodes that read it.
//
//   s[c] = max |x[c]|^alpha / max |w[c]|^(1 - alpha): x over the calibration data, w over all readers; 1 where either
//   is 0
//   x[c] := x[c] / s[c], w[c] := w[c] * s[c]
//
// x / s goes into what makes x (channel_links.h: LayerNormalization, Mul, a layer in front, through Relu), if all who
// read x are such nodes. A graph input is divided by a Mul that stays float. Any other x is left as it is: behind an
// activation that is quantized itself a division comes too late.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/quantizer/options.h"

namespace assay::quantizer {

// The values whose channels are to be measured, all along their last axis, with the number of these.
std::map<std::string, Index> smoothed_values(const Graph& graph, const Options& options);

struct Smoothing {
  std::vector<std::string> lines;        // what was done, for the report
  std::vector<std::string> float_nodes;  // new nodes that are not to be quantized
};

// `magnitudes`: max |x| of each channel of the values that smoothed_values() names. The graph is sorted and stays so.
Result<Smoothing> smooth(Graph& graph, const std::map<std::string, std::vector<double>>& magnitudes,
                         const Options& options);

}  // namespace assay::quantizer
