// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/gemm/gemm_witness.h"

#include <algorithm>

namespace assay::kernels {
namespace {

constexpr std::int32_t kMax = 32767;
constexpr std::int32_t kMin = -32768;
constexpr std::int32_t kHarmless = 128;

// What was seen of each pair at risk.
struct Seen {
  std::vector<std::uint32_t> saturated;
  std::vector<std::int32_t> largest_loss;
};

int positive_sum(int b0, int b1) { return std::max(b0, 0) + std::max(b1, 0); }
int negative_sum(int b0, int b1) { return std::min(b0, 0) + std::min(b1, 0); }

bool is_at_risk(int b0, int b1) { return positive_sum(b0, b1) > kHarmless || negative_sum(b0, b1) < -kHarmless; }

Index loss_of(Index sum) { return sum < kMin ? kMin - sum : std::max<Index>(sum - kMax, 0); }

// Gives what was seen in this row.
PairStatistics count_row(const std::uint8_t* a, const PairRisks& risks, Seen& seen) {
  std::uint64_t row_saturated = 0;
  std::int32_t row_largest = 0;
  const std::int16_t* first = risks.first.data();
  const std::int16_t* second = risks.second.data();
  std::uint32_t* saturated = seen.saturated.data();
  std::int32_t* largest = seen.largest_loss.data();
  for (const PairRisk& risk : risks.pairs) {
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
void collect(const PairRisks& risks, Seen& seen, PairStatistics& total, std::span<PairStatistics> columns) {
  for (std::size_t r = 0; r < risks.first.size(); ++r) {
    const Index loss = seen.largest_loss[r];
    total.saturated += seen.saturated[r];
    total.largest_loss = std::max(total.largest_loss, loss);
    if (!columns.empty()) {
      PairStatistics& column = columns[static_cast<std::size_t>(risks.column[r])];
      column.saturated += seen.saturated[r];
      column.largest_loss = std::max(column.largest_loss, loss);
    }
    seen.saturated[r] = 0;
  }
}

}  // namespace

PairRisks find_pair_risks(const WitnessArgs& args) {
  PairRisks risks;
  risks.n = args.n;
  risks.k = args.k;
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
  return risks;
}

PairStatistics count_saturated_pairs(const WitnessRows& rows, const PairRisks& risks, const WitnessDetail& detail) {
  const auto pairs_of_one = static_cast<std::uint64_t>(risks.k / 2);
  const std::uint64_t pairs_of_column = static_cast<std::uint64_t>(rows.m) * pairs_of_one;
  PairStatistics total;
  total.pairs = pairs_of_column * static_cast<std::uint64_t>(risks.n);
  for (PairStatistics& column : detail.columns) {
    column.pairs += pairs_of_column;
  }
  Seen seen{.saturated = std::vector<std::uint32_t>(risks.first.size()),
            .largest_loss = std::vector<std::int32_t>(risks.first.size())};
  constexpr Index kMostRows = Index{1} << 31U;  // what a 32-bit count holds
  for (Index i = 0; i < rows.m; ++i) {
    const PairStatistics of_row = count_row(rows.a + i * rows.a_stride_bytes, risks, seen);
    if (!detail.rows.empty()) {
      PairStatistics& row = detail.rows[static_cast<std::size_t>(i)];
      row.pairs += pairs_of_one * static_cast<std::uint64_t>(risks.n);
      row.saturated += of_row.saturated;
      row.largest_loss = std::max(row.largest_loss, of_row.largest_loss);
    }
    if ((i + 1) % kMostRows == 0) {
      collect(risks, seen, total, detail.columns);
    }
  }
  collect(risks, seen, total, detail.columns);
  return total;
}

PairStatistics count_saturated_pairs(const WitnessArgs& args, const WitnessDetail& detail) {
  return count_saturated_pairs(WitnessRows{.m = args.m, .a = args.a, .a_stride_bytes = args.a_stride_bytes},
                               find_pair_risks(args), detail);
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
