// SPDX-License-Identifier: Apache-2.0
// Counting: how many elements lie in each bin. Counts are integers, so that the order of samples and threads is no
// matter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/quantizer/calibration/histogram_layout.h"

namespace assay::quantizer {

// A finished histogram: counts[i] elements between edges[i] and edges[i + 1].
struct Histogram {
  std::vector<float> edges;
  std::vector<std::uint64_t> counts;
  float min = 0;  // of all elements, with their signs
  float max = 0;
};

// Scratch memory of one worker.
struct CountScratch {
  std::vector<std::int32_t> guesses;
  std::vector<std::uint32_t> partial;  // several counts a bin
  std::vector<float> edges;            // those of the stage, the outer ones at infinity
};

// Adds the elements, or their magnitudes, to `counts`, one for each bin of the stage. NaN and infinity are passed over;
// what lies outside the edges counts in the first or last bin.
void count_values(std::span<const float> values, const LayoutStage& stage, HistogramKind kind, CountScratch& scratch,
                  std::span<std::uint64_t> counts);

}  // namespace assay::quantizer
