// SPDX-License-Identifier: Apache-2.0
// Element-wise loops that threads share give the bits of one thread, and reach every element.
#include "engine/runtime/ops/element_loop.h"

#include <atomic>

#include "tests/engine/runtime/ops/float_data.h"

namespace assay::test {
namespace {

TEST(ElementLoop, PiecesCoverEveryElementOnce) {
  for (const Index count : {Index{0}, Index{1}, runtime::kElementPiece, runtime::kElementPiece + 1, Index{200'003}}) {
    for (const int threads : {1, 2, 3}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      runtime::for_each_piece(count, threads, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i) {
          ++visits[static_cast<std::size_t>(i)];
        }
      });
      for (const std::atomic<int>& visit : visits) {
        ASSERT_EQ(visit.load(), 1) << count << " elements, " << threads << " threads";
      }
    }
  }
}

TEST(ElementLoop, ThreadsChangeNoBit) {
  Random random(71);
  SCOPED_TRACE("seed 71");
  const Tensor x = random_floats(random, {3, 5, 97, 89});
  const Tensor y = random_floats(random, {3, 5, 97, 89});
  const std::vector<NodeRun> runs = {
      {.op_type = "Relu", .inputs = {x}},
      {.op_type = "Exp", .inputs = {x}},
      {.op_type = "Sigmoid", .inputs = {x}},
      {.op_type = "Mul", .inputs = {x, y}},
      {.op_type = "Add", .inputs = {x, Tensor::scalar(0.3F)}},
      {.op_type = "Sub", .inputs = {Tensor::scalar(0.3F), x}},
      {.op_type = "Div", .inputs = {x, random_floats(random, {5, 1, 1})}},
      {.op_type = "Max", .inputs = {x, y, random_floats(random, {1, 89})}},
      {.op_type = "Less", .inputs = {x, y}},
  };
  for (const NodeRun& run : runs) {
    const Tensor expected = run_one(run);
    EXPECT_TRUE(bytes_equal(run_one(run, {.threads = 2}), expected)) << run.op_type;
    EXPECT_TRUE(bytes_equal(run_one(run, {.threads = 3}), expected)) << run.op_type;
  }
}

}  // namespace
}  // namespace assay::test
