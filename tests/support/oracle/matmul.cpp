// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle/matmul.h"

#include <algorithm>
#include <cstdlib>

namespace assay::oracle {
namespace {

std::int64_t zero_point(const Integers& values, Index i) {
  if (values.empty()) {
    return 0;
  }
  return values.size() == 1 ? values[0] : values[static_cast<std::size_t>(i)];
}

Integers row(const MatmulArgs& args, Index i) {
  return {args.a.begin() + i * args.k, args.a.begin() + (i + 1) * args.k};
}

Integers column(const MatmulArgs& args, Index j) {
  Integers out;
  for (Index p = 0; p < args.k; ++p) {
    out.push_back(args.b[static_cast<std::size_t>(p * args.n + j)]);
  }
  return out;
}

}  // namespace

Integers matmul(const MatmulArgs& args) {
  Integers c;
  for (Index i = 0; i < args.m; ++i) {
    const Integers a = row(args, i);
    for (Index j = 0; j < args.n; ++j) {
      const Integers b = column(args, j);
      const std::int64_t za = zero_point(args.a_zero_points, i);
      const std::int64_t zb = zero_point(args.b_zero_points, j);
      std::int64_t sum = dot(a, b, args.arithmetic);
      for (std::size_t p = 0; p < a.size(); ++p) {
        sum += (a[p] - za) * (b[p] - zb) - std::int64_t{a[p]} * b[p];
      }
      c.push_back(wrap_to_int32(sum));
    }
  }
  return c;
}

PairCounts count_pairs(const MatmulArgs& args) {
  PairCounts counts;
  for (Index i = 0; i < args.m; ++i) {
    const Integers a = row(args, i);
    for (Index j = 0; j < args.n; ++j) {
      const Integers b = column(args, j);
      for (std::size_t p = 0; p + 1 < a.size(); p += 2) {
        const std::int64_t sum = std::int64_t{a[p]} * b[p] + std::int64_t{a[p + 1]} * b[p + 1];
        const std::int64_t loss = std::abs(sum - std::clamp<std::int64_t>(sum, -32768, 32767));
        ++counts.pairs;
        counts.saturated += loss > 0 ? 1U : 0U;
        counts.largest_loss = std::max(counts.largest_loss, loss);
      }
    }
  }
  return counts;
}

}  // namespace assay::oracle
