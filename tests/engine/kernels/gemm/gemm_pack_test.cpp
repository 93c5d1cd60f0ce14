// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/gemm/gemm_pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace assay::kernels {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

// B[p][j] = 10 * p + j + 1, row-major; n at most 9.
std::vector<std::uint8_t> numbered(Index n, Index k) {
  std::vector<std::uint8_t> b;
  for (Index p = 0; p < k; ++p) {
    for (Index j = 0; j < n; ++j) {
      b.push_back(static_cast<std::uint8_t>(10 * p + j + 1));
    }
  }
  return b;
}

PackArgs row_major(const std::vector<std::uint8_t>& b, Index n, Index k, void* packed) {
  return {.n = n, .k = k, .b = b.data(), .k_stride_bytes = n, .n_stride_bytes = 1, .packed = packed};
}

TEST(GemmPack, QuadsHoldFourConsecutiveKOfAColumn) {
  const auto b = numbered(9, 5);
  ASSERT_EQ(packed_bytes_quads<8>(9, 5), 2 * 2 * 8 * 4);
  std::vector<std::uint8_t> packed(128, 0xEE);
  pack_quads<8>(row_major(b, 9, 5, packed.data()));
  EXPECT_THAT(std::vector(packed.begin(), packed.begin() + 8), ElementsAreArray({1, 11, 21, 31, 2, 12, 22, 32}));
  EXPECT_THAT(std::vector(packed.begin() + 32, packed.begin() + 40), ElementsAreArray({41, 0, 0, 0, 42, 0, 0, 0}));
  EXPECT_THAT(std::vector(packed.begin() + 64, packed.begin() + 72), ElementsAreArray({9, 19, 29, 39, 0, 0, 0, 0}));
  EXPECT_THAT(std::vector(packed.begin() + 68, packed.begin() + 96), Each(0));
}

TEST(GemmPack, PairsHoldTwoConsecutiveK) {
  const auto b = numbered(9, 3);
  ASSERT_EQ(packed_bytes_pairs<8>(9, 3), 2 * 2 * 8 * 2);
  std::vector<std::uint8_t> packed(64, 0xEE);
  pack_pairs<8>(row_major(b, 9, 3, packed.data()));
  EXPECT_THAT(std::vector(packed.begin(), packed.begin() + 4), ElementsAreArray({1, 11, 2, 12}));
  EXPECT_THAT(std::vector(packed.begin() + 16, packed.begin() + 20), ElementsAreArray({21, 0, 22, 0}));
  EXPECT_THAT(std::vector(packed.begin() + 32, packed.begin() + 36), ElementsAreArray({9, 19, 0, 0}));
}

TEST(GemmPack, OctetsHoldEightConsecutiveK) {
  const auto b = numbered(9, 9);
  ASSERT_EQ(packed_bytes_octets<8>(9, 9), 2 * 2 * 8 * 8);
  std::vector<std::uint8_t> packed(256, 0xEE);
  pack_octets<8>(row_major(b, 9, 9, packed.data()));
  EXPECT_THAT(std::vector(packed.begin(), packed.begin() + 16),
              ElementsAreArray({1, 11, 21, 31, 41, 51, 61, 71, 2, 12, 22, 32, 42, 52, 62, 72}));
  EXPECT_THAT(std::vector(packed.begin() + 64, packed.begin() + 73), ElementsAreArray({81, 0, 0, 0, 0, 0, 0, 0, 82}));
  EXPECT_THAT(std::vector(packed.begin() + 128, packed.begin() + 136),
              ElementsAreArray({9, 19, 29, 39, 49, 59, 69, 79}));
  EXPECT_THAT(std::vector(packed.begin() + 136, packed.begin() + 192), Each(0));
}

TEST(GemmPack, DeepQuadsRoundKUpToATile) {
  const auto b = numbered(9, 5);
  ASSERT_EQ(packed_bytes_deep_quads(9, 5), 16 * 64);
  ASSERT_EQ(packed_bytes_deep_quads(17, 65), 2 * 16 * 128);
  std::vector<std::uint8_t> packed(16 * 64, 0xEE);
  pack_deep_quads(row_major(b, 9, 5, packed.data()));
  EXPECT_THAT(std::vector(packed.begin(), packed.begin() + 8), ElementsAreArray({1, 11, 21, 31, 2, 12, 22, 32}));
  EXPECT_THAT(std::vector(packed.begin() + 64, packed.begin() + 69), ElementsAreArray({41, 0, 0, 0, 42}));
  EXPECT_THAT(std::vector(packed.begin() + 128, packed.end()), Each(0));
}

