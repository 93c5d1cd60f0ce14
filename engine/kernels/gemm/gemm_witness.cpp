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
};

Risks find_risks(const WitnessArgs& args) {
  Risks risks;
  for (Index p = 0; p < args.k / 2; ++p) {
    const std::size_t begin = risks.first.size();
    for (Index j = 0; j < args.n; ++j) {
      const std::int8_t* b = args.b + 2 * p * args.k_stride_bytes + j * args.n_stride_bytes;
      const std::int8_t b0 = *b;
      const std::int8_t b1 = b[args.k_stride_bytes];
      const int positive = std::max<int>(b0, 0) + std::max<int>(b1, 0);
      const int negative = std::min<int>(b0, 0) + std::min<int>(b1, 0);
      if (positive > kHarmless || negative < -kHarmless) {
        risks.first.push_back(b0);
        risks.second.push_back(b1);
      }
    }
    if (risks.first.size() > begin) {
      risks.pairs.push_back({p, begin, risks.first.size()});
    }
  }
  return risks;
}

}  // namespace

PairStatistics count_saturated_pairs(const WitnessArgs& args) {
  PairStatistics statistics;
  statistics.pairs =
      static_cast<std::uint64_t>(args.m) * static_cast<std::uint64_t>(args.n) * static_cast<std::uint64_t>(args.k / 2);
  const Risks risks = find_risks(args);
  const std::int16_t* first = risks.first.data();
  const std::int16_t* second = risks.second.data();
  std::int32_t largest = 0;
  for (Index i = 0; i < args.m; ++i) {
    const std::uint8_t* a = args.a + i * args.a_stride_bytes;
    for (const Risk& risk : risks.pairs) {
      const std::int16_t a0 = a[2 * risk.p];
      const std::int16_t a1 = a[2 * risk.p + 1];
      std::uint32_t saturated = 0;
      for (std::size_t r = risk.begin; r < risk.end; ++r) {
        const std::int32_t sum = a0 * first[r] + a1 * second[r];
        const std::int32_t above = sum > kMax ? sum - kMax : 0;
        const std::int32_t loss = sum < kMin ? kMin - sum : above;
        saturated += loss > 0 ? 1U : 0U;
        largest = loss > largest ? loss : largest;
      }
      statistics.saturated += saturated;
    }
  }
  statistics.largest_loss = largest;
  return statistics;
}

}  // namespace assay::kernels
