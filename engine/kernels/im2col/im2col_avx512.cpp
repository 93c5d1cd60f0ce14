// SPDX-License-Identifier: Apache-2.0
// AVX512: stretches of one to six vectors, the last of which overlaps the one before; all others are left to the
// portable kernel.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/im2col/im2col_args.h"

namespace assay::kernels {

void im2col_scalar(const StretchArgs& args);

namespace {

constexpr std::int64_t kVector = 64;

// kVectors whole vectors, and one that ends with the stretch.
template <int kVectors>
void copy(const StretchArgs& args) {
  const std::uint8_t* from = args.from;
  std::uint8_t* to = args.to;
  const std::int64_t last = args.bytes - kVector;
  for (std::int64_t i = 0; i < args.count; ++i) {
    __m512i vectors[kVectors];
#pragma GCC unroll 6
    for (int t = 0; t < kVectors; ++t) {
      vectors[t] = _mm512_loadu_si512(reinterpret_cast<const __m512i*>(from + t * kVector));
    }
    const __m512i end = _mm512_loadu_si512(reinterpret_cast<const __m512i*>(from + last));
#pragma GCC unroll 6
    for (int t = 0; t < kVectors; ++t) {
      _mm512_storeu_si512(reinterpret_cast<__m512i*>(to + t * kVector), vectors[t]);
    }
    _mm512_storeu_si512(reinterpret_cast<__m512i*>(to + last), end);
    from += args.from_step;
    to += args.to_step;
  }
}

}  // namespace

void im2col_avx512(const StretchArgs& args) {
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
