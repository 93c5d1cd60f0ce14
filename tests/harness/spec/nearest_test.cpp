// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/nearest.h"

#include <gtest/gtest.h>

namespace assay::spec {
namespace {

const std::vector<std::string> kNames{"runtime.isa", "quantizer.relu", "quantizer.reduce_range", "runtime.batch"};

TEST(Nearest, TakesTheSmallestDistance) {
  EXPECT_EQ(nearest("runtime.iso", kNames), "runtime.isa");
  EXPECT_EQ(nearest("quantizer.rleu", kNames), "quantizer.relu");
  EXPECT_EQ(nearest("quantizer.reduce_rang", kNames), "quantizer.reduce_range");
}

TEST(Nearest, TakesAWordWithoutPrefixForTheLastPart) {
  EXPECT_EQ(nearest("relu", kNames), "quantizer.relu");
  EXPECT_EQ(nearest("bacth", kNames), "runtime.batch");
  // With a dot the whole word counts.
  EXPECT_EQ(nearest("x.batch", {"x.botch", "runtime.batch"}), "x.botch");
}

TEST(Nearest, IsEmptyWithoutCandidates) { EXPECT_EQ(nearest("relu", {}), ""); }

}  // namespace
}  // namespace assay::spec
