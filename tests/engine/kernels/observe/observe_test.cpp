// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/observe/observe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/engine/kernels/each_kernel.h"
#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::span<float> floats_in(test::GuardedMemory& memory, std::size_t count, bool at_end) {
  return {reinterpret_cast<float*>(memory.place(count * sizeof(float), at_end)), count};
}

TEST(ObserveKernels, FindTheExtremesOfRandomSpans) {
  const auto kernels = test::runnable(observe_kernels());
  test::GuardedMemory memory;
  for (int i = 0; i < test::case_count(20000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const auto values = floats_in(memory, static_cast<std::size_t>(random.integer(0, 70)), random.chance(0.5));
    const bool odd = random.chance(0.3);
    float min = kInf;
    float max = -kInf;
    float least = kInf;
    bool finite = true;
    for (float& value : values) {
      value = random.normal(random.chance(0.5) ? 0.0F : 5.0F, 1);
      if (odd && random.chance(0.1)) {
        value = random.chance(0.5) ? kNan : random.chance(0.5) ? kInf : -kInf;
      }
      min = std::isnan(value) ? min : std::min(min, value);
      max = std::isnan(value) ? max : std::max(max, value);
      least = std::min(least, std::fabs(value));
      finite = finite && std::isfinite(value);
    }
    for (const ObserveKernel* kernel : kernels) {
      const FloatExtremes found = test::ran(*kernel).extremes(values.data(), static_cast<std::int64_t>(values.size()));
      ASSERT_EQ(found.min, min) << kernel->name << " case " << i;
      ASSERT_EQ(found.max, max) << kernel->name << " case " << i;
      ASSERT_EQ(found.finite, finite) << kernel->name << " case " << i;
      if (finite) {
        ASSERT_EQ(found.least_magnitude, least) << kernel->name << " case " << i;
      }
    }
  }
}

TEST(ObserveKernels, FindTheCounterOfEveryElement) {
  const auto kernels = test::runnable(observe_kernels());
  test::GuardedMemory memory;
  test::GuardedMemory target;
  for (int i = 0; i < test::case_count(20000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const bool is_signed = random.chance(0.5);
    const std::int32_t bins = 1 << random.integer(2, 11);
    const auto values = floats_in(memory, static_cast<std::size_t>(random.integer(0, 50)), random.chance(0.5));
    const float range = std::ldexp(1.0F, static_cast<int>(random.integer(-20, 20)));
    const float bins_per_unit = static_cast<float>(bins) / (is_signed ? 2 * range : range);
    for (float& value : values) {
      value = random.chance(0.2)   ? 0.0F
              : random.chance(0.1) ? -0.0F
              : random.chance(0.2) ? std::ldexp(static_cast<float>(random.integer(-7, 7)), -3) * range
                                   : random.uniform(-range, range);
      value = std::fabs(value) < range ? value : 0.0F;
    }
    const std::int32_t zero_bin = is_signed ? bins / 2 : 0;
    std::vector<std::int32_t> expected;
    for (std::size_t at = 0; at < values.size(); ++at) {
      const double place =
          static_cast<double>(is_signed ? values[at] : std::fabs(values[at])) * static_cast<double>(bins_per_unit);
      const auto bin = static_cast<std::int32_t>(std::floor(place)) + zero_bin;
      const auto turn = static_cast<std::int32_t>(at);
      expected.push_back(bin == zero_bin ? turn % 16 : 16 + 2 * bin + turn % 2);
    }
    auto* counters =
        reinterpret_cast<std::int32_t*>(target.place(values.size() * sizeof(std::int32_t), random.chance(0.5)));
    for (const ObserveKernel* kernel : kernels) {
      test::ran(*kernel).find_counters({.x = values.data(),
                                        .count = static_cast<std::int64_t>(values.size()),
                                        .is_signed = is_signed,
                                        .bins_per_unit = bins_per_unit,
                                        .zero_bin = zero_bin,
                                        .counters = counters});
      ASSERT_EQ(std::vector<std::int32_t>(counters, counters + values.size()), expected)
          << kernel->name << " case " << i << " signed " << is_signed;
    }
  }
}

TEST(ObserveKernels, TheBestIsTakenThatTheCpuHas) {
  EXPECT_STREQ(observe_kernel(CpuFeatures{}).name, "observe_scalar");
  EXPECT_TRUE(can_run(host_features(), observe_kernel().isa));
}

}  // namespace
}  // namespace assay::kernels
