// SPDX-License-Identifier: Apache-2.0
// The bins of a histogram, and how they grow from one collection of samples to the next.
//
// Edges are float32. A value x belongs to bin i if edges[i] <= x < edges[i + 1]; the last bin has its upper edge too.
// Even bins: edges[i] = f32(f32(i * step) + low), step = f32(f32(high - low) / bins), the last edge being `high`; a
// range of no width becomes [low - 0.5, high + 0.5]. numpy.histogram puts float32 values into the same bins.
//
// kSigned: values in [-t, t], t the largest magnitude of the first collection. A later collection with a larger one,
// t':
//   stride = 2 t / bins, k = floor((t' - t) / stride) + 1; k bins are added on each side, t becomes k stride + t (all
//   float32). Where t was 0 the bins are spread over [-t', t'] instead, and what was counted keeps its bins.
// kMagnitude: |x| in [min |x|, max |x|] of the first collection. A later collection beyond the last edge e adds
//   ceil((max + w - (e + w)) / w) edges e + w, e + 2 w, ..., w being the width of the first bin. Magnitudes below the
//   first edge count in the first bin (the peer drops them).
#pragma once

#include <vector>

#include "engine/base/dtype.h"
#include "engine/quantizer/calibration/scan.h"

namespace assay::quantizer {

enum class HistogramKind { kSigned, kMagnitude };

// The bins that hold from a collection on.
struct LayoutStage {
  Index first_collection = 0;
  std::vector<float> edges;  // bins + 1, ascending

  Index bins() const { return static_cast<Index>(edges.size()) - 1; }
};

class HistogramLayout {
 public:
  HistogramLayout(HistogramKind kind, Index bins) : kind_(kind), bins_(bins) {}

  // Takes the extremes of a collection, in ascending order; one without values leaves everything as it is.
  void add_collection(Index collection, const Scan& extremes);

  HistogramKind kind() const { return kind_; }
  // No stage: no collection had a value.
  const std::vector<LayoutStage>& stages() const { return stages_; }
  const LayoutStage& stage_of(Index collection) const;
  // What is added to the bin of a stage to have the bin of the last stage.
  Index shift(const LayoutStage& stage) const;

 private:
  void grow_signed(float largest);
  void grow_magnitude(float largest);

  HistogramKind kind_;
  Index bins_;
  std::vector<LayoutStage> stages_;
  float threshold_ = 0;  // kSigned: t
};

}  // namespace assay::quantizer
