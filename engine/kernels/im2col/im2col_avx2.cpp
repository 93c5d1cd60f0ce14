// SPDX-License-Identifier: Apache-2.0
// AVX2: stretches of one to six vectors, the last of which overlaps the one before; all others are left to the portable
// kernel.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/im2col/im2col_args.h"

namespace assay::kernels {

void im2col_scalar(const StretchArgs& args);

namespace {

constexpr std::int64_t kVector = 32;

// kVectors whole vectors, and one that ends with the stretch.
template <int kVectors>
void copy(const StretchArgs& args) {
  const std::uint8_t* from = args.from;
  std::uint8_t* to = args.to;
  const std::int64_t last = args.bytes - kVector;
  for (std::int64_t i = 0; i < args.count; ++i) {
    __m256i vectors[kVectors];
#pragma GCC unroll 6
    for (int t = 0; t < kVectors; ++t) {
      vectors[t] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + t * kVector));
    }
    const __m256i end = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + last));
#pragma GCC unroll 6
    for (int t = 0; t < kVectors; ++t) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + t * kVector), vectors[t]);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + last), end);
    from += args.from_step;
    to += args.to_step;
  }
}

}  // namespace

void im2col_avx2(const StretchArgs& args) {
  switch ((args.bytes - 1) / kVector) {
    case 1:
      return copy<1>(args);
    case 2:
      return copy<2>(args);
    case 3:
      return copy<3>(args);
    case 4:
      return copy<4>(args);
    case 5:
      return copy<5>(args);
    default:
      return im2col_scalar(args);
  }
}

}  // namespace assay::kernels
