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

// Not the values alone.
TEST(Explain, EveryAxisHasTheDescriptionOfTheSchema) {
  std::size_t axes = 0;
  for (const Term& term : terms()) {
    if (term.kind == "axis") {
      ++axes;
      EXPECT_GT(term.text.find(". "), 10U) << term.name << ": " << term.text;
      EXPECT_FALSE(term.text.starts_with("One of") || term.text.starts_with("true or") || term.text.starts_with(" "))
          << term.name << ": " << term.text;
    }
    if (term.name == "quantizer.reduce_range") {
      EXPECT_EQ(term.text,
                "Weights use 7 of their 8 bits, so that pair sums cannot saturate. true or false. Default: false.");
    }
  }
  EXPECT_GT(axes, 40U);
}

}  // namespace
}  // namespace assay::cli
