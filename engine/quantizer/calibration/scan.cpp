// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/scan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/kernels/observe/observe.h"

namespace assay::quantizer {
namespace {

// Independent chains, so that one addition need not wait for the last; a multiple of every vector length.
constexpr std::size_t kLanes = 16;
using DoubleLanes = std::array<double, kLanes>;

Scan scan_elements(std::span<const float> values) {
  Scan found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = values[i];
    if (!std::isfinite(value)) {
      found.first_not_finite = found.first_not_finite < 0 ? static_cast<Index>(i) : found.first_not_finite;
      continue;
    }
    found.min = std::min(found.min, value);
    found.max = std::max(found.max, value);
    found.least_magnitude = std::min(found.least_magnitude, std::fabs(value));
  }
  return found;
}

}  // namespace

void Scan::merge(const Scan& other) {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  least_magnitude = std::min(least_magnitude, other.least_magnitude);
}

Scan scan(std::span<const float> values, std::vector<BlockExtremes>* blocks) {
  const kernels::ObserveKernel& kernel = kernels::observe_kernel();
  Scan found;
  bool finite = true;
  if (blocks != nullptr) {
    blocks->clear();
  }
  for (std::size_t first = 0; first < values.size(); first += kScanBlock) {
    const std::size_t size = std::min(kScanBlock, values.size() - first);
    const kernels::FloatExtremes block = kernel.extremes(values.data() + first, static_cast<Index>(size));
    finite = finite && block.finite;
    found.merge({.min = block.min, .max = block.max, .least_magnitude = block.least_magnitude, .first_not_finite = -1});
    if (blocks != nullptr) {
      blocks->push_back({.min = block.min, .max = block.max});
    }
  }
  found = finite ? found : scan_elements(values);
  found.min += 0.0F;
  found.max += 0.0F;
  return found;
}

void Moments::merge(const Moments& other) {
  if (other.count == 0) {
    return;
  }
  const double total = count + other.count;
  const double step = other.mean - mean;
  mean += step * other.count / total;
  m2 += other.m2 + step * step * count * other.count / total;
  count = total;
}

Moments moments(std::span<const float> values) {
  // Deviations from an element of the data, so that a large mean does not swallow a small deviation.
  const auto first = std::find_if(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  if (first == values.end()) {
    return {};
  }
  const double shift = static_cast<double>(*first);
  DoubleLanes count{};
  DoubleLanes sum{};
  DoubleLanes squares{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t lane = i % kLanes;
    const bool finite = std::isfinite(values[i]);
    const double deviation = finite ? static_cast<double>(values[i]) - shift : 0;
    count[lane] += finite ? 1 : 0;
    sum[lane] += deviation;
    squares[lane] += deviation * deviation;
  }
  double n = 0;
  double total = 0;
  double total_squares = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    n += count[lane];
    total += sum[lane];
    total_squares += squares[lane];
  }
  return {.count = n, .mean = shift + total / n, .m2 = std::max(0.0, total_squares - total * total / n)};
}

}  // namespace assay::quantizer
