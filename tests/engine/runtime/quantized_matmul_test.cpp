// SPDX-License-Identifier: Apache-2.0
// What an operator keeps from run to run must never show: every run of one operator equals the run of a new one.
#include "engine/runtime/quantized_matmul.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "engine/runtime/plan.h"
#include "tests/engine/runtime/ops/run_operator.h"
#include "tests/support/random.h"

namespace assay {
namespace {

using test::Random;

Tensor bytes(DType dtype, const Shape& shape, Random& random) {
  Tensor out = Tensor::allocate(dtype, shape).value();
  for (Index i = 0; i < out.size(); ++i) {
    out.mutable_bytes()[i] = static_cast<std::byte>(random.integer(0, 255));
  }
  return out;
}

Tensor scale(float value) {
  Tensor out = Tensor::allocate(DType::kFloat32, {}).value();
  out.mutable_data<float>()[0] = value;
  return out;
}

// A node whose inputs are constants but for those in `computed`, which have no known type.
class Operator {
 public:
  Operator(const std::string& op_type, const std::vector<Tensor>& inputs, const std::vector<std::size_t>& computed,
           const Profile& profile = {best_isa(host_features()), Precision::kFast}) {
    graph_.opsets = {{"", 13}};
    Node node;
    node.op_type = op_type;
    node.outputs = {"y"};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::string name = "input" + std::to_string(i);
      node.inputs.push_back(name);
      graph_.initializers[name] = inputs[i];
    }
    for (const std::size_t i : computed) {
      graph_.initializers.erase("input" + std::to_string(i));
    }
    graph_.nodes.push_back(node);
    auto prepared = runtime::prepare_operator(
        {.graph = graph_, .node = graph_.nodes[0], .profile = profile, .features = host_features(), .threads = 1});
    EXPECT_TRUE(prepared.ok());
    operator_ = std::move(prepared.value());
  }

  Result<std::vector<Tensor>> run(const std::vector<Tensor>& inputs) {
    runtime::RunContext context{.inputs = inputs};
    return test::run_operator(*operator_, context);
  }
  runtime::SaturationInfo witness(const std::vector<Tensor>& inputs) {
    runtime::SaturationInfo info;
    runtime::RunContext context{.inputs = inputs, .witness = &info};
    EXPECT_TRUE(test::run_operator(*operator_, context).ok());
    return info;
  }

 private:
  Graph graph_;
  std::unique_ptr<runtime::Operator> operator_;
};

void expect_same(const Tensor& found, const Tensor& expected) {
  ASSERT_EQ(found.shape(), expected.shape());
  ASSERT_EQ(found.dtype(), expected.dtype());
  const auto size = static_cast<std::size_t>(expected.size()) * dtype_size_bytes(expected.dtype());
  EXPECT_EQ(std::memcmp(found.bytes(), expected.bytes(), size), 0);
}

// Runs `inputs` on `kept` and on a new operator.
void expect_equals_a_new_operator(Operator& kept, const std::string& op_type, const std::vector<Tensor>& inputs,
                                  const std::vector<std::size_t>& computed) {
  const auto expected = Operator(op_type, inputs, computed).run(inputs);
  const auto found = kept.run(inputs);
  ASSERT_TRUE(expected.ok());
  ASSERT_TRUE(found.ok());
  expect_same(found.value()[0], expected.value()[0]);
}

TEST(QuantizedMatmul, FollowsTheShapesOfA) {
  Random random(1);
  const Tensor b = bytes(DType::kInt8, {8, 5}, random);
  const Tensor a_zero = bytes(DType::kUint8, {}, random);
  const Tensor b_zero = bytes(DType::kInt8, {5}, random);
  Operator kept("MatMulInteger", {Tensor(), b, a_zero, b_zero}, {0});
  for (const Shape& shape : {Shape{3, 8}, Shape{3, 8}, Shape{7, 8}, Shape{2, 3, 8}, Shape{8}, Shape{3, 8}}) {
    expect_equals_a_new_operator(kept, "MatMulInteger", {bytes(DType::kUint8, shape, random), b, a_zero, b_zero}, {0});
  }
}

TEST(QuantizedMatmul, FollowsTheTypesAndParametersThatAreComputed) {
  Random random(2);
  const Tensor b = bytes(DType::kInt8, {8, 5}, random);
  const Tensor b_zero = bytes(DType::kInt8, {5}, random);
  const std::vector<std::size_t> computed = {0, 2, 3};
  Operator kept("MatMulInteger", {Tensor(), b, Tensor(), Tensor()}, computed);
  for (const DType dtype : {DType::kUint8, DType::kUint8, DType::kInt8, DType::kInt8, DType::kUint8}) {
    const std::vector<Tensor> inputs = {bytes(dtype, {3, 8}, random), b, bytes(dtype, {}, random),
                                        bytes(DType::kInt8, {5}, random)};
    expect_equals_a_new_operator(kept, "MatMulInteger", inputs, computed);
  }
}

TEST(QuantizedMatmul, FollowsAComputedB) {
  Random random(3);
  const Tensor zero = bytes(DType::kUint8, {}, random);
  const std::vector<std::size_t> computed = {0, 3};
  Operator kept("QLinearMatMul", {Tensor(), scale(0.5F), zero, Tensor(), scale(0.02F), zero, scale(20.F), zero},
                computed);
  for (const Shape& b_shape : {Shape{8, 5}, Shape{8, 5}, Shape{8, 6}, Shape{2, 8, 5}}) {
    const std::vector<Tensor> inputs = {bytes(DType::kUint8, {4, 8}, random),
                                        scale(0.5F),
                                        zero,
                                        bytes(DType::kUint8, b_shape, random),
                                        scale(0.02F),
                                        zero,
                                        scale(20.F),
                                        zero};
    expect_equals_a_new_operator(kept, "QLinearMatMul", inputs, computed);
  }
}

TEST(QuantizedMatmul, ARefusedRunLeavesNothingBehind) {
  Random random(4);
  const Tensor b = bytes(DType::kInt8, {8, 5}, random);
  const Tensor b_zero = bytes(DType::kInt8, {}, random);
  // One zero point per row of a 3-row A: fits no other shape.
  const Tensor a_zero = bytes(DType::kUint8, {3}, random);
  Operator kept("MatMulInteger", {Tensor(), b, a_zero, b_zero}, {0});
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(kept.run({bytes(DType::kUint8, {4, 8}, random), b, a_zero, b_zero}).ok());
    EXPECT_FALSE(kept.run({bytes(DType::kUint8, {4, 8}, random), b, a_zero, b_zero}).ok());
    expect_equals_a_new_operator(kept, "MatMulInteger", {bytes(DType::kUint8, {3, 8}, random), b, a_zero, b_zero}, {0});
  }
}

