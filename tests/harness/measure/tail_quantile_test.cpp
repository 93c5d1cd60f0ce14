// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tail_quantile.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "harness/measure/machine_state.h"

namespace assay::measure {
namespace {

std::vector<double> first(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(TailQuantile, IsRefusedForTooFewValues) {
  EXPECT_FALSE(tail_quantile(first(99), 0.99).has_value());
  EXPECT_DOUBLE_EQ(tail_quantile(first(100), 0.99).value(), 99.01);
  EXPECT_FALSE(tail_quantile(first(19), 0.95).has_value());
  EXPECT_DOUBLE_EQ(tail_quantile(first(21), 0.95).value(), 20);
  EXPECT_FALSE(tail_quantile({}, 0.99).has_value());
}

TEST(MachineState, SaysNothingOrSomethingPossible) {
  EXPECT_GE(load_average().value_or(0), 0);
  const double mhz = processor_mhz().value_or(1000);
  EXPECT_GT(mhz, 10);
  EXPECT_LT(mhz, 100'000);
}

}  // namespace
}  // namespace assay::measure
