// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace assay::quantizer {
namespace {

constexpr std::size_t kBlock = 1024;  // elements whose bins are guessed together
// Counters of a bin: neighbours often are equal (zeros of a Relu), and an increment must not wait for the last.
constexpr std::size_t kCopies = 4;
// Up to here a guess in float32 is wrong by one bin at most: by less than 8 * bins / 2^24 bins.
constexpr Index kGuessedBins = Index{1} << 16;

// The bin by its edges alone. `edges` has bins + 1 of them.
std::size_t search_bin(float value, std::span<const float> edges) {
  const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
  return static_cast<std::size_t>(above - edges.begin()) - 1;
}

void count_by_search(std::span<const float> values, const LayoutStage& stage, HistogramKind kind,
                     std::span<std::uint64_t> counts) {
  for (const float value : values) {
    if (std::isfinite(value)) {
      ++counts[search_bin(kind == HistogramKind::kMagnitude ? std::fabs(value) : value, stage.edges)];
    }
  }
}

struct GuessRule {
  float low = 0;
  float bins_per_unit = 0;
  float last_bin = 0;
};

template <bool magnitude>
void guess_bins(const float* values, std::size_t count, const GuessRule& rule, std::int32_t* guesses) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = magnitude ? std::fabs(values[i]) : values[i];
    float bin = (value - rule.low) * rule.bins_per_unit;
    bin = bin < rule.last_bin ? bin : rule.last_bin;  // also NaN
    bin = bin > 0 ? bin : 0;
    guesses[i] = static_cast<std::int32_t>(bin);
  }
}

template <bool magnitude>
void count_block(const float* values, std::size_t count, const CountScratch& scratch, std::uint32_t* partial) {
  const float* edges = scratch.edges.data();
  const std::int32_t* guesses = scratch.guesses.data();
  for (std::size_t i = 0; i < count; ++i) {
    const float value = magnitude ? std::fabs(values[i]) : values[i];
    std::int32_t bin = guesses[i];
    bin += value >= edges[bin + 1] ? 1 : 0;
    bin -= value < edges[bin] ? 1 : 0;
    ++partial[static_cast<std::size_t>(bin) * kCopies + i % kCopies];
  }
}

bool all_finite(const float* values, std::size_t count) {
  float taint = 0;
  std::array<float, 16> lanes{};
  std::size_t i = 0;
  for (; i + lanes.size() <= count; i += lanes.size()) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      lanes[lane] += values[i + lane] * 0.0F;
    }
  }
  for (; i < count; ++i) {
    taint += values[i] * 0.0F;
  }
  for (const float lane : lanes) {
    taint += lane;
  }
  return taint == 0;
}

}  // namespace

void count_values(std::span<const float> values, const LayoutStage& stage, HistogramKind kind, CountScratch& scratch,
                  std::span<std::uint64_t> counts) {
  const Index bins = stage.bins();
  const float width = stage.edges.back() - stage.edges.front();
  const float bins_per_unit = static_cast<float>(bins) / width;
  // Few values are searched at once; a width that float32 cannot divide by, too.
  if (bins > kGuessedBins || !std::isnormal(bins_per_unit) || values.size() < kBlock / 4) {
    count_by_search(values, stage, kind, counts);
    return;
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  scratch.edges = stage.edges;
  scratch.edges.front() = -kInfinity;
  scratch.edges.back() = kInfinity;
  scratch.guesses.resize(kBlock);
  scratch.partial.assign(static_cast<std::size_t>(bins) * kCopies, 0);
  const GuessRule rule{
      .low = stage.edges.front(), .bins_per_unit = bins_per_unit, .last_bin = static_cast<float>(bins - 1)};
  const auto guess = kind == HistogramKind::kMagnitude ? guess_bins<true> : guess_bins<false>;
  const auto count = kind == HistogramKind::kMagnitude ? count_block<true> : count_block<false>;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const float* block = values.data() + first;
    const std::size_t size = std::min(kBlock, values.size() - first);
    if (!all_finite(block, size)) {
      count_by_search({block, size}, stage, kind, counts);
      continue;
    }
    guess(block, size, rule, scratch.guesses.data());
    count(block, size, scratch, scratch.partial.data());
  }
  for (std::size_t bin = 0; bin < static_cast<std::size_t>(bins); ++bin) {
    const std::uint32_t* copies = scratch.partial.data() + bin * kCopies;
    counts[bin] += std::uint64_t{copies[0]} + copies[1] + copies[2] + copies[3];
  }
}

}  // namespace assay::quantizer
