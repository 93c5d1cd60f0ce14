// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/test_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace assay::bench {
namespace {

// A generator of integers in [low, high] whose numbers are the same with every standard library.
class Numbers {
 public:
  Numbers(std::uint64_t seed, std::int64_t low, std::int64_t high)
      : engine_(seed), low_(low), count_(static_cast<std::uint64_t>(high - low) + 1) {}
  std::int64_t next() { return low_ + static_cast<std::int64_t>((engine_() >> 32) % count_); }

 private:
  std::mt19937_64 engine_;
  std::int64_t low_;
  std::uint64_t count_;
};

}  // namespace

void fill_bytes(std::span<std::uint8_t> bytes, std::uint64_t seed, int low, int high) {
  Numbers numbers(seed, low, high);
  std::ranges::generate(bytes, [&] { return static_cast<std::uint8_t>(numbers.next()); });
}

void fill_integers(std::span<std::int32_t> values, std::uint64_t seed, std::int32_t low, std::int32_t high) {
  Numbers numbers(seed, low, high);
  std::ranges::generate(values, [&] { return static_cast<std::int32_t>(numbers.next()); });
}

void fill_floats(std::span<float> values, std::uint64_t seed, float low, float high) {
  constexpr std::int64_t kSteps = 1 << 20;
  Numbers numbers(seed, 0, kSteps);
  std::ranges::generate(
      values, [&] { return low + (high - low) * static_cast<float>(numbers.next()) / static_cast<float>(kSteps); });
}

Status expect_same_bytes(const std::string& what, std::span<const std::byte> found, std::span<const std::byte> expected,
                         const std::string& source) {
  if (found.size() != expected.size()) {
    return internal_error(
        fmt::format("{}: wrong answer: {} bytes, {} gives {}", what, found.size(), source, expected.size()));
  }
  const auto [at, other] = std::ranges::mismatch(found, expected);
  if (at == found.end()) {
    return {};
  }
  return internal_error(fmt::format("{}: wrong answer: byte {} of {} is {}, {} gives {}; no time is reported", what,
                                    at - found.begin(), found.size(), std::to_integer<int>(*at), source,
                                    std::to_integer<int>(*other)));
}

}  // namespace assay::bench
