// SPDX-License-Identifier: Apache-2.0
// Element-wise operators where types or corners matter; the ONNX backend tests cover the plain cases.
#include <cmath>
#include <limits>

#include "tests/engine/runtime/ops/float_data.h"

namespace assay::test {
namespace {

template <typename T>
Tensor row(const std::vector<T>& values) {
  return Tensor::from<T>({static_cast<Index>(values.size())}, values);
}

template <typename T>
std::vector<T> run_row(const std::string& op, const std::vector<std::vector<T>>& operands,
                       const AttributeMap& attributes = {}, Index opset = 22) {
  NodeRun run{.op_type = op, .attributes = attributes, .opset = opset};
  for (const std::vector<T>& operand : operands) {
    run.inputs.push_back(row(operand));
  }
  const Tensor out = run_one(run);
  return {out.data<T>().begin(), out.data<T>().end()};
}

TEST(Unary, IntegersWrapAtTheirLowestValue) {
  EXPECT_EQ(run_row<std::int8_t>("Abs", {{-128, -3, 5}}), (std::vector<std::int8_t>{-128, 3, 5}));
  EXPECT_EQ(run_row<std::int32_t>("Neg", {{std::numeric_limits<std::int32_t>::min(), 7}}),
            (std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::min(), -7}));
  EXPECT_EQ(run_row<std::uint8_t>("Abs", {{0, 200}}), (std::vector<std::uint8_t>{0, 200}));
  EXPECT_EQ(run_row<std::int64_t>("Sign", {{-9, 0, 4}}), (std::vector<std::int64_t>{-1, 0, 1}));
  EXPECT_EQ(run_row<std::uint8_t>("BitwiseNot", {{0, 1, 255}}), (std::vector<std::uint8_t>{255, 254, 0}));
}

TEST(Unary, RoundsHalvesToEven) {
  EXPECT_EQ(run_row<float>("Round", {{0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 0.49F}}),
            (std::vector<float>{0, 2, 2, 0, -2, 0}));
}

TEST(Unary, KeepsDoublePrecision) {
  const std::vector<double> y = run_row<double>("Exp", {{1e-12}});
  EXPECT_EQ(y[0], std::exp(1e-12));
}

TEST(Unary, ExtremeArgumentsStayFinite) {
  EXPECT_EQ(run_row<float>("Softplus", {{200, -200}}), (std::vector<float>{200, 0}));
  EXPECT_EQ(run_row<float>("Mish", {{200}}), (std::vector<float>{200}));
}

TEST(Unary, RefusesTypesThatHaveNoMeaning) {
  EXPECT_EQ(refusal({.op_type = "Exp", .inputs = {row<std::int32_t>({1})}}), "X must not have the type int32");
}

TEST(Binary, RestsHaveTheSignOfTheDivisorOrOfTheDividend) {
  EXPECT_EQ(run_row<std::int32_t>("Mod", {{7, -7, 7, -7, 5}, {3, 3, -3, -3, 0}}),
            (std::vector<std::int32_t>{1, 2, -2, -1, 0}));
  EXPECT_EQ(run_row<std::int32_t>("Mod", {{7, -7, 7, -7}, {3, 3, -3, -3}}, {{"fmod", Index{1}}}),
            (std::vector<std::int32_t>{1, -1, 1, -1}));
  EXPECT_EQ(run_row<float>("Mod", {{-5.5F, 5.5F}, {2, -2}}, {{"fmod", Index{1}}}), (std::vector<float>{-1.5F, 1.5F}));
}

TEST(Binary, ShiftsOfAllBitsGiveZero) {
  const AttributeMap left = {{"direction", std::string("LEFT")}};
  EXPECT_EQ(run_row<std::uint8_t>("BitShift", {{1, 255, 3}, {7, 1, 8}}, left),
            (std::vector<std::uint8_t>{128, 254, 0}));
  EXPECT_EQ(run_row<std::int32_t>("BitShift", {{-8, -8, 8}, {1, 40, 40}}, {{"direction", std::string("RIGHT")}}),
            (std::vector<std::int32_t>{-4, -1, 0}));
}

TEST(Binary, MinAndMaxKeepNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* op : {"Min", "Max"}) {
    const std::vector<float> y = run_row<float>(op, {{nan, 1, 1}, {1, nan, 1}});
    EXPECT_TRUE(std::isnan(y[0])) << op;
    EXPECT_TRUE(std::isnan(y[1])) << op;
    EXPECT_EQ(y[2], 1) << op;
  }
}

TEST(Pow, TakesAnExponentOfAnotherType) {
  const Tensor y = run_one({.op_type = "Pow", .inputs = {row<std::int64_t>({2, -3}), row<float>({10, 3})}});
  EXPECT_TRUE(bytes_equal(y, row<std::int64_t>({1024, -27})));
  const Tensor square = run_one({.op_type = "Pow", .inputs = {row<float>({1.1F, -3}), Tensor::scalar(2.0F)}});
  EXPECT_TRUE(bytes_equal(square, row<float>({1.1F * 1.1F, 9})));
}

TEST(Where, BroadcastsAllThree) {
  const Tensor y = run_one(
      {.op_type = "Where",
       .inputs = {Tensor::from<bool>({2, 1}, {true, false}), row<std::int64_t>({1, 2, 3}), Tensor::scalar(Index{9})}});
  EXPECT_TRUE(bytes_equal(y, Tensor::from<std::int64_t>({2, 3}, {1, 2, 3, 9, 9, 9})));
}

// 1 + 2^-11 in float16 is a tie and goes to even.
TEST(Half, ComputesInFloatAndRoundsOnce) {
  const auto half = [](std::vector<float> values) {
    Tensor out = Tensor::allocate(DType::kFloat16, {static_cast<Index>(values.size())}).value();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint16_t bits = float_to_float16(values[i]);
      std::memcpy(out.mutable_bytes() + i * sizeof(bits), &bits, sizeof(bits));
    }
    return out;
  };
  for (const bool computed : {false, true}) {
    const Tensor y = run_one(
        {.op_type = "Add", .inputs = {half({1, 1, 3}), half({0x1p-11F, 0x1.8p-11F, 4})}, .computed = {true, computed}});
    EXPECT_TRUE(bytes_equal(y, half({1, 1 + 0x1p-10F, 7}))) << computed;
  }
  const Tensor less = run_one({.op_type = "Less", .inputs = {half({1, 2}), half({2, 1})}});
  EXPECT_TRUE(bytes_equal(less, Tensor::from<bool>({2}, {true, false})));
}

}  // namespace
}  // namespace assay::test
