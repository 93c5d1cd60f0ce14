// SPDX-License-Identifier: Apache-2.0
// FNV-1a, 64 bits: tells texts and files apart that nobody makes alike on purpose.
// Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm".
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

inline constexpr std::uint64_t kFnvStart = 0xCBF29CE484222325ULL;
inline constexpr std::uint64_t kFnvPrime = 0x100000001B3ULL;

// The hash of what was hashed to `start` and the bytes behind it.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t start = kFnvStart) {
  for (const char c : bytes) {
    start = (start ^ static_cast<unsigned char>(c)) * kFnvPrime;
  }
  return start;
}

}  // namespace assay
