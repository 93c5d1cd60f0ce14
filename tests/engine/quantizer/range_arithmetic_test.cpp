// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/range_arithmetic.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/random.h"

namespace assay::quantizer {
namespace {

struct Expected {
  double min;
  double max;
  RangeScheme scheme;
  float scale;
  Index zero_point;
};

constexpr RangeScheme kUint8 = {.dtype = DType::kUint8};
constexpr RangeScheme kUint8Symmetric = {.dtype = DType::kUint8, .symmetric = true};
constexpr RangeScheme kInt8 = {.dtype = DType::kInt8};
constexpr RangeScheme kInt8Narrow = {.dtype = DType::kInt8, .range = RangeKind::kNarrow};
constexpr RangeScheme kInt8Symmetric = {.dtype = DType::kInt8, .symmetric = true};
constexpr RangeScheme kInt8SymmetricNarrow = {.dtype = DType::kInt8, .symmetric = true, .range = RangeKind::kNarrow};

// By hand from the formulas in the header.
TEST(ChooseParams, FollowsTheFormulas) {
  const std::vector<Expected> table = {
      {0, 255, kUint8, 1.0F, 0},
      {-1, 1, kUint8, static_cast<float>(2.0 / 255), 128},   // rint(127.5) is 128
      {-2, 6, kUint8, static_cast<float>(8.0 / 255), 64},    // rint(63.75)
      {1, 3, kUint8, static_cast<float>(3.0 / 255), 0},      // widened to [0, 3]
      {-3, -1, kUint8, static_cast<float>(3.0 / 255), 255},  // widened to [-3, 0]
      {-2, 6, kUint8Symmetric, static_cast<float>(12.0 / 255), 128},
      {0, 6, kUint8Symmetric, static_cast<float>(12.0 / 255), 128},
      {0, 6, kInt8, static_cast<float>(6.0 / 255), -128},
      {0, 6, kInt8Narrow, static_cast<float>(6.0 / 254), -127},
      {-2, 6, kInt8, static_cast<float>(8.0 / 255), -64},          // rint(-128 + 63.75)
      {-2, 6, kInt8Symmetric, static_cast<float>(12.0 / 255), 0},  // rint(-0.5) is 0
      {-2, 6, kInt8SymmetricNarrow, static_cast<float>(12.0 / 254), 0},
  };
  for (const Expected& expected : table) {
    const QuantParams params = choose_params(expected.min, expected.max, expected.scheme);
    EXPECT_EQ(params.scale, expected.scale) << expected.min << ".." << expected.max;
    EXPECT_EQ(params.zero_point, expected.zero_point) << expected.min << ".." << expected.max;
    EXPECT_EQ(params.dtype, expected.scheme.dtype);
  }
}

TEST(ChooseParams, ReducesTheRangeBeforeAnythingElse) {
  const RangeScheme int8 = {.dtype = DType::kInt8, .symmetric = true, .range = RangeKind::kFull, .reduce_range = true};
  EXPECT_EQ(choose_params(-1, 1, int8).scale, static_cast<float>(2.0 / 128));
  EXPECT_EQ(choose_params(-1, 1, int8).zero_point, 0);
  const RangeScheme uint8 = {.dtype = DType::kUint8, .symmetric = true, .reduce_range = true};
  EXPECT_EQ(choose_params(-1, 1, uint8).scale, static_cast<float>(2.0 / 127));
  EXPECT_EQ(choose_params(-1, 1, uint8).zero_point, 64);  // rint(63.5)
}

// Defect L14 of the peer: a constant 0 in int8 gets zero point 0, and the Relu in front is no longer redundant.
TEST(ChooseParams, KeepsTheZeroPointAtTheEndForAConstantZero) {
  EXPECT_EQ(choose_params(0, 0, kInt8), (QuantParams{DType::kInt8, 1.0F, -128}));
  EXPECT_EQ(choose_params(0, 0, kUint8), (QuantParams{DType::kUint8, 1.0F, 0}));
  EXPECT_EQ(choose_params(0, 0, kUint8Symmetric), (QuantParams{DType::kUint8, 1.0F, 128}));
  EXPECT_EQ(choose_params(0, 1e-40, kInt8), (QuantParams{DType::kInt8, 1.0F, -128}));
}

TEST(ChooseParams, StaysFiniteForHugeRanges) {
  const auto huge = static_cast<double>(std::numeric_limits<float>::max());
  const QuantParams params = choose_params(-huge, huge, kUint8);
  EXPECT_EQ(params.scale, static_cast<float>(2 * huge / 255));
  EXPECT_EQ(params.zero_point, 128);
  EXPECT_EQ(choose_params(-1e300, 1e300, kUint8).scale, std::numeric_limits<float>::max());
}

TEST(QuantizeValue, RoundsTiesToEvenBeforeTheZeroPoint) {
  const QuantParams params = {.dtype = DType::kUint8, .scale = 2.0F, .zero_point = 3};
  EXPECT_EQ(quantize_value(1.0F, params), 3);   // 0.5 -> 0
  EXPECT_EQ(quantize_value(3.0F, params), 5);   // 1.5 -> 2
  EXPECT_EQ(quantize_value(-3.0F, params), 1);  // -1.5 -> -2
}

TEST(QuantizeValue, SaturatesToTheTypeNotToTheNarrowRange) {
  const QuantParams params = choose_params(0, 6, kInt8Narrow);
  EXPECT_EQ(quantize_value(-1.0F, params), -128);
  EXPECT_EQ(quantize_value(std::numeric_limits<float>::infinity(), params), 127);
  EXPECT_EQ(quantize_value(-std::numeric_limits<float>::infinity(), params), -128);
}

// Whatever the range: 0 is exact, and no value inside is further away than half a step (plus float rounding).
TEST(QuantizeValue, IsWithinHalfAStepInsideTheRange) {
  test::Random random;
  for (int trial = 0; trial < 500; ++trial) {
    const double min = static_cast<double>(random.uniform(-10, 2));
    const double max = min + static_cast<double>(random.uniform(0.001F, 20));
    const RangeScheme scheme = {.dtype = random.chance(0.5) ? DType::kInt8 : DType::kUint8,
                                .symmetric = random.chance(0.5),
                                .range = random.chance(0.5) ? RangeKind::kFull : RangeKind::kNarrow,
                                .reduce_range = random.chance(0.3)};
    const QuantParams params = choose_params(min, max, scheme);
    EXPECT_EQ(dequantize_value(quantize_value(0.0F, params), params), 0.0F);
    const float value = random.uniform(static_cast<float>(min), static_cast<float>(max));
    const float back = dequantize_value(quantize_value(value, params), params);
    // Rounding the zero point may move one end of the range by half a step more.
    EXPECT_NEAR(back, value, params.scale * 1.0001F) << min << ".." << max;
  }
}

TEST(ChooseParams, WideAndNarrowTypes) {
  EXPECT_EQ(choose_params(-1, 1, {.dtype = DType::kUint16, .symmetric = true}).zero_point, 32768);
  EXPECT_EQ(choose_params(-1, 1, {.dtype = DType::kInt16, .symmetric = true, .range = RangeKind::kAuto}).scale,
            static_cast<float>(2.0 / 65534));
  EXPECT_EQ(choose_params(-1, 1, {.dtype = DType::kInt4, .symmetric = true, .range = RangeKind::kAuto}),
            (QuantParams{DType::kInt4, static_cast<float>(2.0 / 15), 0}));  // rint(-0.5) is 0
  EXPECT_EQ(choose_params(0, 3, {.dtype = DType::kUint4}), (QuantParams{DType::kUint4, static_cast<float>(0.2), 0}));
  EXPECT_EQ(integer_bounds({.dtype = DType::kInt4, .reduce_range = true}).max, 3);
  EXPECT_EQ(integer_bounds({.dtype = DType::kUint16, .reduce_range = true}).max, 32767);
}

TEST(ChooseParams, AutoIsNarrowWhereSymmetric) {
  EXPECT_EQ(integer_bounds({.dtype = DType::kInt8, .symmetric = true, .range = RangeKind::kAuto}).min, -127);
  EXPECT_EQ(integer_bounds({.dtype = DType::kInt8, .symmetric = false, .range = RangeKind::kAuto}).min, -128);
}

TEST(ChooseParams, RestrictedZeroPoints) {
  constexpr RangeScheme kRestricted = {.dtype = DType::kUint8, .restricted = true};
  EXPECT_EQ(choose_params(0, 5.1, kRestricted), (QuantParams{DType::kUint8, static_cast<float>(5.1 / 255), 0}));
  EXPECT_EQ(choose_params(-1, 5.08, kRestricted), (QuantParams{DType::kUint8, static_cast<float>(5.08 / 127), 128}));
  EXPECT_EQ(choose_params(-2.56, 1, kRestricted), (QuantParams{DType::kUint8, static_cast<float>(2.56 / 128), 128}));
  EXPECT_EQ(choose_params(0, 0, kRestricted), (QuantParams{DType::kUint8, static_cast<float>(1.0 / 255), 0}));
}

TEST(ChooseParams, AMinimumRangeRaisesTheUpperEnd) {
  EXPECT_EQ(choose_params(-0.5, 0.5, {.dtype = DType::kUint8, .minimum_range = 4}),
            choose_params(-0.5, 3.5, {.dtype = DType::kUint8}));
  EXPECT_EQ(choose_params(-4, 1, {.dtype = DType::kUint8, .minimum_range = 4}),
            choose_params(-4, 1, {.dtype = DType::kUint8}));
}

TEST(ChooseParams, Float16ScalesAreRounded) {
  const QuantParams params = choose_params(0, 1, {.dtype = DType::kUint8, .scale_type = DType::kFloat16});
  EXPECT_EQ(params.scale, 0x1.01p-8F);  // 1/255 = 0x1.0101p-8 in 11 bits
  EXPECT_EQ(params.zero_point, 0);
}

}  // namespace
}  // namespace assay::quantizer
