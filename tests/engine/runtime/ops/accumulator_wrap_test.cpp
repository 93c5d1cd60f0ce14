// SPDX-License-Identifier: Apache-2.0
// Accumulators are int32 and wrap: every operator that sums, with sums and biases beyond int32, in every profile. A
// kernel that saturated or summed wider would give the other end of the range.
#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/runtime/ops/run_node.h"

namespace assay::test {
namespace {

constexpr Index kLength = 33100;                // 255 * 255 * 33100 = 2152327500
constexpr std::int32_t kWrapped = -2142639796;  // modulo 2^32
constexpr float kScale = 1.0F / (1 << 24);      // the wrapped sum becomes -128, the true one 128
constexpr std::int32_t kLargest = std::numeric_limits<std::int32_t>::max();

Tensor bytes_of(const Shape& shape, std::uint8_t value) {
  return Tensor::from(shape, std::vector<std::uint8_t>(static_cast<std::size_t>(element_count(shape).value()), value));
}
Tensor scale(float value) { return Tensor::scalar(value); }
Tensor zero_point(std::uint8_t value) { return Tensor::scalar(value); }

template <typename T>
void expect_everywhere(const NodeRun& node, T expected) {
  for (const Setting& setting : all_settings()) {
    const auto outcome = run_node(node, setting);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    for (const T value : outcome.value().outputs[0].data<T>()) {
      ASSERT_EQ(value, expected) << node.op_type << ", " << setting_text(setting);
    }
  }
}

TEST(AccumulatorWrap, MatMulInteger) {
  expect_everywhere<std::int32_t>(
      {.op_type = "MatMulInteger", .inputs = {bytes_of({2, kLength}, 255), bytes_of({kLength, 3}, 255)}}, kWrapped);
}

// Raw sums of 255 * 255 wrap, but what is left after the zero points fits: 100 * 3 * 33100.
TEST(AccumulatorWrap, LeavesNoTraceWhereTheCorrectedSumFits) {
  expect_everywhere<std::int32_t>(
      {.op_type = "MatMulInteger",
       .inputs = {bytes_of({2, kLength}, 255), bytes_of({kLength, 3}, 255), zero_point(155), zero_point(252)}},
      100 * 3 * 33100);
}

TEST(AccumulatorWrap, QLinearMatMul) {
  expect_everywhere<std::uint8_t>(
      {.op_type = "QLinearMatMul",
       .inputs = {bytes_of({2, kLength}, 255), scale(kScale), zero_point(0), bytes_of({kLength, 3}, 255), scale(1),
                  zero_point(0), scale(1), zero_point(128)}},
      0);
}

TEST(AccumulatorWrap, ConvInteger) {
  expect_everywhere<std::int32_t>(
      {.op_type = "ConvInteger", .inputs = {bytes_of({1, kLength, 1, 2}, 255), bytes_of({3, kLength, 1, 1}, 255)}},
      kWrapped);
}

NodeRun conv(const Tensor& x, const Tensor& w, Index group, const std::vector<Tensor>& bias) {
  NodeRun node{.op_type = "QLinearConv",
               .attributes = {{"group", group}},
               .inputs = {x, scale(kScale), zero_point(0), w, scale(1), zero_point(0), scale(1), zero_point(128)}};
  node.inputs.insert(node.inputs.end(), bias.begin(), bias.end());
  return node;
}

TEST(AccumulatorWrap, QLinearConv) {
  expect_everywhere<std::uint8_t>(conv(bytes_of({1, kLength, 1, 2}, 255), bytes_of({3, kLength, 1, 1}, 255), 1, {}), 0);
}

TEST(AccumulatorWrap, TheBiasOfAProductOfADepthwiseOneAndOfQGemm) {
  const Tensor bias = Tensor::from<std::int32_t>({3}, {kLargest, kLargest, kLargest});
  expect_everywhere<std::uint8_t>(conv(bytes_of({1, 2, 3, 3}, 255), bytes_of({3, 2, 1, 1}, 1), 1, {bias}), 0);
  expect_everywhere<std::uint8_t>(conv(bytes_of({1, 3, 3, 3}, 255), bytes_of({3, 1, 1, 1}, 1), 3, {bias}), 0);
  expect_everywhere<std::uint8_t>({.op_type = "QGemm",
                                   .domain = kMicrosoftDomain,
                                   .inputs = {bytes_of({2, 1}, 255), scale(kScale), zero_point(0), bytes_of({1, 3}, 1),
                                              scale(1), zero_point(0), bias, scale(1), zero_point(128)}},
                                  0);
}

// 255 * 8500000 wraps to -2127467296: a mean of -125 instead of 127.5 steps of 2.
TEST(AccumulatorWrap, QLinearGlobalAveragePool) {
  expect_everywhere<std::uint8_t>(
      {.op_type = "QLinearGlobalAveragePool",
       .domain = kMicrosoftDomain,
       .attributes = {{"channels_last", Index{0}}},
       .inputs = {bytes_of({1, 1, 8500, 1000}, 255), scale(1), zero_point(0), scale(2), zero_point(200)}},
      75);
}

}  // namespace
}  // namespace assay::test
