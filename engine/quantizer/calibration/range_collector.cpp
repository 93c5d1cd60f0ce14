// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/range_collector.h"

#include <algorithm>
#include <cmath>

#include "engine/quantizer/calibration/entropy.h"
#include "engine/quantizer/calibration/mse.h"
#include "engine/quantizer/calibration/percentile.h"

namespace assay::quantizer {
namespace {

std::string not_finite_text(float value) {
  if (std::isnan(value)) {
    return "nan";
  }
  return value > 0 ? "inf" : "-inf";
}

// "" for no position.
std::string fault_text(std::span<const float> elements, Index at) {
  return at < 0 ? ""
                : "element " + std::to_string(at) + " is " + not_finite_text(elements[static_cast<std::size_t>(at)]);
}

// Methods with formulas of their own count in one pass; percentile has the bins of the peer.
bool counts_in_one_pass(Calibration method) { return method == Calibration::kEntropy || method == Calibration::kMse; }

DyadicHistogram dyadic_for(const CalibrationOptions& options) {
  return {options.method == Calibration::kMse, options.bins};
}

HistogramKind kind_of(const CalibrationOptions& options) {
  return options.symmetric ? HistogramKind::kMagnitude : HistogramKind::kSigned;
}

Index stride_of(const CalibrationOptions& options) {
  if (options.stride != kCollectAuto) {
    return options.stride;
  }
  return options.method == Calibration::kMovingAverage ? 1 : kCollectAll;
}

// The outermost elements say the range of percentile where one collection gives all bins.
bool keeps_tails(const CalibrationOptions& options) {
  return options.method == Calibration::kPercentile && stride_of(options) == kCollectAll;
}

// Values of so few elements a sample are kept whole, up to so many elements of a worker (1 MiB): the cut of percentile
// often falls between two of them, where only their counts say which.
constexpr std::size_t kFewElements = 1024;
constexpr std::size_t kKeptElements = std::size_t{1} << 18U;

std::vector<Tail> tails_for(const CalibrationOptions& options) {
  if (options.symmetric) {
    return {Tail(TailSide::kMagnitude)};
  }
  return {Tail(TailSide::kLargest), Tail(TailSide::kSmallest)};
}

std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

bool is_asked(const CalibrationOptions& options, const std::string& value) {
  return options.asked == nullptr || options.asked->contains(value);
}

bool has_histograms(Calibration method) { return counts_in_one_pass(method) || method == Calibration::kPercentile; }

Status check_between(const char* axis, double value, double low, double high) {
  if (value >= low && value <= high) {
    return {};
  }
  return invalid_argument(std::string("quantizer.") + axis + " must lie in [" + number_text(low) + ", " +
                          number_text(high) + "]; found " + number_text(value));
}

}  // namespace

SampleRecord::SampleRecord(const CalibrationOptions& options) : options_(options), room_(kKeptElements) {}

void SampleRecord::begin_sample() {
  seen_.clear();
  shown_again_ = 0;
}

std::size_t SampleRecord::position_of(const std::string& value) {
  const auto [position, added] = positions_.try_emplace(value, values_.size());
  if (added) {
    values_.push_back({.name = value, .had_fault = false, .asked = is_asked(options_, value), .kept = {}});
  }
  return position->second;
}

void SampleRecord::observe(const std::string& value, const Tensor& tensor) {
  if (tensor.dtype() != DType::kFloat32) {
    return;
  }
  const auto elements = tensor.data<float>();
  const std::size_t position = position_of(value);
  const bool asked = values_[position].asked;
  Seen seen{.value = position,
            .rank = static_cast<Index>(tensor.rank()),
            .extremes = scan(elements, asked && keeps_tails(options_) ? &blocks_ : nullptr),
            .moments = {},
            .fault = ""};
  if (options_.method == Calibration::kMeanSigma) {
    seen.moments = moments(elements);
  }
  if (asked) {
    keep(values_[position].kept, elements, seen.extremes);
  }
  seen.fault = fault_text(elements, seen.extremes.first_not_finite);
  seen_.push_back(std::move(seen));
}

bool SampleRecord::has_fault() const {
  return std::any_of(seen_.begin(), seen_.end(),
                     [&](const Seen& seen) { return !seen.fault.empty() && !values_[seen.value].had_fault; });
}

void SampleRecord::locate_fault(const std::string& value, const Tensor& tensor) {
  if (tensor.dtype() != DType::kFloat32 || shown_again_ == seen_.size()) {
    return;
  }
  Seen& seen = seen_[shown_again_++];
  if (values_[seen.value].name == value && !seen.fault.empty()) {
    const auto elements = tensor.data<float>();
    seen.fault = fault_text(elements, scan(elements).first_not_finite);
    values_[seen.value].had_fault = true;
  }
}

void SampleRecord::keep(Kept& kept, std::span<const float> elements, const Scan& extremes) {
  if (counts_in_one_pass(options_.method)) {
    if (!kept.counts) {
      kept.counts = dyadic_for(options_);
    }
    kept.counts->add(elements, extremes);
  } else if (keeps_tails(options_)) {
    keep_tails(kept, elements, extremes);
  }
}

void SampleRecord::keep_tails(Kept& kept, std::span<const float> elements, const Scan& extremes) {
  if (kept.tails.empty()) {
    kept.tails = tails_for(options_);
  }
  const Index capacity =
      percentile_tail_capacity(options_.percentile, options_.symmetric, static_cast<Index>(elements.size()));
  for (Tail& tail : kept.tails) {
    tail.add(elements, blocks_, capacity);
  }
  const auto is_finite = [](float element) { return std::isfinite(element); };
  const auto finite = extremes.first_not_finite < 0
                          ? elements.size()
                          : static_cast<std::size_t>(std::count_if(elements.begin(), elements.end(), is_finite));
  if (kept.all.size() == kept.elements && elements.size() <= kFewElements && finite <= room_) {
    std::copy_if(elements.begin(), elements.end(), std::back_inserter(kept.all), is_finite);
    room_ -= finite;
  } else if (!kept.all.empty()) {
    room_ += kept.all.size();
    kept.all = {};
  }
  kept.elements += finite;
}

CountRecord::CountRecord(const RangeCollector& collector) : collector_(collector) {
  for (const RangeCollector::Value& value : collector.values_) {
    counts_.emplace_back(value.must_count ? static_cast<std::size_t>(value.layout.stages().back().bins()) : 0, 0);
  }
}

void CountRecord::observe(Index sample, const std::string& value, const Tensor& tensor) {
  const auto found = collector_.positions_.find(value);
  if (tensor.dtype() != DType::kFloat32 || found == collector_.positions_.end()) {
    return;
  }
  const HistogramLayout& layout = collector_.values_[found->second].layout;
  if (counts_[found->second].empty()) {
    return;
  }
  const LayoutStage& stage = layout.stage_of(collector_.collection_of(sample));
  const auto counts =
      std::span(counts_[found->second])
          .subspan(static_cast<std::size_t>(layout.shift(stage)), static_cast<std::size_t>(stage.bins()));
  count_values(tensor.data<float>(), stage, layout.kind(), scratch_, counts);
}

RangeCollector::RangeCollector(const CalibrationOptions& options) : options_(options), stride_(stride_of(options)) {}

RangeCollector::Value& RangeCollector::value_named(const std::string& name) {
  const auto [position, added] = positions_.try_emplace(name, values_.size());
  if (added) {
    values_.push_back({.name = name,
                       .rank = 0,
                       .fault = "",
                       .running = {},
                       .layout = HistogramLayout(kind_of(options_), options_.bins),
                       .kept = {},
                       .must_count = false,
                       .counts = {},
                       .percentile = std::nullopt});
  }
  return values_[position->second];
}

void RangeCollector::add_sample(const SampleRecord& record) {
  for (const SampleRecord::Seen& seen : record.seen_) {
    Value& value = value_named(record.values_[seen.value].name);
    value.rank = seen.rank;
    value.running.add_sample(seen.extremes, seen.moments);
    if (!seen.fault.empty() && value.fault.empty()) {
      value.fault = "sample " + std::to_string(samples_) + ": " + seen.fault;
    }
  }
  ++samples_;
  if (stride_ != kCollectAll && samples_ % stride_ == 0) {
    end_collection();
  }
}

void RangeCollector::end_collection() {
  for (Value& value : values_) {
    if (options_.method == Calibration::kPercentile) {
      value.layout.add_collection(collections_, value.running.collection());
    }
    value.running.end_collection(options_);
  }
  ++collections_;
}

void RangeCollector::end_first_pass(std::span<const SampleRecord> records) {
  for (const SampleRecord& record : records) {
    for (const SampleRecord::Value& value : record.values_) {
      merge(value_named(value.name), value.kept);
    }
  }
  if (stride_ == kCollectAll || samples_ % stride_ != 0) {
    end_collection();
  }
  if (options_.method == Calibration::kPercentile) {
    for (Value& value : values_) {
      find_percentile(value);
    }
  }
}

void RangeCollector::merge(Value& value, const SampleRecord::Kept& kept) {
  SampleRecord::Kept& sum = value.kept;
  sum.elements += kept.elements;
  sum.all.insert(sum.all.end(), kept.all.begin(), kept.all.end());
  if (kept.counts) {
    sum.counts ? sum.counts->merge(*kept.counts) : void(sum.counts = kept.counts);
  }
  if (sum.tails.empty()) {
    sum.tails = kept.tails;
    return;
  }
  for (std::size_t tail = 0; tail < kept.tails.size(); ++tail) {
    sum.tails[tail].merge(kept.tails[tail]);
  }
}

void RangeCollector::find_percentile(Value& value) const {
  if (value.layout.stages().empty() || !is_asked(options_, value.name)) {
    return;
  }
  value.percentile = percentile_of_kept(value);
  value.must_count = !value.percentile;
  value.kept = {};
}

std::optional<ValueRange> RangeCollector::percentile_of_kept(Value& value) const {
  std::vector<Tail>& tails = value.kept.tails;
  if (tails.empty()) {
    return std::nullopt;
  }
  for (Tail& tail : tails) {
    tail.sort();
  }
  const LayoutStage& stage = value.layout.stages().back();
  const std::optional<ValueRange> range = percentile_range({.largest = tails.data(),
                                                            .smallest = options_.symmetric ? nullptr : &tails[1],
                                                            .count = value.kept.elements,
                                                            .min = value.running.extremes().min,
                                                            .max = value.running.extremes().max},
                                                           stage.edges, options_.percentile, options_.symmetric);
  if (range || value.kept.all.size() != value.kept.elements) {
    return range;
  }
  CountScratch scratch;
  value.counts.assign(static_cast<std::size_t>(stage.bins()), 0);
  count_values(value.kept.all, stage, value.layout.kind(), scratch, value.counts);
  return percentile_of_counts(value);
}

ValueRange RangeCollector::percentile_of_counts(const Value& value) const {
  const Scan& extremes = value.running.extremes();
  const Histogram histogram{
      .edges = value.layout.stages().back().edges, .counts = value.counts, .min = extremes.min, .max = extremes.max};
  return percentile_range(histogram, options_.percentile, options_.symmetric);
}

bool RangeCollector::needs_second_pass() const {
  return std::any_of(values_.begin(), values_.end(), [](const Value& value) { return value.must_count; });
}

void RangeCollector::add(const CountRecord& counts) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!values_[i].must_count) {
      continue;
    }
    values_[i].counts.resize(counts.counts_[i].size());
    for (std::size_t bin = 0; bin < counts.counts_[i].size(); ++bin) {
      values_[i].counts[bin] += counts.counts_[i][bin];
    }
  }
}

