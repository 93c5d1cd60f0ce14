// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/dyadic_histogram.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/kernels/observe/observe.h"

namespace assay::quantizer {
namespace {

constexpr int kLeastExponent = -100;  // so that n / 2^k is a float32 whatever n
constexpr std::size_t kBlock = 1024;
constexpr auto kCounters = static_cast<std::size_t>(kernels::kCountersPerBin);
constexpr auto kZeroCounters = static_cast<std::size_t>(kernels::kZeroCounters);

// Least k with value < 2^k.
int exponent_above(float value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::max(exponent, kLeastExponent);
}

}  // namespace

DyadicHistogram::DyadicHistogram(bool is_signed, Index bins) : is_signed_(is_signed), exponent_(kLeastExponent) {
  counts_.resize(std::bit_ceil(std::max<std::size_t>(static_cast<std::size_t>(bins), 4)), 0);
  recent_.resize(kZeroCounters + counts_.size() * kCounters, 0);
}

std::vector<std::uint64_t> DyadicHistogram::counts() const {
  std::vector<std::uint64_t> all = counts_;
  for (std::size_t counter = 0; counter < kZeroCounters; ++counter) {
    all[zero_bin()] += recent_[counter];
  }
  for (std::size_t bin = 0; bin < all.size(); ++bin) {
    for (std::size_t turn = 0; turn < kCounters; ++turn) {
      all[bin] += recent_[kZeroCounters + bin * kCounters + turn];
    }
  }
  return all;
}

void DyadicHistogram::settle() {
  if (recent_elements_ > 0) {
    counts_ = counts();
    std::fill(recent_.begin(), recent_.end(), 0);
    recent_elements_ = 0;
  }
}

float DyadicHistogram::width() const {
  return std::ldexp(is_signed_ ? 2.0F : 1.0F, exponent_) / static_cast<float>(counts_.size());
}

void DyadicHistogram::grow(int exponent) {
  if (exponent_ >= exponent) {
    return;
  }
  settle();
  if (std::all_of(counts_.begin(), counts_.end(), [](std::uint64_t count) { return count == 0; })) {
    exponent_ = exponent;
    return;
  }
  const std::size_t size = counts_.size();
  for (; exponent_ < exponent; ++exponent_) {
    std::vector<std::uint64_t> merged(size, 0);
    const std::size_t shift = is_signed_ ? size / 4 : 0;
    for (std::size_t bin = 0; bin < size; ++bin) {
      merged[bin / 2 + shift] += counts_[bin];
    }
    counts_ = std::move(merged);
  }
}

void DyadicHistogram::add(std::span<const float> values, const Scan& extremes) {
  if (!extremes.has_values()) {
    return;
  }
  grow(exponent_above(std::max(std::fabs(extremes.min), std::fabs(extremes.max))));
  if (extremes.first_not_finite < 0) {
    count(values);
    return;
  }
  std::vector<float> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](float value) { return std::isfinite(value); });
  count(finite);
}

void DyadicHistogram::count(std::span<const float> values) {
  const kernels::ObserveKernel& kernel = kernels::observe_kernel();
  const float bins_per_unit = 1 / width();
  std::array<std::int32_t, kBlock> counters;  // written before it is read
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const std::size_t size = std::min(kBlock, values.size() - first);
    if (recent_elements_ + size > std::numeric_limits<std::uint32_t>::max()) {
      settle();
    }
    recent_elements_ += size;
    kernel.find_counters({.x = values.data() + first,
                          .count = static_cast<Index>(size),
                          .is_signed = is_signed_,
                          .bins_per_unit = bins_per_unit,
                          .zero_bin = static_cast<std::int32_t>(zero_bin()),
                          .counters = counters.data()});
    std::uint32_t* recent = recent_.data();
    for (std::size_t i = 0; i < size; ++i) {
      ++recent[counters[i]];
    }
  }
}

void DyadicHistogram::merge(const DyadicHistogram& other) {
  DyadicHistogram aligned = other;
  aligned.grow(exponent_);
  grow(aligned.exponent_);
  const std::vector<std::uint64_t> others = aligned.counts();
  for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
    counts_[bin] += others[bin];
  }
}

Histogram DyadicHistogram::finish(const Scan& extremes) const {
  Histogram histogram{.edges = {}, .counts = counts(), .min = extremes.min, .max = extremes.max};
  const float first = is_signed_ ? -std::ldexp(1.0F, exponent_) : 0;
  for (std::size_t edge = 0; edge <= counts_.size(); ++edge) {
    histogram.edges.push_back(first + static_cast<float>(edge) * width());
  }
  return histogram;
}

}  // namespace assay::quantizer
