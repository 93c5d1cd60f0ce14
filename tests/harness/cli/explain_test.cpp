// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/explain.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace assay::cli {
namespace {

TEST(Explain, EveryKindOfTermIsThereAndSaysSomething) {
  std::map<std::string, std::set<std::string>> names;
  for (const Term& term : terms()) {
    EXPECT_GT(term.text.size(), 15U) << term.name;
    EXPECT_TRUE(names[term.kind].insert(term.name).second) << term.kind << " " << term.name << " twice";
  }
  EXPECT_EQ(names["outcome"].size(), 11U);
  EXPECT_EQ(names["cause"], (std::set<std::string>{"pair-saturation", "relu-dropped", "clip-dropped", "rounding",
                                                   "calibration-range", "bias-overflow", "shared-parameters",
                                                   "per-tensor-range", "zero-point", "wrong-golden", "other"}));
  EXPECT_TRUE(names["metric"].contains("sqnr_db"));
  EXPECT_TRUE(names["axis"].contains("quantizer.relu"));
  EXPECT_FALSE(names["pass"].empty());
}

}  // namespace
}  // namespace assay::cli
