// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/peak/peak.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/support/kernel_runs.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

// What one step adds to one lane: pairs that saturate in int16 where the mix does.
Index lane_sum(const PeakKernel& kernel, Index a, Index b) {
  if (kernel.arithmetic == Arithmetic::kExact) {
    return kernel.lane_products * a * b;
  }
  return kernel.lane_products / 2 * std::clamp<Index>(2 * a * b, -32768, 32767);
}

TEST(Peak, EveryMixComputesEveryProductItClaims) {
  test::Random random(11);
  for (const PeakKernel& kernel : peak_kernels()) {
    if (!can_run(host_features(), kernel.isa)) {
      continue;
    }
    for (int trial = 0; trial < 200; ++trial) {
      PeakArgs args;
      args.steps = random.integer(0, 1000);
      args.a = static_cast<std::uint8_t>(random.integer(0, 255));
      args.b = static_cast<std::int8_t>(random.integer(-128, 127));
      std::int32_t sum = -1;
      args.sum = &sum;
      test::ran(kernel).run(args);
      const Index expected = kernel.chains * args.steps * lane_sum(kernel, args.a, args.b);
      ASSERT_EQ(sum, static_cast<std::int32_t>(static_cast<std::uint32_t>(expected)))
          << kernel.name << " steps " << args.steps << " a " << int{args.a} << " b " << int{args.b};
    }
  }
}

TEST(Peak, AKernelFindsTheMixOfItsIsaAndArithmetic) {
  std::set<std::string> names;
  for (const PeakKernel& kernel : peak_kernels()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_EQ(find_peak(kernel.isa, kernel.arithmetic), &kernel);
  }
  EXPECT_EQ(find_peak(Isa::kAvx512Vnni, Arithmetic::kSat16Pairs), nullptr);
}

TEST(Peak, AStepCountsTwoOperationsForEachProduct) {
  const PeakKernel kernel{"", Isa::kScalar, Arithmetic::kExact, 4, 16, 24, nullptr};
  EXPECT_EQ(peak_operations_per_step(kernel), 2 * 4 * 16 * 24);
}

}  // namespace
}  // namespace assay::kernels
