// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace assay::test {

std::uint64_t test_seed() {
  static const std::uint64_t kSeed = [] {
    const char* text = std::getenv("ASSAY_TEST_SEED");
    const std::uint64_t seed = text == nullptr ? 20261130 : std::strtoull(text, nullptr, 10);
    std::fprintf(stderr, "test seed %llu (set ASSAY_TEST_SEED to repeat another)\n",
                 static_cast<unsigned long long>(seed));
    return seed;
  }();
  return kSeed;
}

std::int64_t case_count(std::int64_t full) {
  static const std::int64_t kMost = [] {
    const char* text = std::getenv("ASSAY_TEST_CASES");
    return text == nullptr ? std::numeric_limits<std::int64_t>::max() : std::strtoll(text, nullptr, 10);
  }();
  return std::clamp<std::int64_t>(full, 1, std::max<std::int64_t>(kMost, 1));
}

}  // namespace assay::test
