// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

TEST(Tensor, HoldsValues) {
  const Tensor tensor = Tensor::from<std::int8_t>({2, 2}, {1, -2, 3, -128});
  EXPECT_EQ(tensor.to_indices(), (std::vector<Index>{1, -2, 3, -128}));
  EXPECT_EQ(tensor.reshaped({4}).shape(), (Shape{4}));
}

TEST(Tensor, RefusesHugeShapes) {
  EXPECT_EQ(Tensor::allocate(DType::kFloat32, {Index{1} << 35}).error().kind, ErrorKind::kUnsupported);
}

// Every finite half converts to float32 and back to the same bits.
TEST(Tensor, HalfPrecisionRoundTrips) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const float value = float16_to_float(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      ASSERT_EQ(float_to_float16(value), bits) << value;
    }
  }
  EXPECT_EQ(float_to_float16(1.0F + 0x1p-11F), 0x3C00);  // a tie goes to even
  EXPECT_EQ(float_to_float16(1.0F + 0x3p-11F), 0x3C02);
  EXPECT_EQ(float_to_float16(70000.0F), 0x7C00);
}

}  // namespace
}  // namespace assay
