// SPDX-License-Identifier: Apache-2.0
// The saturation witness. A pair of s8 factors (b0, b1) can saturate only if its positive or its negative part adds up
// to more than 128: 255 * 128 = 32640 is below the limit of int16. Most columns hold few such pairs, so only these are
// multiplied, row by row.
#include <algorithm>
#include <vector>

#include "engine/kernels/gemm/gemm.h"

namespace assay::kernels {
namespace {

constexpr std::int32_t kMax = 32767;
constexpr std::int32_t kMin = -32768;
constexpr std::int32_t kHarmless = 128;

// The columns whose pair `p` can saturate: factors [begin, end).
struct Risk {
  Index p = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Risks {
  std::vector<Risk> pairs;
  std::vector<std::int16_t> first;
  std::vector<std::int16_t> second;
  std::vector<Index> column;
  // What was seen of each.
  std::vector<std::uint32_t> saturated;
  std::vector<std::int32_t> largest_loss;
};

int positive_sum(int b0, int b1) { return std::max(b0, 0) + std::max(b1, 0); }
int negative_sum(int b0, int b1) { return std::min(b0, 0) + std::min(b1, 0); }

bool is_at_risk(int b0, int b1) { return positive_sum(b0, b1) > kHarmless || negative_sum(b0, b1) < -kHarmless; }

Index loss_of(Index sum) { return sum < kMin ? kMin - sum : std::max<Index>(sum - kMax, 0); }

Risks find_risks(const WitnessArgs& args) {
  Risks risks;
  for (Index p = 0; p < args.k / 2; ++p) {
    const std::size_t begin = risks.first.size();
    for (Index j = 0; j < args.n; ++j) {
      const std::int8_t* b = args.b + 2 * p * args.k_stride_bytes + j * args.n_stride_bytes;
      const std::int8_t b0 = *b;
      const std::int8_t b1 = b[args.k_stride_bytes];
      if (is_at_risk(b0, b1)) {
        risks.first.push_back(b0);
        risks.second.push_back(b1);
        risks.column.push_back(j);
      }
    }
    if (risks.first.size() > begin) {
      risks.pairs.push_back({p, begin, risks.first.size()});
    }
  }
  risks.saturated.resize(risks.first.size());
  risks.largest_loss.resize(risks.first.size());
  return risks;
}

// Gives what was seen in this row.
PairStatistics count_row(const std::uint8_t* a, Risks& risks) {
  std::uint64_t row_saturated = 0;
  std::int32_t row_largest = 0;
  const std::int16_t* first = risks.first.data();
  const std::int16_t* second = risks.second.data();
  std::uint32_t* saturated = risks.saturated.data();
  std::int32_t* largest = risks.largest_loss.data();
  for (const Risk& risk : risks.pairs) {
    const std::int16_t a0 = a[2 * risk.p];
    const std::int16_t a1 = a[2 * risk.p + 1];
    std::uint32_t pair_saturated = 0;
    for (std::size_t r = risk.begin; r < risk.end; ++r) {
      const std::int32_t sum = a0 * first[r] + a1 * second[r];
      const std::int32_t above = sum > kMax ? sum - kMax : 0;
      const std::int32_t loss = sum < kMin ? kMin - sum : above;
      const std::uint32_t clipped = loss > 0 ? 1U : 0U;
      saturated[r] += clipped;
      pair_saturated += clipped;
      largest[r] = loss > largest[r] ? loss : largest[r];
      row_largest = loss > row_largest ? loss : row_largest;
    }
    row_saturated += pair_saturated;
  }
  return {.pairs = 0, .saturated = row_saturated, .largest_loss = row_largest};
}

// Adds what was seen of each pair at risk and begins anew.
void collect(Risks& risks, PairStatistics& total, std::span<PairStatistics> columns) {
  for (std::size_t r = 0; r < risks.first.size(); ++r) {
    const Index loss = risks.largest_loss[r];
    total.saturated += risks.saturated[r];
    total.largest_loss = std::max(total.largest_loss, loss);
    if (!columns.empty()) {
      PairStatistics& column = columns[static_cast<std::size_t>(risks.column[r])];
      column.saturated += risks.saturated[r];
      column.largest_loss = std::max(column.largest_loss, loss);
    }
    risks.saturated[r] = 0;
  }
}

}  // namespace

PairStatistics count_saturated_pairs(const WitnessArgs& args, const WitnessDetail& detail) {
  const auto pairs_of_one = static_cast<std::uint64_t>(args.k / 2);
  const std::uint64_t pairs_of_column = static_cast<std::uint64_t>(args.m) * pairs_of_one;
  PairStatistics total;
  total.pairs = pairs_of_column * static_cast<std::uint64_t>(args.n);
  for (PairStatistics& column : detail.columns) {
    column.pairs += pairs_of_column;
  }
  Risks risks = find_risks(args);
  constexpr Index kMostRows = Index{1} << 31U;  // what a 32-bit count holds
  for (Index i = 0; i < args.m; ++i) {
    const PairStatistics seen = count_row(args.a + i * args.a_stride_bytes, risks);
    if (!detail.rows.empty()) {
      PairStatistics& row = detail.rows[static_cast<std::size_t>(i)];
      row.pairs += pairs_of_one * static_cast<std::uint64_t>(args.n);
      row.saturated += seen.saturated;
      row.largest_loss = std::max(row.largest_loss, seen.largest_loss);
    }
    if ((i + 1) % kMostRows == 0) {
      collect(risks, total, detail.columns);
    }
  }
  collect(risks, total, detail.columns);
  return total;
}

PairBound bound_s8_weights(const std::int8_t* weights, Index k, Index stride_bytes) {
  PairBound bound;
  for (Index p = 0; p + 1 < k; p += 2) {
    const int b0 = weights[p * stride_bytes];
    const int b1 = weights[(p + 1) * stride_bytes];
    ++bound.pairs;
    bound.at_risk += is_at_risk(b0, b1) ? 1U : 0U;
    bound.largest_loss = std::max(
        {bound.largest_loss, loss_of(Index{255} * positive_sum(b0, b1)), loss_of(Index{255} * negative_sum(b0, b1))});
  }
  return bound;
}

PairBound bound_u8_weights(const std::uint8_t* weights, Index k, Index stride_bytes) {
  PairBound bound;
  for (Index p = 0; p + 1 < k; p += 2) {
    const Index sum = weights[p * stride_bytes] + weights[(p + 1) * stride_bytes];
    const Index loss = std::max(loss_of(-128 * sum), loss_of(127 * sum));
    ++bound.pairs;
    bound.at_risk += loss > 0 ? 1U : 0U;
    bound.largest_loss = std::max(bound.largest_loss, loss);
  }
  return bound;
}

}  // namespace assay::kernels
