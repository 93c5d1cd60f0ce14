// SPDX-License-Identifier: Apache-2.0
// Ranges that need no histogram: they are updated sample by sample and keep nothing else.
//
// minmax:         [min, max] over all samples
// moving_average: (a, b) of a collection = means, over its samples, of the sample's min and max; the first collection
//                 gives the range, each later one moves it: old + constant * (new - old). With all samples in one
//                 collection the constant has no part and the range is the mean.
// mean_sigma:     [mean - k sigma, mean + k sigma] cut to [min, max]; mean and population standard deviation of all
//                 elements, k = sigmas
// Symmetric ranges are [-m, m], m = max(|a|, |b|), of moving_average taken in each collection. All in double.
#pragma once

#include "engine/quantizer/calibration/scan.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/range_table.h"

namespace assay::quantizer {

// [-m, m], m the larger magnitude.
ValueRange symmetric_range(const ValueRange& range);

class RunningRange {
 public:
  // A sample of the current collection; one without finite elements changes nothing.
  void add_sample(const Scan& extremes, const Moments& moments);
  // After the last sample of each collection.
  void end_collection(const CalibrationOptions& options);

  // The range by options.method, which is one of the three above; [0, 0] if nothing was seen.
  ValueRange range(const CalibrationOptions& options) const;
  const Scan& extremes() const { return all_; }
  // Of the current collection.
  const Scan& collection() const { return collection_; }

 private:
  Scan all_;
  Scan collection_;
  Moments moments_;
  double sum_min_ = 0;
  double sum_max_ = 0;
  double samples_ = 0;  // in the current collection
  ValueRange average_;
  bool has_average_ = false;
};

}  // namespace assay::quantizer