TEST(QuantizedMatmul, WitnessesTheWeightsOfTheRun) {
  Random random(5);
  const Profile saturating{Isa::kAvx2, Precision::kFast};
  const Tensor zero = bytes(DType::kUint8, {}, random);
  Tensor a = Tensor::allocate(DType::kUint8, {2, 4}).value();
  std::memset(a.mutable_bytes(), 255, 8);
  Tensor large = Tensor::allocate(DType::kInt8, {4, 3}).value();
  std::memset(large.mutable_bytes(), 127, 12);
  const Tensor small = Tensor::allocate(DType::kInt8, {4, 3}).value();  // zeros
  Operator computed("MatMulInteger", {Tensor(), Tensor(), zero}, {0, 1}, saturating);
  Operator constant("MatMulInteger", {Tensor(), large, zero}, {0}, saturating);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(constant.witness({a, large, zero}).saturated, 12U);
    EXPECT_EQ(computed.witness({a, large, zero}).saturated, 12U);
    const runtime::SaturationInfo none = computed.witness({a, small, zero});
    EXPECT_EQ(none.saturated, 0U);
    ASSERT_EQ(none.channels.size(), 3U);
    EXPECT_EQ(none.channels[2].weight_pairs, 2U);
    EXPECT_EQ(none.channels[2].weight_pairs_at_risk, 0U);
  }
}

// Of a stack only the first matrix can saturate: each matrix counts once, whatever it is multiplied with.
TEST(QuantizedMatmul, WitnessesEveryMatrixOfAStack) {
  Random random(6);
  const Profile saturating{Isa::kAvx2, Precision::kFast};
  const Tensor zero = bytes(DType::kUint8, {}, random);
  const Tensor b = Tensor::from<std::int8_t>({2, 2, 1}, {127, 127, 1, 1});
  for (const std::vector<std::size_t>& computed : {std::vector<std::size_t>{0}, {0, 1}}) {
    Operator matmul("MatMulInteger", {Tensor(), b, zero}, computed, saturating);
    for (const Shape& a_shape : {Shape{2, 3, 2}, Shape{3, 2}, Shape{4, 1, 3, 2}}) {
      Tensor a = Tensor::allocate(DType::kUint8, a_shape).value();
      std::memset(a.mutable_bytes(), 255, a.size_bytes());
      const runtime::SaturationInfo info = matmul.witness({a, b, zero});
      const std::uint64_t products = a_shape.size() == 4 ? 8 : 2;
      EXPECT_EQ(info.pairs, 3 * products);
      EXPECT_EQ(info.saturated, 3 * products / 2);
      EXPECT_EQ(info.largest_loss, 2 * 255 * 127 - 32767);
      ASSERT_EQ(info.channels.size(), 1U);
      EXPECT_EQ(info.channels[0].weight_pairs, 2U);
      EXPECT_EQ(info.channels[0].weight_pairs_at_risk, 1U);
      EXPECT_EQ(info.channels[0].largest_possible_loss, 2 * 255 * 127 - 32767);
    }
  }
}

// A profile's kernels are its own down to the last step, not the best of the host.
TEST(QuantizedMatmul, RequantizesWithTheKernelOfItsProfile) {
  Graph graph;
  graph.opsets = {{"", 13}};
  Node node;
  node.op_type = "QLinearMatMul";
  node.inputs.resize(8);
  graph.nodes.push_back(node);
  for (const Isa isa : all_isas()) {
    const Profile profile{isa, Precision::kFast};
    const runtime::QuantizedMatmul matmul({.graph = graph, .node = graph.nodes[0], .profile = profile}, {.b = 3});
    EXPECT_STREQ(matmul.requantize_kernel().name, kernels::choose_requantize(profile, CpuFeatures{}).name);
    const runtime::QuantizedMatmul native(
        {.graph = graph, .node = graph.nodes[0], .profile = profile, .features = host_features()}, {.b = 3});
    EXPECT_STREQ(native.requantize_kernel().name, kernels::choose_requantize(profile, host_features()).name)
        << isa_name(isa);
  }
}

}  // namespace
}  // namespace assay
