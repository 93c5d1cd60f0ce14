// SPDX-License-Identifier: Apache-2.0
// MaxPool, AveragePool and GlobalAveragePool.
#include <algorithm>
#include <limits>

#include "tests/engine/runtime/ops/float_data.h"
#include "tests/support/oracle/float_reference.h"

namespace assay::test {
namespace {

using Ints = std::vector<Index>;
using oracle::ConvGeometry;

ConvGeometry random_geometry(Random& random) {
  ConvGeometry g;
  g.batch = random.integer(1, 2);
  g.channels = random.integer(1, 4);
  g.kernel_h = random.integer(1, 4);
  g.kernel_w = random.integer(1, 4);
  g.stride_h = random.integer(1, 3);
  g.stride_w = random.integer(1, 3);
  g.dilation_h = random.integer(1, 2);
  g.dilation_w = random.integer(1, 2);
  const Index span_h = (g.kernel_h - 1) * g.dilation_h + 1;
  const Index span_w = (g.kernel_w - 1) * g.dilation_w + 1;
  g.pad_top = random.integer(0, span_h - 1);
  g.pad_bottom = random.integer(0, span_h - 1);
  g.pad_left = random.integer(0, span_w - 1);
  g.pad_right = random.integer(0, span_w - 1);
  // At least one window; the image may be smaller than the kernel.
  g.height = random.integer(std::max<Index>(1, span_h - g.pad_top - g.pad_bottom), span_h + 7);
  g.width = random.integer(std::max<Index>(1, span_w - g.pad_left - g.pad_right), span_w + 7);
  return g;
}

AttributeMap attributes_of(const ConvGeometry& g) {
  return {{"kernel_shape", Ints{g.kernel_h, g.kernel_w}},
          {"strides", Ints{g.stride_h, g.stride_w}},
          {"dilations", Ints{g.dilation_h, g.dilation_w}},
          {"pads", Ints{g.pad_top, g.pad_left, g.pad_bottom, g.pad_right}}};
}

Shape output_shape(const ConvGeometry& g) { return {g.batch, g.channels, g.out_h(), g.out_w()}; }

TEST(MaxPool, AgreesWithTheReferenceOnRandomShapes) {
  Random random(6);
  for (int round = 0; round < 150; ++round) {
    const ConvGeometry g = random_geometry(random);
    const Tensor x = random_floats(random, {g.batch, g.channels, g.height, g.width});
    const Tensor y = run_one({.op_type = "MaxPool", .attributes = attributes_of(g), .inputs = {x}});
    expect_close(y, output_shape(g), oracle::float_max_pool(g, floats(x)), 0);
  }
}

TEST(AveragePool, AgreesWithTheReferenceOnRandomShapes) {
  Random random(7);
  for (int round = 0; round < 150; ++round) {
    const ConvGeometry g = random_geometry(random);
    const bool include_pad = random.chance(0.5);
    const Tensor x = random_floats(random, {g.batch, g.channels, g.height, g.width});
    AttributeMap attributes = attributes_of(g);
    attributes["count_include_pad"] = Index{include_pad};
    const Tensor y = run_one({.op_type = "AveragePool", .attributes = attributes, .inputs = {x}, .opset = 19});
    expect_close(y, output_shape(g), oracle::float_average_pool(g, floats(x), include_pad), 1e-6);
  }
}

// The same integers as floats give the same maxima; the padding never wins, not even against the lowest value.
template <typename T>
void expect_integer_pool(DType dtype) {
  Random random(8);
  for (int round = 0; round < 50; ++round) {
    const ConvGeometry g = random_geometry(random);
    const Shape shape = {g.batch, g.channels, g.height, g.width};
    Tensor x = Tensor::allocate(dtype, shape).value();
    Tensor x_float = Tensor::allocate(DType::kFloat32, shape).value();
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) {
      const auto value =
          static_cast<T>(random.integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::min() + 3));
      x.mutable_data<T>()[i] = value;
      x_float.mutable_data<float>()[i] = static_cast<float>(value);
    }
    const Tensor y = run_one({.op_type = "MaxPool", .attributes = attributes_of(g), .inputs = {x}});
    const Tensor y_float = run_one({.op_type = "MaxPool", .attributes = attributes_of(g), .inputs = {x_float}});
    ASSERT_EQ(y.dtype(), dtype);
    for (std::size_t i = 0; i < static_cast<std::size_t>(y.size()); ++i) {
      const auto expected = std::max(y_float.to_doubles()[i], static_cast<double>(std::numeric_limits<T>::min()));
      ASSERT_EQ(y.to_doubles()[i], expected);
    }
  }
}

TEST(MaxPool, TakesInt8) { expect_integer_pool<std::int8_t>(DType::kInt8); }
TEST(MaxPool, TakesUint8) { expect_integer_pool<std::uint8_t>(DType::kUint8); }

