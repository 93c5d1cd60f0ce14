// SPDX-License-Identifier: Apache-2.0
// Pseudo-random numbers whose bits are the same with every compiler and C library: xoshiro256** seeded by splitmix64,
// and transforms made of IEEE +, -, *, / and sqrt only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace assay::spec {

class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t next();
  // A multiple of 2^-53 in [0, 1).
  double unit();
  // Uniform over [low, high], both included, without bias. low <= high.
  std::int64_t integer(std::int64_t low, std::int64_t high);
  // Standard normal: the inverse distribution function (Wichura's AS 241, PPND16) of a number in (0, 1).
  double normal();

 private:
  std::array<std::uint64_t, 4> state_{};
};

// FNV-1a of the name, cut to 53 bits so that every JSON reader keeps it exactly.
std::uint64_t seed_of(std::string_view name);

}  // namespace assay::spec
