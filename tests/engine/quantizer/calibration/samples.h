// SPDX-License-Identifier: Apache-2.0
// Data for calibration tests that Python makes too: sums of two hashes, with zeros, growing from sample to sample.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::test {

inline double hashed(std::uint64_t value) { return static_cast<double>((value % 4294967296U) >> 8U) / 16777216.0; }

inline std::vector<float> hashed_sample(std::uint64_t sample, std::uint64_t size = 4000) {
  std::vector<float> values;
  for (std::uint64_t i = 0; i < size; ++i) {
    const double u = hashed(i * 2654435761U + sample * 40503U * 65537U);
    const double v = hashed(i * 2246822519U + sample * 3266489917U + 12345U);
    const double x = (u + v - 1.0) * (1.0 + 0.5 * static_cast<double>(sample));
    values.push_back(i % 7 == 0 ? 0.0F : static_cast<float>(x));
  }
  return values;
}

}  // namespace assay::test