TEST(MaxPool, PoolsOneDimensionAndKeepsNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::from<float>({1, 1, 6}, {1, nan, 0, -1, -2, -3});
  const NodeRun run{
      .op_type = "MaxPool", .attributes = {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}, .inputs = {x}};
  expect_close(run_one(run), {1, 1, 3}, {nan, 0, -2}, 0);
}

TEST(MaxPool, CeilModeAddsAPartialWindow) {
  const Tensor x = Tensor::from<float>({1, 1, 5}, {1, 2, 3, 4, 5});
  AttributeMap attributes = {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"ceil_mode", Index{1}}};
  expect_close(run_one({.op_type = "MaxPool", .attributes = attributes, .inputs = {x}}), {1, 1, 3}, {2, 4, 5}, 0);
}

// The pad counts, what ceil_mode adds beyond it does not: (5 + pad) over 2, not over 3.
TEST(AveragePool, CeilModeCountsPaddingButNothingBeyond) {
  const Tensor x = Tensor::from<float>({1, 1, 5}, {1, 2, 3, 4, 5});
  AttributeMap attributes = {{"kernel_shape", Ints{3}},
                             {"strides", Ints{2}},
                             {"ceil_mode", Index{1}},
                             {"pads", Ints{0, 2}},
                             {"count_include_pad", Index{1}}};
  expect_close(run_one({.op_type = "AveragePool", .attributes = attributes, .inputs = {x}, .opset = 19}), {1, 1, 3},
               {2, 4, 5.0 / 3}, 1e-6);
  attributes["pads"] = Ints{0, 1};
  attributes["strides"] = Ints{4};
  expect_close(run_one({.op_type = "AveragePool", .attributes = attributes, .inputs = {x}, .opset = 19}), {1, 1, 2},
               {2, 2.5}, 1e-6);
  attributes["count_include_pad"] = Index{0};
  expect_close(run_one({.op_type = "AveragePool", .attributes = attributes, .inputs = {x}, .opset = 19}), {1, 1, 2},
               {2, 5}, 1e-6);
}

// A loop over the taps beside the image would not end.
TEST(Pool, KernelsFarLargerThanTheImage) {
  constexpr Index kKernel = (Index{1} << 31) - 1;
  const AttributeMap attributes = {
      {"kernel_shape", Ints{kKernel, kKernel}}, {"strides", Ints{kKernel, kKernel}}, {"pads", Ints(4, kKernel - 1)}};
  const Tensor x = Tensor::from<float>({1, 1, 3, 4}, {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120});
  const auto run = [&](const char* op) { return run_one({.op_type = op, .attributes = attributes, .inputs = {x}}); };
  expect_close(run("MaxPool"), {1, 1, 2, 2}, {10, 40, 90, 120}, 0);
  expect_close(run("AveragePool"), {1, 1, 2, 2}, {10, 30, 70, 90}, 0);
}

TEST(Pool, RefusesWhatItCannotDo) {
  const Tensor x = Tensor::allocate(DType::kFloat32, {1, 1, 4, 4}).value();
  const AttributeMap kernel = {{"kernel_shape", Ints{2, 2}}};
  EXPECT_EQ(refusal({.op_type = "MaxPool", .inputs = {x}}),
            "MaxPool node 'node' (opset 13): the attribute kernel_shape is missing");
  EXPECT_EQ(refusal({.op_type = "AveragePool",
                     .attributes = {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{2, 0, 0, 0}}},
                     .inputs = {x}}),
            "pads must be smaller than the window's span of 2; found input 4, kernel 2, dilation 1, pads 2 and 0");
  EXPECT_EQ(refusal({.op_type = "MaxPool",
                     .attributes = kernel,
                     .inputs = {Tensor::allocate(DType::kInt32, {1, 1, 4, 4}).value()}}),
            "X must not have the type int32");
}

TEST(GlobalAveragePool, TakesTheMeanInDouble) {
  // In float each small term would be lost next to the large one.
  std::vector<float> values(1025, 32.0F);
  values[0] = 0x1p30F;
  const Tensor x = Tensor::from<float>({1, 1, 1025}, values);
  expect_close(run_one({.op_type = "GlobalAveragePool", .inputs = {x}}), {1, 1, 1}, {(0x1p30 + 0x1p15) / 1025}, 1);
  const Tensor planes = Tensor::from<float>({1, 2, 1, 2}, {1, 2, 3, 5});
  expect_close(run_one({.op_type = "GlobalAveragePool", .inputs = {planes}}), {1, 2, 1, 1}, {1.5, 4}, 0);
  EXPECT_EQ(refusal({.op_type = "GlobalAveragePool", .inputs = {Tensor::allocate(DType::kFloat32, {1, 1, 0}).value()}}),
            "the mean of no elements is undefined; X has the shape [1,1,0]");
  EXPECT_EQ(refusal({.op_type = "GlobalAveragePool", .inputs = {Tensor::allocate(DType::kFloat32, {1, 1}).value()}}),
            "X must have the shape [N,C,...] with a spatial dimension; found [1,1]");
}

}  // namespace
}  // namespace assay::test
