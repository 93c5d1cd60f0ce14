// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/mse.h"

#include <gtest/gtest.h>

#include "engine/quantizer/calibration/dyadic_histogram.h"
#include "tests/support/random.h"

namespace assay::quantizer {
namespace {

double squared_error(const std::vector<float>& values, const ValueRange& range, const RangeScheme& scheme) {
  const QuantParams params = choose_params(range.min, range.max, scheme);
  double sum = 0;
  for (const float value : values) {
    const double error = static_cast<double>(value - dequantize_value(quantize_value(value, params), params));
    sum += error * error;
  }
  return sum;
}

std::vector<float> with_outlier(std::uint64_t stream, float outlier) {
  test::Random random(stream);
  std::vector<float> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(random.normal(0.3F, 1));
  }
  values.push_back(outlier);
  return values;
}

ValueRange found_range(const std::vector<float>& values, const RangeScheme& scheme) {
  DyadicHistogram histogram(true, 2048);
  histogram.add(values, scan(values));
  return mse_range(histogram.finish(scan(values)), scheme);
}

TEST(Mse, ItsErrorIsLessThanThatOfMinMaxAndOfOtherClips) {
  for (const RangeScheme& scheme :
       {RangeScheme{.dtype = DType::kUint8}, RangeScheme{.dtype = DType::kInt8, .symmetric = true}}) {
    const std::vector<float> values = with_outlier(9, 20);
    const ValueRange range = found_range(values, scheme);
    const Scan seen = scan(values);
    const double found = squared_error(values, range, scheme);
    const ValueRange all{.min = static_cast<double>(seen.min), .max = static_cast<double>(seen.max)};
    EXPECT_LT(found, squared_error(values, all, scheme)) << "seed " << test::test_seed();
    for (double share = 0.05; share < 1; share += 0.05) {
      const ValueRange other{.min = all.min * share, .max = all.max * share};
      EXPECT_LT(found, 1.02 * squared_error(values, other, scheme)) << "share " << share;
    }
  }
}

TEST(Mse, UniformValuesAreNotClipped) {
  test::Random random(10);
  std::vector<float> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(random.uniform(-1, 1));
  }
  const Scan seen = scan(values);
  const ValueRange range = found_range(values, {.dtype = DType::kInt8, .symmetric = true});
  EXPECT_GT(range.max, 0.97 * static_cast<double>(seen.max)) << "seed " << test::test_seed();
}

TEST(Mse, SymmetricSchemesGiveSymmetricRanges) {
  const ValueRange range = found_range(with_outlier(11, -30), {.dtype = DType::kInt8, .symmetric = true});
  EXPECT_EQ(range.min, -range.max);
  EXPECT_LT(range.max, 29);
}

TEST(Mse, OneSidedValuesKeepZero) {
  const std::vector<float> values = {0, 1, 2, 3, 4};
  const ValueRange range = found_range(values, {.dtype = DType::kUint8});
  EXPECT_EQ(range.min, 0);
  EXPECT_GT(range.max, 3.9);
}

TEST(Mse, AllZerosHaveNoRange) {
  const ValueRange range = found_range(std::vector<float>(10, 0), {.dtype = DType::kUint8});
  EXPECT_EQ(range.min, 0);
  EXPECT_EQ(range.max, 0);
}

}  // namespace
}  // namespace assay::quantizer
