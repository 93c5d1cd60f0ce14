// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/runtime/ops/run_node.h"

namespace assay {
namespace {

using test::NodeRun;

TEST(DynamicQuantizeLinear, GivesValuesScaleAndZeroPoint) {
  const NodeRun run{
      .op_type = "DynamicQuantizeLinear", .inputs = {Tensor::from<float>({3}, {-1.0F, 0.0F, 1.55F})}, .outputs = 3};
  const auto outcome = test::run_node(run, {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  const float scale = 2.55F / 255;
  EXPECT_EQ(outcome.value().outputs[1].data<float>()[0], scale);
  EXPECT_EQ(outcome.value().outputs[2].to_indices(), (std::vector<Index>{100}));
  EXPECT_EQ(outcome.value().outputs[0].to_indices(), (std::vector<Index>{0, 100, 255}));
}

TEST(DynamicQuantizeLinear, NothingToQuantize) {
  const NodeRun run{
      .op_type = "DynamicQuantizeLinear", .inputs = {Tensor::allocate(DType::kFloat32, {0}).value()}, .outputs = 3};
  const auto outcome = test::run_node(run, {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome.value().outputs[1].data<float>()[0], 1.0F);
}

}  // namespace
}  // namespace assay
