// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/conv_patches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/engine/runtime/conv_shape_of.h"
#include "tests/support/random.h"

namespace assay::runtime {
namespace {

TEST(ConvTasks, CoverEveryPositionOnceWhateverTheThreads) {
  for (const Index kernel : {1, 3}) {
    for (const Index channels : {1, 64, 2000}) {
      for (const int threads : {1, 2, 7}) {
        const ConvShape shape = test::shape_of(2, 1, channels, 31, 45, kernel);
        const ConvTasks tasks(shape, 64, threads);
        std::vector<int> seen(static_cast<std::size_t>(2 * shape.positions()), 0);
        for (Index task = 0; task < tasks.count(); ++task) {
          const OutputBlock block = tasks.at(task);
          EXPECT_LE(block.positions, tasks.most_positions());
          if (kernel > 1) {
            EXPECT_EQ(block.first_position, block.first_row * shape.window.w.output);
            EXPECT_EQ(block.positions, block.rows * shape.window.w.output);
          }
          for (Index i = 0; i < block.positions; ++i) {
            ++seen[static_cast<std::size_t>(block.sample * shape.positions() + block.first_position + i)];
          }
        }
        EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
      }
    }
  }
}

TEST(ConvTasks, GiveEveryThreadWork) {
  EXPECT_GE(ConvTasks(test::shape_of(1, 1, 64, 9, 9, 3), 64, 2).count(), 2);
  EXPECT_GE(ConvTasks(test::shape_of(1, 1, 64, 14, 14, 1), 64, 2).count(), 2);
}

TEST(ConvTasks, NoSamplesAreNoTasks) { EXPECT_EQ(ConvTasks(test::shape_of(0, 1, 3, 9, 9, 3), 64, 2).count(), 0); }

}  // namespace
}  // namespace assay::runtime
