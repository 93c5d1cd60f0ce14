// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/dyadic_histogram.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace assay::quantizer {
namespace {

constexpr int kLeastExponent = -100;  // so that n / 2^k is a float32 whatever n
constexpr std::size_t kBlock = 1024;
// Counters of a bin: neighbours often are equal (zeros of a Relu), and an increment must not wait for the last.
constexpr std::size_t kCopies = 4;

// Least k with value < 2^k.
int exponent_above(float value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::max(exponent, kLeastExponent);
}

// bins[i] = floor(x * bins_per_unit) + offset, or floor(|x| * bins_per_unit), for values inside the range.
template <bool is_signed>
void find_bins(const float* values, std::size_t count, float bins_per_unit, std::int32_t offset, std::int32_t* bins) {
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (is_signed) {
      // A truncated negative is one too high unless it is whole.
      const float place = values[i] * bins_per_unit;
      const auto toward_zero = static_cast<std::int32_t>(place);
      bins[i] = toward_zero - (static_cast<float>(toward_zero) > place ? 1 : 0) + offset;
    } else {
      bins[i] = static_cast<std::int32_t>(std::fabs(values[i]) * bins_per_unit);
    }
  }
}

}  // namespace

DyadicHistogram::DyadicHistogram(bool is_signed, Index bins) : is_signed_(is_signed), exponent_(kLeastExponent) {
  counts_.resize(std::bit_ceil(std::max<std::size_t>(static_cast<std::size_t>(bins), 4)), 0);
}

float DyadicHistogram::width() const {
  return std::ldexp(is_signed_ ? 2.0F : 1.0F, exponent_) / static_cast<float>(counts_.size());
}

void DyadicHistogram::grow(int exponent) {
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
  const float bins_per_unit = 1 / width();
  const auto offset = static_cast<std::int32_t>(counts_.size() / 2);
  const auto find = is_signed_ ? find_bins<true> : find_bins<false>;
  std::array<std::int32_t, kBlock> bins{};
  std::vector<std::uint32_t> partial(counts_.size() * kCopies, 0);
  std::vector<float> finite;
  if (extremes.first_not_finite >= 0) {
    std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
                 [](float value) { return std::isfinite(value); });
    values = finite;
  }
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, values.size() - first);
    find(values.data() + first, count, bins_per_unit, offset, bins.data());
    for (std::size_t i = 0; i < count; ++i) {
      ++partial[static_cast<std::size_t>(bins[i]) * kCopies + i % kCopies];
    }
  }
  for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
    const std::uint32_t* copies = partial.data() + bin * kCopies;
    counts_[bin] += std::uint64_t{copies[0]} + copies[1] + copies[2] + copies[3];
  }
}

void DyadicHistogram::merge(const DyadicHistogram& other) {
  DyadicHistogram aligned = other;
  aligned.grow(exponent_);
  grow(aligned.exponent_);
  for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
    counts_[bin] += aligned.counts_[bin];
  }
}

Histogram DyadicHistogram::finish(const Scan& extremes) const {
  Histogram histogram{.edges = {}, .counts = counts_, .min = extremes.min, .max = extremes.max};
  const float first = is_signed_ ? -std::ldexp(1.0F, exponent_) : 0;
  for (std::size_t edge = 0; edge <= counts_.size(); ++edge) {
    histogram.edges.push_back(first + static_cast<float>(edge) * width());
  }
  return histogram;
}

}  // namespace assay::quantizer
