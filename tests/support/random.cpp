// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random.h"

#include <cstdio>
#include <cstdlib>

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

}  // namespace assay::test
