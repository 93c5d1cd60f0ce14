// SPDX-License-Identifier: Apache-2.0
// From the values of the samples to a range for each: one pass over the samples, or two for percentile, whose bins
// depend on all samples (the first pass finds the edges, the second counts).
//
// Whoever runs the samples may do so in any number of threads: each fills a SampleRecord (first pass) or a CountRecord
// (second pass) of its own. Samples are added in their order; counts in any. So the ranges do not depend on the
// threads. Nothing is kept of a sample but extremes, moments and counts.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/ir/tensor.h"
#include "engine/quantizer/calibration/dyadic_histogram.h"
#include "engine/quantizer/calibration/histogram.h"
#include "engine/quantizer/calibration/running_range.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/range_arithmetic.h"
#include "engine/quantizer/range_table.h"

namespace assay::quantizer {

// What one worker sees: the present sample's values, and the counts of all its samples where the method counts in one
// pass (entropy, mse). Types other than float32 are passed over.
class SampleRecord {
 public:
  explicit SampleRecord(const CalibrationOptions& options) : options_(options) {}

  // Before each sample.
  void begin_sample() { seen_.clear(); }
  void observe(const std::string& value, const Tensor& tensor);

 private:
  friend class RangeCollector;
  struct Seen {
    std::string value;
    Index rank = 0;
    Scan extremes;
    Moments moments;
    std::string fault;  // "element 17 is nan"
  };
  CalibrationOptions options_;
  std::vector<Seen> seen_;
  std::unordered_map<std::string, DyadicHistogram> counts_;
};

class RangeCollector;

// One worker's counts in the second pass. The collector must outlive it.
class CountRecord {
 public:
  explicit CountRecord(const RangeCollector& collector);
  void observe(Index sample, const std::string& value, const Tensor& tensor);

 private:
  friend class RangeCollector;
  const RangeCollector& collector_;
  std::vector<std::vector<std::uint64_t>> counts_;  // by value, by bin of the last stage
  CountScratch scratch_;
};

class RangeCollector {
 public:
  explicit RangeCollector(const CalibrationOptions& options);

  // First pass: the samples of all workers in their order, from 0.
  void add_sample(const SampleRecord& record);
  // After the last, with the records of all workers.
  void end_first_pass(std::span<const SampleRecord> records);
  Index samples() const { return samples_; }

  bool needs_second_pass() const { return options_.method == Calibration::kPercentile; }
  // Second pass, after the first.
  void add(const CountRecord& counts);

  // The result. `value` < value_count(). NaN and infinity do not enter a range; the first of them is the value's fault,
  // so that only values that are needed cause errors. `scheme`: how the value would be quantized (mse).
  std::size_t value_count() const { return values_.size(); }
  const std::string& name(std::size_t value) const { return values_[value].name; }
  ObservedValue observed(std::size_t value, const RangeScheme& scheme) const;

 private:
  friend class CountRecord;
  struct Value {
    std::string name;
    Index rank = 0;
    std::string fault;
    RunningRange running;
    HistogramLayout layout;
    std::vector<std::uint64_t> counts;  // in the bins of the layout
    DyadicHistogram dyadic;
  };
  Value& value_named(const std::string& name);
  void end_collection();
  Index collection_of(Index sample) const { return stride_ == kCollectAll ? 0 : sample / stride_; }
  ValueRange range_of(const Value& value, const RangeScheme& scheme) const;

  CalibrationOptions options_;
  Index stride_;
  Index samples_ = 0;
  Index collections_ = 0;      // that have ended
  std::vector<Value> values_;  // in the order in which they were first seen
  std::unordered_map<std::string, std::size_t> positions_;
};

// Errors (kInvalidArgument), each naming the axis, the rule and the value: shares, bins and constants out of their
// bounds, and fewer bins than entropy has levels.
Status check_calibration(const CalibrationOptions& options);

}  // namespace assay::quantizer