ValueRange RangeCollector::range_of(const Value& value, const RangeScheme& scheme) const {
  const Scan& extremes = value.running.extremes();
  if (!extremes.has_values()) {
    return {};
  }
  if (has_histograms(options_.method) && !is_asked(options_, value.name)) {
    return {.min = static_cast<double>(extremes.min), .max = static_cast<double>(extremes.max)};
  }
  if (options_.method == Calibration::kEntropy) {
    return entropy_range(value.kept.counts->finish(extremes), options_.symmetric);
  }
  if (options_.method == Calibration::kMse) {
    RangeScheme own = scheme;
    own.symmetric = own.symmetric || options_.symmetric;
    return mse_range(value.kept.counts->finish(extremes), own);
  }
  if (options_.method != Calibration::kPercentile) {
    return value.running.range(options_);
  }
  return value.percentile ? *value.percentile : percentile_of_counts(value);
}

ObservedValue RangeCollector::observed(std::size_t value, const RangeScheme& scheme) const {
  const Value& found = values_[value];
  return {.range = range_of(found, scheme), .fault = found.fault, .rank = found.rank};
}

Status check_calibration(const CalibrationOptions& options) {
  constexpr double kMostBins = 1 << 24;
  ASSAY_TRY(check_between("percentile", options.percentile, 0, 100));
  ASSAY_TRY(check_between("moving_average_constant", options.moving_average_constant, 0, 1));
  ASSAY_TRY(check_between("sigmas", options.sigmas, 0, 1e6));
  ASSAY_TRY(check_between("bins", static_cast<double>(options.bins),
                          options.method == Calibration::kEntropy ? static_cast<double>(kEntropyLevels) : 2,
                          kMostBins));
  if (options.stride < kCollectAuto) {
    return invalid_argument("quantizer.calibration_stride must be a number of samples; found " +
                            std::to_string(options.stride));
  }
  return {};
}

}  // namespace assay::quantizer
