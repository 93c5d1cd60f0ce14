// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shared_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

namespace assay {
namespace {

TEST(SharedBuffer, CopiesShareTheBytes) {
  SharedBuffer first = SharedBuffer::allocate(100).value();
  ASSERT_NE(first.data(), nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % kAlignmentBytes, 0U);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(first.data()[i], std::byte{0});
  }
  const SharedBuffer second = first;
  EXPECT_EQ(second.data(), first.data());
  first = SharedBuffer();
  EXPECT_EQ(first.data(), nullptr);
  second.data()[99] = std::byte{7};  // still there: a sanitizer would say if not
  first = second;
  EXPECT_EQ(first.data()[99], std::byte{7});
  SharedBuffer& same = first;
  first = same;
  EXPECT_EQ(first.data(), second.data());
  const SharedBuffer moved = std::move(first);
  EXPECT_EQ(moved.data(), second.data());
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): stated
}

TEST(SharedBuffer, HoldsNoBytesAndRefusesTooMany) {
  EXPECT_TRUE(SharedBuffer::allocate(0).ok());
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t size : {kMost, kMost - 1, kMost - kAlignmentBytes, kMost / 2}) {
    EXPECT_FALSE(SharedBuffer::allocate_uninitialized(size).ok()) << size;
  }
}

TEST(SharedBuffer, IsCopiedByManyThreads) {
  const SharedBuffer whole = SharedBuffer::allocate(64).value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([copy = whole] {
      for (int i = 0; i < 20000; ++i) {
        const SharedBuffer another = copy;
        ASSERT_NE(another.data(), nullptr);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(whole.data()[63], std::byte{0});
}

}  // namespace
}  // namespace assay
