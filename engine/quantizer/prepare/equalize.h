// SPDX-License-Identifier: Apache-2.0
// Cross-layer equalization (quantizer.equalize; Nagel et al., 2019): the ranges of a layer's channels are evened out by
// moving a factor per channel into the next layer, where only nodes that commute with it lie between the two.
//
//   s[c] = sqrt(r1[c] / r2[c]), r1 = max |w1| of output channel c, r2 = max |w2| of input channel c
//   w1[c] := w1[c] / s[c], b1[c] := b1[c] / s[c], w2[c] := w2[c] * s[c]
//
// s[c] = 1 where r1 or r2 is 0. No bias is raised above the largest bias of its layer: s[c] >= |b1[c]| / max |b1|, so
// that a channel which is nothing but its bias does not widen the range of the activation. Repeated over all pairs
// until no s leaves [1 / 1.001, 1.001], at most 20 times: a layer between two others is in two pairs.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/quantizer/options.h"

namespace assay::quantizer {

// Equalizes what it can; a pair with a node that is not quantized, or with an override on one of its tensors, is left.
// Returns a line for each pair. The graph is sorted.
Result<std::vector<std::string>> equalize(Graph& graph, const Options& options);

}  // namespace assay::quantizer
