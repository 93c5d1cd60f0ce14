// SPDX-License-Identifier: Apache-2.0
// Seeded randomness for property tests. The seed is printed with a failure and can be set with ASSAY_TEST_SEED.
#pragma once

#include <cstdint>
#include <random>

namespace assay::test {

// The seed of this run: ASSAY_TEST_SEED, or a fixed one.
std::uint64_t test_seed();

// How many random cases a test takes that would take `full`: ASSAY_TEST_CASES caps it, for slow machines.
std::int64_t case_count(std::int64_t full);

class Random {
 public:
  explicit Random(std::uint64_t stream = 0) : engine_(test_seed() + stream * 0x9E3779B97F4A7C15ULL) {}
  // Uniform in [low, high], both included.
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  float uniform(float low, float high) { return std::uniform_real_distribution<float>(low, high)(engine_); }
  float normal(float mean, float deviation) { return std::normal_distribution<float>(mean, deviation)(engine_); }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(engine_); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace assay::test