TEST(GemmPack, StartsUndoTheFlip) {
  std::vector<std::uint8_t> b = {1, 0xFF, 2, 0xFE};  // columns of two: 1 + 2 and, as s8, -1 - 2
  const auto groups = static_cast<std::size_t>(packed_bytes_quads<8>(2, 2));
  ASSERT_EQ(packed_bytes_quads_with_starts<8>(2, 2), packed_bytes_quads<8>(2, 2) + 32);
  alignas(64) std::uint8_t packed[64];
  const auto* starts = reinterpret_cast<const std::int32_t*>(packed + groups);
  pack_quads_with_starts<8, ByteSign::kSigned, ByteSign::kSigned>(row_major(b, 2, 2, packed));
  EXPECT_THAT(std::vector(starts, starts + 8), ElementsAreArray({-384, 384, 0, 0, 0, 0, 0, 0}));
  pack_quads_with_starts<8, ByteSign::kUnsigned, ByteSign::kUnsigned>(row_major(b, 2, 2, packed));
  EXPECT_THAT(std::vector(starts, starts + 8), ElementsAreArray({384, 65152, 0, 0, 0, 0, 0, 0}));
  pack_quads_with_starts<8, ByteSign::kUnsigned, ByteSign::kSigned>(row_major(b, 2, 2, packed));
  EXPECT_THAT(std::vector(starts, starts + 8), ElementsAreArray({384, -384, 0, 0, 0, 0, 0, 0}));
  pack_quads_with_starts<8, ByteSign::kSigned, ByteSign::kUnsigned>(row_major(b, 2, 2, packed));
  EXPECT_THAT(std::vector(starts, starts + 8), ElementsAreArray({-384, -65152, 0, 0, 0, 0, 0, 0}));
}

TEST(GemmPack, ColumnsAndSplitHalvesArePaddedWithZeros) {
  const auto b = numbered(2, 3);
  ASSERT_EQ(packed_bytes_columns(2, 3), 4 * 8 * 2);
  std::vector<std::int16_t> packed(32, 0xEE);
  pack_columns<ByteSign::kUnsigned>(row_major(b, 2, 3, packed.data()));
  EXPECT_THAT(std::vector(packed.begin(), packed.begin() + 16),
              ElementsAreArray({1, 11, 21, 0, 0, 0, 0, 0, 2, 12, 22, 0, 0, 0, 0, 0}));
  EXPECT_THAT(std::vector(packed.begin() + 16, packed.end()), Each(0));

  ASSERT_EQ(packed_bytes_split(2, 3), 4 * 2 * 8 * 2);
  packed.assign(64, 0xEE);
  pack_split(row_major(b, 2, 3, packed.data()));
  EXPECT_THAT(std::vector(packed.begin(), packed.begin() + 16),
              ElementsAreArray({1, 21, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(packed[16], 2);
}

TEST(GemmPack, StridesDescribeEitherLayout) {
  const auto b = numbered(5, 7);
  std::vector<std::uint8_t> transposed;
  for (Index j = 0; j < 5; ++j) {
    for (Index p = 0; p < 7; ++p) {
      transposed.push_back(b[static_cast<std::size_t>(p * 5 + j)]);
    }
  }
  std::vector<std::uint8_t> from_rows(static_cast<std::size_t>(packed_bytes_quads<16>(5, 7)));
  std::vector<std::uint8_t> from_columns(from_rows.size());
  pack_quads<16>(row_major(b, 5, 7, from_rows.data()));
  pack_quads<16>({.n = 5,
                  .k = 7,
                  .b = transposed.data(),
                  .k_stride_bytes = 1,
                  .n_stride_bytes = 7,
                  .packed = from_columns.data()});
  EXPECT_EQ(from_rows, from_columns);
}

}  // namespace
}  // namespace assay::kernels
