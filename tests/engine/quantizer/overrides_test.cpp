// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/overrides.h"

#include <gtest/gtest.h>

namespace assay::quantizer {
namespace {

std::string error_of(const TensorOverride& setting) {
  const Status status = check_override("t", setting);
  return status.ok() ? "" : status.error().message;
}

TEST(CheckOverride, RefusesContradictions) {
  TensorOverride setting;
  setting.scale = 0.5;
  EXPECT_EQ(error_of(setting),
            "quantizer.overrides for 't': scale and zero_point go together, but only scale is given");
  setting.zero_point = 3;
  EXPECT_EQ(error_of(setting), "");
  setting.max = 1;
  EXPECT_EQ(error_of(setting), "quantizer.overrides for 't': scale contradicts max; give one or the other");
  setting.symmetric = true;
  EXPECT_EQ(error_of(setting), "quantizer.overrides for 't': scale contradicts symmetric; give one or the other");
}

TEST(CheckOverride, RefusesImpossibleValues) {
  TensorOverride setting;
  setting.type = DType::kInt32;
  EXPECT_EQ(error_of(setting),
            "quantizer.overrides for 't': type int32 is not one of int4, uint4, int8, uint8, int16, uint16");
  setting = {};
  setting.channels = {{.scale = 0.5, .zero_point = {}, .min = {}, .max = {}}};
  EXPECT_EQ(error_of(setting),
            "quantizer.overrides for 't': every channel has scale (above 0) and zero_point, or neither");
  setting = {};
  setting.scale = -1;
  setting.zero_point = 0;
  EXPECT_EQ(error_of(setting), "quantizer.overrides for 't': scale -1 is not a positive normal float32");
  setting = {};
  setting.min = 3;
  setting.max = 1;
  EXPECT_EQ(error_of(setting), "quantizer.overrides for 't': min 3 is greater than max 1");
}

TEST(OverriddenParams, ReplacesOneEndOfTheRange) {
  TensorOverride setting;
  setting.max = 10;
  const QuantParams params = overridden_params("t", {.min = -1, .max = 4}, {}, &setting).value();
  EXPECT_EQ(params, choose_params(-1, 10, {}));
}

TEST(OverriddenParams, TakesScaleAndZeroPointAsTheyAre) {
  TensorOverride setting;
  setting.scale = 0.1;
  setting.zero_point = -128;
  setting.type = DType::kInt8;
  const RangeScheme scheme = overridden_scheme({.dtype = DType::kUint8}, &setting);
  EXPECT_EQ(overridden_params("t", {}, scheme, &setting).value(), (QuantParams{DType::kInt8, 0.1F, -128}));
  setting.type = DType::kUint8;
  const auto outside = overridden_params("t", {}, overridden_scheme({}, &setting), &setting);
  ASSERT_FALSE(outside.ok());
  EXPECT_EQ(outside.error().message, "quantizer.overrides for 't': zero_point -128 is outside uint8");
}

}  // namespace
}  // namespace assay::quantizer
