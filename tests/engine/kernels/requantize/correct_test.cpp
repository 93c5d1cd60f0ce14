// SPDX-License-Identifier: Apache-2.0
// correct() and row_sums(): raw sums of bytes become products of shifted operands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "engine/kernels/requantize/requantize.h"
#include "tests/support/oracle/matmul.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

using oracle::Integers;

Integers random_integers(Index count, std::int64_t low, std::int64_t high, test::Random& random) {
  Integers out;
  for (Index i = 0; i < count; ++i) {
    out.push_back(static_cast<std::int32_t>(random.integer(low, high)));
  }
  return out;
}

Integers column_sums(const oracle::MatmulArgs& args) {
  Integers out(static_cast<std::size_t>(args.n), 0);
  for (std::size_t at = 0; at < args.b.size(); ++at) {
    out[at % out.size()] += args.b[at];
  }
  return out;
}

Integers row_sums_of(const oracle::MatmulArgs& args) {
  Integers out(static_cast<std::size_t>(args.m), 0);
  for (std::size_t at = 0; at < args.a.size(); ++at) {
    out[at / static_cast<std::size_t>(args.k)] += args.a[at];
  }
  return out;
}

oracle::MatmulArgs random_product(test::Random& random) {
  oracle::MatmulArgs args;
  args.m = random.integer(1, 9);
  args.n = random.integer(1, 20);
  args.k = random.integer(1, 30);
  args.a = random_integers(args.m * args.k, -128, 127, random);
  args.b = random_integers(args.k * args.n, 0, 255, random);
  args.b_zero_points = random_integers(args.n, 0, 255, random);
  return args;
}

TEST(Correct, ZeroPointsPerRowAndColumn) {
  for (int i = 0; i < 300; ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    oracle::MatmulArgs args = random_product(random);
    args.a_zero_points = random_integers(args.m, -128, 127, random);
    const Integers expected = oracle::matmul(args);
    oracle::MatmulArgs raw = args;
    raw.a_zero_points.clear();
    raw.b_zero_points.clear();
    const Integers acc = oracle::matmul(raw);
    const Integers no_offset(static_cast<std::size_t>(args.n), 0);
    const Integers rows = row_sums_of(args);
    const Integers columns = column_sums(args);
    Integers out(acc.size());
    correct({.rows = args.m,
             .columns = args.n,
             .acc = acc.data(),
             .acc_stride = args.n,
             .column_offset = no_offset.data(),
             .row_sum = rows.data(),
             .b_zero_point = args.b_zero_points.data(),
             .row_zero_point = args.a_zero_points.data(),
             .column_sum = columns.data(),
             .k = args.k,
             .out = out.data(),
             .out_row_stride = args.n});
    ASSERT_EQ(out, expected) << "case " << i;
  }
}

TEST(Correct, OneZeroPointInTheColumnOffsetAndATransposedResult) {
  for (int i = 0; i < 300; ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    oracle::MatmulArgs args = random_product(random);
    args.a_zero_points = random_integers(1, -128, 127, random);
    const Integers expected = oracle::matmul(args);
    oracle::MatmulArgs raw = args;
    raw.a_zero_points.clear();
    raw.b_zero_points.clear();
    const Integers acc = oracle::matmul(raw);
    const Integers rows = row_sums_of(args);
    Integers offset = column_sums(args);
    const std::int32_t za = args.a_zero_points[0];
    for (std::size_t j = 0; j < offset.size(); ++j) {
      offset[j] = static_cast<std::int32_t>(args.k) * za * args.b_zero_points[j] - za * offset[j];
    }
    Integers out(acc.size());
    correct({.rows = args.m,
             .columns = args.n,
             .acc = acc.data(),
             .acc_stride = args.n,
             .column_offset = offset.data(),
             .row_sum = rows.data(),
             .b_zero_point = args.b_zero_points.data(),
             .out = out.data(),
             .out_row_stride = 1,
             .out_column_stride = args.m});
    for (Index r = 0; r < args.m; ++r) {
      for (Index c = 0; c < args.n; ++c) {
        ASSERT_EQ(out[static_cast<std::size_t>(c * args.m + r)], expected[static_cast<std::size_t>(r * args.n + c)]);
      }
    }
  }
}

TEST(Correct, Wraps) {
  const std::int32_t acc = std::numeric_limits<std::int32_t>::max();
  const std::int32_t offset = 1;
  std::int32_t out = 0;
  correct({.rows = 1,
           .columns = 1,
           .acc = &acc,
           .acc_stride = 1,
           .column_offset = &offset,
           .out = &out,
           .out_row_stride = 1});
  EXPECT_EQ(out, std::numeric_limits<std::int32_t>::min());
}

TEST(RowSums, SignedAndUnsignedBytes) {
  const std::vector<std::uint8_t> a = {1, 2, 255, 77, 128, 128, 128, 77};
  std::vector<std::int32_t> out(2);
  row_sums({.rows = 2, .k = 3, .a = a.data(), .a_stride_bytes = 4, .a_signed = false, .out = out.data()});
  EXPECT_THAT(out, ::testing::ElementsAre(258, 384));
  row_sums({.rows = 2, .k = 3, .a = a.data(), .a_stride_bytes = 4, .a_signed = true, .out = out.data()});
  EXPECT_THAT(out, ::testing::ElementsAre(2, -384));
}

TEST(RowSums, LongRowsAreExact) {
  const std::vector<std::uint8_t> a(200001, 255);
  std::int32_t out = 0;
  row_sums({.rows = 1, .k = 200001, .a = a.data(), .a_stride_bytes = 200001, .a_signed = false, .out = &out});
  EXPECT_EQ(out, 200001 * 255);
  row_sums({.rows = 1, .k = 0, .a = a.data(), .a_stride_bytes = 0, .a_signed = false, .out = &out});
  EXPECT_EQ(out, 0);
}

}  // namespace
}  // namespace assay::kernels
