// SPDX-License-Identifier: Apache-2.0
// The saturation witness in two steps, for a B that is multiplied many times: its pairs at risk are found once.
//
// A pair of s8 factors (b0, b1) can saturate only if its positive or its negative part adds up to more than 128:
// 255 * 128 = 32640 is below the limit of int16. Most columns hold few such pairs, so only these are multiplied.
#pragma once

#include <vector>

#include "engine/kernels/gemm/gemm.h"

namespace assay::kernels {

// The columns whose pair `p` can saturate: entries [begin, end) of PairRisks.
struct PairRisk {
  Index p = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The pairs at risk of a B of k x n.
struct PairRisks {
  Index n = 0;
  Index k = 0;
  std::vector<PairRisk> pairs;
  // One entry for every pair at risk.
  std::vector<std::int16_t> first;
  std::vector<std::int16_t> second;
  std::vector<Index> column;
};

// Of args.b; m and a are not read.
PairRisks find_pair_risks(const WitnessArgs& args);

struct WitnessRows {
  Index m = 0;
  const std::uint8_t* a = nullptr;  // m x risks.k
  Index a_stride_bytes = 0;
};
// count_saturated_pairs (gemm.h) of these rows and the B of `risks`.
PairStatistics count_saturated_pairs(const WitnessRows& rows, const PairRisks& risks, const WitnessDetail& detail = {});

}  // namespace assay::kernels
