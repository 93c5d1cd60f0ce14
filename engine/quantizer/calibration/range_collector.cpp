// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/range_collector.h"

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

// Methods with formulas of their own count in one pass; percentile has the bins of the peer.
bool counts_in_one_pass(Calibration method) { return method == Calibration::kEntropy || method == Calibration::kMse; }

DyadicHistogram dyadic_for(const CalibrationOptions& options) {
  return {options.method == Calibration::kMse, counts_in_one_pass(options.method) ? options.bins : 0};
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

std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

Status check_between(const char* axis, double value, double low, double high) {
  if (value >= low && value <= high) {
    return {};
  }
  return invalid_argument(std::string("quantizer.") + axis + " must lie in [" + number_text(low) + ", " +
                          number_text(high) + "]; found " + number_text(value));
}

}  // namespace

void SampleRecord::observe(const std::string& value, const Tensor& tensor) {
  if (tensor.dtype() != DType::kFloat32) {
    return;
  }
  const auto elements = tensor.data<float>();
  Seen seen{.value = value,
            .rank = static_cast<Index>(tensor.rank()),
            .extremes = scan(elements),
            .moments = {},
            .fault = ""};
  if (options_.method == Calibration::kMeanSigma) {
    seen.moments = moments(elements);
  }
  if (counts_in_one_pass(options_.method)) {
    counts_.try_emplace(value, dyadic_for(options_)).first->second.add(elements, seen.extremes);
  }
  if (const Index at = seen.extremes.first_not_finite; at >= 0) {
    seen.fault = "element " + std::to_string(at) + " is " + not_finite_text(elements[static_cast<std::size_t>(at)]);
  }
  seen_.push_back(std::move(seen));
}

CountRecord::CountRecord(const RangeCollector& collector) : collector_(collector) {
  for (const RangeCollector::Value& value : collector.values_) {
    const auto& stages = value.layout.stages();
    counts_.emplace_back(stages.empty() ? 0 : static_cast<std::size_t>(stages.back().bins()), 0);
  }
}

void CountRecord::observe(Index sample, const std::string& value, const Tensor& tensor) {
  const auto found = collector_.positions_.find(value);
  if (tensor.dtype() != DType::kFloat32 || found == collector_.positions_.end()) {
    return;
  }
  const HistogramLayout& layout = collector_.values_[found->second].layout;
  if (layout.stages().empty()) {
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
                       .counts = {},
                       .dyadic = dyadic_for(options_)});
  }
  return values_[position->second];
}

void RangeCollector::add_sample(const SampleRecord& record) {
  for (const SampleRecord::Seen& seen : record.seen_) {
    Value& value = value_named(seen.value);
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
    if (needs_second_pass()) {
      value.layout.add_collection(collections_, value.running.collection());
    }
    value.running.end_collection(options_);
  }
  ++collections_;
}

void RangeCollector::end_first_pass(std::span<const SampleRecord> records) {
  for (const SampleRecord& record : records) {
    for (const auto& [name, counts] : record.counts_) {
      value_named(name).dyadic.merge(counts);
    }
  }
  if (stride_ == kCollectAll || samples_ % stride_ != 0) {
    end_collection();
  }
}

void RangeCollector::add(const CountRecord& counts) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
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
  if (options_.method == Calibration::kEntropy) {
    return entropy_range(value.dyadic.finish(extremes), options_.symmetric);
  }
  if (options_.method == Calibration::kMse) {
    RangeScheme own = scheme;
    own.symmetric = own.symmetric || options_.symmetric;
    return mse_range(value.dyadic.finish(extremes), own);
  }
  if (options_.method != Calibration::kPercentile) {
    return value.running.range(options_);
  }
  const Histogram histogram{
      .edges = value.layout.stages().back().edges, .counts = value.counts, .min = extremes.min, .max = extremes.max};
  return percentile_range(histogram, options_.percentile, options_.symmetric);
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
