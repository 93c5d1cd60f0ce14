// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/nearest_name.h"

#include <gtest/gtest.h>

namespace assay::quantizer {
namespace {

TEST(Suggestion, NamesTheNearest) {
  EXPECT_EQ(suggestion("Cnv", {"MatMul", "Conv", "Concat"}), "; did you mean 'Conv'?");
  EXPECT_EQ(suggestion("conv_11", {"conv_1", "conv_12"}), "; did you mean 'conv_1'?");
}

TEST(Suggestion, KeepsSilentWhereNothingIsNear) {
  EXPECT_EQ(suggestion("Attention", {"Conv", "Relu"}), "");
  EXPECT_EQ(suggestion("x", {}), "");
}

}  // namespace
}  // namespace assay::quantizer
