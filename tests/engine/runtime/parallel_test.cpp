// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace assay::runtime {
namespace {

// Runs a loop and says of every task how often it was done.
std::vector<int> times_done(Index count, int threads) {
  std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
  std::vector<std::atomic<int>> busy(static_cast<std::size_t>(threads));
  for_each_task(count, threads, [&](Index task, int slot) {
    ASSERT_GE(slot, 0);
    ASSERT_LT(slot, threads);
    EXPECT_EQ(busy[static_cast<std::size_t>(slot)].fetch_add(1), 0) << "two workers in slot " << slot;
    ++done[static_cast<std::size_t>(task)];
    --busy[static_cast<std::size_t>(slot)];
  });
  return {done.begin(), done.end()};
}

TEST(ForEachTask, DoesEveryTaskOnceInASlotOfItsWorker) {
  for (const int threads : {1, 2, 3, 7, 2}) {
    for (const Index count : {0, 1, 2, 3, 50, 1000}) {
      EXPECT_EQ(times_done(count, threads), std::vector<int>(static_cast<std::size_t>(count), 1))
          << count << " tasks, " << threads << " threads";
    }
  }
}

TEST(ForEachTask, ServesSeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([caller] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(times_done(20, 1 + (caller + i) % 3), std::vector<int>(20, 1));
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
}

TEST(ForEachTask, HandsOnAnException) {
  EXPECT_THROW(for_each_task(10, 2, [](Index, int) { throw std::runtime_error("x"); }), std::runtime_error);
  EXPECT_EQ(times_done(10, 2), std::vector<int>(10, 1));
}

}  // namespace
}  // namespace assay::runtime
