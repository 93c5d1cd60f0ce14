// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>

#include "tests/engine/runtime/ops/quantized_data.h"
#include "tests/engine/runtime/ops/run_node.h"
#include "tests/support/oracle/requantize.h"

namespace assay {
namespace {

using test::NodeRun;
using test::Random;

Tensor run_one(const NodeRun& run) {
  const auto outcome = test::run_node(run, {.threads = 2});
  EXPECT_TRUE(outcome.ok()) << outcome.error().message;
  return outcome.value().outputs[0];
}

TEST(QuantizeLinear, RoundsTiesToEvenBeforeTheZeroPointIsAdded) {
  const NodeRun run{.op_type = "QuantizeLinear",
                    .inputs = {Tensor::from<float>({7}, {0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 300, -300}),
                               Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(1)}};
  EXPECT_EQ(run_one(run).to_indices(), (std::vector<Index>{1, 3, 3, 1, 0, 255, 0}));
}

TEST(QuantizeLinear, NanGivesTheSmallestValue) {
  const NodeRun run{.op_type = "QuantizeLinear",
                    .inputs = {Tensor::from<float>({1}, {std::numeric_limits<float>::quiet_NaN()}),
                               Tensor::scalar(1.0F), Tensor::scalar<std::int8_t>(5)}};
  EXPECT_EQ(run_one(run).to_indices(), (std::vector<Index>{-128}));
}

TEST(QuantizeLinear, TheZeroPointGivesTheType) {
  NodeRun run{.op_type = "QuantizeLinear", .inputs = {Tensor::scalar(70000.0F), Tensor::scalar(2.0F)}};
  EXPECT_EQ(run_one(run).dtype(), DType::kUint8);
  run.inputs.push_back(Tensor::scalar<std::int8_t>(0));
  EXPECT_EQ(run_one(run).to_indices(), (std::vector<Index>{127}));
  run.inputs[2] = Tensor::scalar<std::int16_t>(0);
  EXPECT_EQ(run_one(run).to_indices(), (std::vector<Index>{32767}));
  run.inputs[2] = Tensor::scalar<std::uint16_t>(10);
  EXPECT_EQ(run_one(run).to_indices(), (std::vector<Index>{35010}));
}

TEST(QuantizeLinear, OutputTypeAsAnAttribute) {
  NodeRun run{.op_type = "QuantizeLinear", .inputs = {Tensor::scalar(-70000.0F), Tensor::scalar(2.0F)}, .opset = 21};
  run.attributes["output_dtype"] = Index{5};
  EXPECT_EQ(run_one(run).dtype(), DType::kInt16);
  run.inputs.push_back(Tensor::scalar<std::int8_t>(0));
  EXPECT_THAT(test::refusal(run), testing::HasSubstr("output_dtype, int16; found int8"));
  run.attributes["output_dtype"] = Index{22};
  EXPECT_THAT(test::refusal(run), testing::HasSubstr("output_dtype, int4; found int8"));
  run.inputs.pop_back();
  EXPECT_EQ(run_one(run).dtype(), DType::kInt4);
  run.attributes["output_dtype"] = Index{6};
  EXPECT_THAT(test::refusal(run), testing::HasSubstr("found 6"));
}

// Long enough for threads to share the work.
TEST(QuantizeLinear, PerAxisEqualsTheNaiveFormula) {
  Random random(1);
  for (const Shape& shape : {Shape{2, 3, 5}, Shape{4, 3}, Shape{3, 3, 20000}, Shape{2, 3, 0}, Shape{1, 3}}) {
    const std::vector<float> scales = {0.1F, 2.0F, 0.033F};
    const oracle::Integers zero_points = {3, 128, 250};
    std::vector<float> x;
    for (Index i = 0; i < element_count(shape).value(); ++i) {
      x.push_back(random.normal(0, 20));
    }
    const NodeRun run{
        .op_type = "QuantizeLinear",
        .attributes = {{"axis", Index{1}}},
        .inputs = {Tensor::from(shape, x), Tensor::from(Shape{3}, scales), test::byte_tensor({3}, zero_points, false)}};
    const Index inner = shape.size() == 3 ? shape[2] : 1;
    std::vector<Index> expected;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t c = i / static_cast<std::size_t>(inner) % 3;
      expected.push_back(oracle::quantize(x[i], scales[c], {.zero_point = zero_points[c]}));
    }
    EXPECT_EQ(run_one(run).to_indices(), expected);
  }
}

TEST(QuantizeLinear, NamesTheOperandThatIsWrong) {
  using testing::HasSubstr;
  const Tensor x = Tensor::allocate(DType::kFloat32, {2, 4}).value();
  NodeRun run{.op_type = "QuantizeLinear", .inputs = {x, Tensor::from<float>({3}, {1, 1, 1})}};
  EXPECT_THAT(test::refusal(run), HasSubstr("scale has one element or [4], found float32[3]"));
  run.inputs[1] = Tensor::from<float>({2, 2}, {1, 1, 1, 1});
  EXPECT_THAT(test::refusal(run),
              HasSubstr("without block_size, scale has one element or one dimension; found scale [2,2]"));
  run.attributes["block_size"] = Index{4};
  EXPECT_THAT(test::refusal(run), HasSubstr("scale is float32 [2,1] for blocks of 4; found float32 [2,2]"));
  run.attributes.clear();
  run.inputs = {x, Tensor::scalar(1.0F), Tensor::scalar<std::int32_t>(0)};
  EXPECT_THAT(test::refusal(run), HasSubstr("y_zero_point is int4, uint4, int8, uint8, int16 or uint16; found int32"));
  run.inputs = {x, Tensor::from<float>({4}, {1, 1, 1, 1}), Tensor::scalar<std::int8_t>(0)};
  EXPECT_THAT(test::refusal(run), HasSubstr("zero_point has the shape of scale [4]; found []"));
  run.inputs = {x, Tensor::from<float>({4}, {1, 1, 1, 1})};
  run.attributes["axis"] = Index{2};
  EXPECT_THAT(test::refusal(run), HasSubstr("axis"));
  run.inputs = {Tensor::scalar<std::int32_t>(1), Tensor::scalar(1.0F)};
  EXPECT_THAT(test::refusal(run), HasSubstr("x is float32, found int32[]"));
}

Tensor small_integers(DType type, const Shape& shape, const std::vector<int>& values) {
  Tensor tensor = Tensor::allocate(type, shape).value();
  for (std::size_t i = 0; i < values.size(); ++i) {
    tensor.mutable_bytes()[i] = static_cast<std::byte>(values[i]);
  }
  return tensor;
}

TEST(QuantizeLinear, FourBitsSaturateAtTheirOwnEnds) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  NodeRun run{.op_type = "QuantizeLinear",
              .inputs = {Tensor::from<float>({8}, {0.5F, 1.5F, -2.5F, 6.5F, 100, -100, 1e30F, nan}),
                         Tensor::scalar(1.0F), small_integers(DType::kInt4, {}, {1})},
              .opset = 21};
  EXPECT_EQ(run_one(run).dtype(), DType::kInt4);
  EXPECT_EQ(run_one(run).to_indices(), (std::vector<Index>{1, 3, -1, 7, 7, -8, 7, -8}));
  run.inputs[2] = small_integers(DType::kUint4, {}, {8});
  EXPECT_EQ(run_one(run).to_indices(), (std::vector<Index>{8, 10, 6, 14, 15, 0, 15, 0}));
}

TEST(QuantizeLinear, BlocksHaveScalesOfTheirOwn) {
  NodeRun run{
      .op_type = "QuantizeLinear",
      .attributes = {{"axis", Index{-1}}, {"block_size", Index{2}}},
      .inputs = {Tensor::from<float>({2, 3}, {1, 2, 30, 400, 500, -6000}),
                 Tensor::from<float>({2, 2}, {1, 10, 100, 1000}), small_integers(DType::kInt4, {2, 2}, {1, 0, 0, -1})},
      .opset = 21};
  EXPECT_EQ(run_one(run).to_indices(), (std::vector<Index>{2, 3, 3, 4, 5, -7}));
  run.attributes["axis"] = Index{0};  // one block of two rows
  run.inputs[1] = Tensor::from<float>({1, 3}, {1, 100, 10});
  run.inputs[2] = Tensor::from<std::int16_t>({1, 3}, {0, 1, 2});
  EXPECT_EQ(run_one(run).to_indices(), (std::vector<Index>{1, 1, 5, 400, 6, -598}));
}

}  // namespace
}  // namespace assay
