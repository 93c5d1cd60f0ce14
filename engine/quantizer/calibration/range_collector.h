// SPDX-License-Identifier: Apache-2.0
// From the values of the samples to a range for each, in one pass over the samples. The bins of percentile depend on
// all samples; its range follows from the outermost elements, which are kept (tail.h). Where they do not say
// (percentile.h), and where the histogram grows from collection to collection, a second pass counts.
//
// Whoever runs the samples may do so in any number of threads: each fills a SampleRecord (first pass) or a CountRecord
// (second pass) of its own. Samples are added in their order; counts in any. So the ranges do not depend on the
// threads. Nothing is kept of a sample but extremes, moments and counts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/ir/tensor.h"
#include "engine/quantizer/calibration/dyadic_histogram.h"
#include "engine/quantizer/calibration/histogram.h"
#include "engine/quantizer/calibration/running_range.h"
#include "engine/quantizer/calibration/tail.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/range_arithmetic.h"
#include "engine/quantizer/range_table.h"

namespace assay::quantizer {

// What one worker sees: the present sample's values, and of all its samples what the method keeps: counts (entropy,
// mse) or outermost elements (percentile). Types other than float32 are passed over.
class SampleRecord {
 public:
  explicit SampleRecord(const CalibrationOptions& options);

  // Before each sample.
  void begin_sample();
  void observe(const std::string& value, const Tensor& tensor);

  // For elements that were shown in another order than the value's: whether a value of the present sample is not
  // finite of which that was not known; then all values of the sample are to be shown again, in their own order.
  bool has_fault() const;
  void locate_fault(const std::string& value, const Tensor& tensor);

 private:
  friend class RangeCollector;
  struct Kept {
    std::uint64_t elements = 0;  // finite
    std::optional<DyadicHistogram> counts;
    std::vector<Tail> tails;  // percentile: the largest, and the smallest unless symmetric
    // percentile: all finite elements of a value with few, as far as there is room.
    std::vector<float> all;
  };
  struct Value {
    std::string name;
    bool had_fault = false;  // in an earlier sample: the first counts
    bool asked = true;       // for more than its extremes
    Kept kept;
  };
  struct Seen {
    std::size_t value = 0;  // in values_
    Index rank = 0;
    Scan extremes;
    Moments moments;
    std::string fault;  // "element 17 is nan"
  };
  std::size_t position_of(const std::string& value);
  void keep(Kept& kept, std::span<const float> elements, const Scan& extremes);
  void keep_tails(Kept& kept, std::span<const float> elements, const Scan& extremes);

  CalibrationOptions options_;
  std::vector<Value> values_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::vector<Seen> seen_;
  std::size_t shown_again_ = 0;        // of seen_
  std::vector<BlockExtremes> blocks_;  // of the value at hand
  std::size_t room_;                   // for elements in Kept::all of all values
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
  std::vector<std::vector<std::uint64_t>> counts_;  // by value, by bin of the last stage; none where nothing counts
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

  // After the first pass: whether the range of a value needs counts.
  bool needs_second_pass() const;
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
    SampleRecord::Kept kept;
    bool must_count = false;  // in the bins of the layout
    std::vector<std::uint64_t> counts;
    std::optional<ValueRange> percentile;  // where it is known without counts
  };
  Value& value_named(const std::string& name);
  void end_collection();
  void merge(Value& value, const SampleRecord::Kept& kept);
  void find_percentile(Value& value) const;
  std::optional<ValueRange> percentile_of_kept(Value& value) const;
  ValueRange percentile_of_counts(const Value& value) const;
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
