// SPDX-License-Identifier: Apache-2.0
#include "engine/base/block_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "engine/base/aligned_buffer.h"

namespace assay {
namespace {

TEST(BlockPool, BlocksAreAlignedAndWhole) {
  for (const std::size_t size_bytes : {std::size_t{64}, std::size_t{1} << 18U, (std::size_t{5} << 20U) + 64}) {
    for (int round = 0; round < 3; ++round) {
      std::byte* block = take_block(size_bytes);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % kBlockAlignmentBytes, 0U);
      std::memset(block, 1, size_bytes);
      return_block(block, size_bytes);
    }
  }
}

TEST(BlockPool, BlocksInUseDiffer) {
  const std::size_t size_bytes = std::size_t{1} << 20U;
  std::byte* first = take_block(size_bytes);
  std::byte* second = take_block(size_bytes);
  EXPECT_NE(first, second);
  return_block(first, size_bytes);
  return_block(second, size_bytes);
}

// A block that comes back with old bytes must not show them where zeros were asked for.
TEST(BlockPool, ZeroedBuffersAreZeroed) {
  const std::size_t size_bytes = std::size_t{3} << 20U;
  for (int round = 0; round < 3; ++round) {
    AlignedBuffer buffer = AlignedBuffer::allocate(size_bytes).value();
    for (std::size_t i = 0; i < size_bytes; i += 4093) {
      ASSERT_EQ(buffer.data()[i], std::byte{0}) << i;
    }
    std::memset(buffer.data(), 0xFF, size_bytes);
  }
}

#if !defined(__SANITIZE_ADDRESS__)
// A smaller tensor takes the place of a larger one, and leaves it as large as it was.
TEST(BlockPool, ALargerBlockServes) {
  clear_block_pool();
  const std::size_t large = std::size_t{16} << 20U;
  std::byte* block = take_block(large);
  return_block(block, large);
  std::byte* small = take_block(large / 8 * 3);  // the block may serve more than was asked for
  EXPECT_EQ(small, block);
  return_block(small, large / 8 * 3);
  EXPECT_EQ(take_block(large), block);
  return_block(block, large);
  std::byte* far_smaller = take_block(large / 8);
  EXPECT_NE(far_smaller, block) << "would waste most of it";
  return_block(far_smaller, large / 8);
}
#endif

TEST(BlockPool, ImpossibleSizesAreRefused) {
  EXPECT_EQ(take_block(std::size_t{1} << 62U), nullptr);
  EXPECT_EQ(AlignedBuffer::allocate(SIZE_MAX).error().kind, ErrorKind::kResource);
}

}  // namespace
}  // namespace assay
