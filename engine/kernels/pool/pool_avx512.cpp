// SPDX-License-Identifier: Apache-2.0
// AVX-512. Averages take 16 windows at a time, maxima 32 or 64, global averages a plane or 64 planes. Strides 1 and 2
// load registers; for stride 2 every other byte stays. Wider strides gather bytes one by one. Clamping takes one
// vminps: with the bound first it lets NaN through, vcvtps2dq (half to even) makes NaN and anything below the int32
// range INT32_MIN, and saturation does the rest.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/pool/pool_args.h"

namespace assay::kernels {

void average_band_avx512(const AverageBandArgs& args);
void max_band_avx512(const MaxBandArgs& args);
void qlinear_global_average_pool_avx512(const GlobalAveragePoolArgs& args);

namespace {

constexpr std::int64_t kFloats = 16;
constexpr std::int64_t kBytes = 64;
constexpr std::int64_t kFlush = 256;  // sums of as many bytes fit into 16 bits

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

__mmask16 first16(std::int64_t count) { return static_cast<__mmask16>((1U << least(count, 16)) - 1U); }
__mmask32 first32(std::int64_t count) {
  return static_cast<__mmask32>((std::uint64_t{1} << least(count, 32)) - std::uint64_t{1});
}
__mmask64 first64(std::int64_t count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

__m128i load16(const std::uint8_t* bytes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)); }

// The first `count` of 16 bytes of int32 values, saturated.
template <bool kSigned>
void store_bytes(std::uint8_t* y, __m512i v, std::int64_t count) {
  if (kSigned) {
    _mm512_mask_cvtsepi32_storeu_epi8(y, first16(count), v);
  } else {
    _mm512_mask_cvtusepi32_storeu_epi8(y, first16(count), _mm512_max_epi32(v, _mm512_setzero_si512()));
  }
}

template <bool kSigned>
__m512i widened(__m128i bytes) {
  return kSigned ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes);
}

// One tap of 16 windows.
template <int kStride, bool kSigned>
__m512i tap(const std::uint8_t* from, std::int64_t stride, std::int64_t count) {
  if constexpr (kStride == 1) {
    return widened<kSigned>(load16(from));
  } else if constexpr (kStride == 2) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return kSigned ? _mm512_cvtepi16_epi32(_mm256_srai_epi16(_mm256_slli_epi16(words, 8), 8))
                   : _mm512_cvtepu16_epi32(_mm256_and_si256(words, _mm256_set1_epi16(0xFF)));
  } else {
    std::uint8_t bytes[kFloats] = {};
    for (std::int64_t i = 0; i < least(count, kFloats); ++i) {
      bytes[i] = from[i * stride];
    }
    return widened<kSigned>(load16(bytes));
  }
}

template <int kStride, bool kSigned>
void average(const AverageBandArgs& args) {
  const BandArgs& b = args.band;
  const PoolQuantization& q = args.quantization;
  const __m512i x_zero = _mm512_set1_epi32(q.x_zero_point);
  const __m512 x_scale = _mm512_set1_ps(q.x_scale);
  const __m512 y_scale = _mm512_set1_ps(q.y_scale);
  const __m512 y_zero = _mm512_set1_ps(static_cast<float>(q.y_zero_point));
  const __m512 high = _mm512_set1_ps(kSigned ? 127.0F : 255.0F);
  for (std::int64_t o = 0; o < b.out_rows; ++o) {
    for (std::int64_t i = 0; i < b.count; i += kFloats) {
      __m512 sum = _mm512_setzero_ps();
      for (std::int64_t r = 0; r < b.rows; ++r) {
        const std::uint8_t* from = b.band + o * b.out_step + r * b.row_step + i * b.stride;
        for (std::int64_t c = 0; c < b.columns; ++c) {
          const __m512i x = tap<kStride, kSigned>(from + c * b.column_step, b.stride, b.count - i);
          sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(x, x_zero)), x_scale));
        }
      }
      const __m512 taps = _mm512_loadu_ps(args.taps + i);
      const __m512 mean = args.inverse ? _mm512_mul_ps(sum, taps) : _mm512_div_ps(sum, taps);
      const __m512 v = _mm512_add_ps(_mm512_div_ps(mean, y_scale), y_zero);
      store_bytes<kSigned>(b.y + o * b.y_step + i, _mm512_cvtps_epi32(_mm512_min_ps(high, v)), b.count - i);
    }
  }
}

template <bool kSigned>
__m512i larger(__m512i a, __m512i b) {
  return kSigned ? _mm512_max_epi8(a, b) : _mm512_max_epu8(a, b);
}

// The largest of a column of taps.
template <bool kSigned>
__m512i largest(const BandArgs& b, const std::uint8_t* from, __m512i lowest) {
  __m512i best = lowest;
  for (std::int64_t r = 0; r < b.rows; ++r) {
    best = larger<kSigned>(best, _mm512_loadu_si512(from + r * b.row_step));
  }
  return best;
}

template <bool kSigned>
void maximum_beside(const BandArgs& b) {
  const __m512i lowest = _mm512_set1_epi8(kSigned ? INT8_MIN : 0);
  for (std::int64_t i = 0; i < b.count; i += kBytes) {
    __m512i best = lowest;
    for (std::int64_t c = 0; c < b.columns; ++c) {
      best = larger<kSigned>(best, largest<kSigned>(b, b.band + i + c * b.column_step, lowest));
    }
    _mm512_mask_storeu_epi8(b.y + i, first64(b.count - i), best);
  }
}

// Stride 2: of the bytes at even places.
template <bool kSigned>
void maximum_alternate(const BandArgs& b) {
  const __m512i lowest = _mm512_set1_epi8(kSigned ? INT8_MIN : 0);
  for (std::int64_t i = 0; i < b.count; i += kBytes / 2) {
    __m512i best = lowest;
    for (std::int64_t c = 0; c < b.columns; ++c) {
      best = larger<kSigned>(best, largest<kSigned>(b, b.band + 2 * i + c * b.column_step, lowest));
    }
    _mm256_mask_storeu_epi8(b.y + i, first32(b.count - i), _mm512_cvtepi16_epi8(best));
  }
}

// Windows further apart. Signed bytes order as unsigned ones once their top bit is flipped.
void maximum_apart(const BandArgs& b, std::uint8_t flip) {
  for (std::int64_t i = 0; i < b.count; ++i) {
    int best = 0;
    for (std::int64_t r = 0; r < b.rows; ++r) {
      for (std::int64_t c = 0; c < b.columns; ++c) {
        const int value = b.band[r * b.row_step + c * b.column_step + i * b.stride] ^ flip;
        best = value > best ? value : best;
      }
    }
    b.y[i] = static_cast<std::uint8_t>(best ^ flip);
  }
}

// The sum of unsigned bytes, those of signed values with their top bit flipped.
std::uint64_t sum_of(const std::uint8_t* x, std::int64_t count, std::uint8_t flip) {
  const __m512i flips = _mm512_set1_epi8(static_cast<char>(flip));
  const __m512i zero = _mm512_setzero_si512();
  __m512i sums = zero;
  std::int64_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    sums = _mm512_add_epi64(sums, _mm512_sad_epu8(_mm512_xor_si512(_mm512_loadu_si512(x + i), flips), zero));
  }
  if (i < count) {
    const __mmask64 mask = first64(count - i);
    const __m512i bytes = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, x + i), _mm512_maskz_mov_epi8(mask, flips));
    sums = _mm512_add_epi64(sums, _mm512_sad_epu8(bytes, zero));
  }
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(sums));
}

// The sums of up to 64 neighbouring planes, position by position.
void sums_across(const std::uint8_t* x, const GlobalAveragePoolArgs& args, __mmask64 planes, std::uint32_t* out) {
  const __m512i flips = _mm512_set1_epi8(args.quantization.is_signed ? INT8_MIN : 0);
  const __m512i zero = _mm512_setzero_si512();
  __m512i sums[4] = {zero, zero, zero, zero};
  for (std::int64_t start = 0; start < args.size; start += kFlush) {
    __m512i words[2] = {zero, zero};
    const std::int64_t end = least(start + kFlush, args.size);
    for (std::int64_t i = start; i < end; ++i) {
      const __m512i bytes = _mm512_xor_si512(_mm512_maskz_loadu_epi8(planes, x + i * args.step), flips);
      words[0] = _mm512_add_epi16(words[0], _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes)));
      words[1] = _mm512_add_epi16(words[1], _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(bytes, 1)));
    }
    for (int half = 0; half < 2; ++half) {
      const __m512i low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words[half]));
      const __m512i high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words[half], 1));
      sums[2 * half] = _mm512_add_epi32(sums[2 * half], low);
      sums[2 * half + 1] = _mm512_add_epi32(sums[2 * half + 1], high);
    }
  }
  for (int i = 0; i < 4; ++i) {
    _mm512_storeu_si512(out + i * kFloats, sums[i]);
  }
}

std::uint32_t sum_apart(const std::uint8_t* x, const GlobalAveragePoolArgs& args, std::uint8_t flip) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < args.size; ++i) {
    sum += static_cast<std::uint32_t>(x[i * args.step] ^ flip);
  }
  return sum;
}

// The sums of up to 64 planes.
void block_sums(const GlobalAveragePoolArgs& args, std::int64_t first, std::int64_t planes, std::uint32_t* out) {
  const std::uint8_t flip = args.quantization.is_signed ? 0x80 : 0;
  const auto* x = static_cast<const std::uint8_t*>(args.x) + first * args.plane_stride;
  if (args.plane_stride == 1 && args.step != 1) {
    return sums_across(x, args, first64(planes), out);
  }
  for (std::int64_t p = 0; p < planes; ++p) {
    const std::uint8_t* plane = x + p * args.plane_stride;
    out[p] = args.step == 1 ? static_cast<std::uint32_t>(sum_of(plane, args.size, flip)) : sum_apart(plane, args, flip);
  }
}

template <bool kSigned>
void global_average(const GlobalAveragePoolArgs& args) {
  const PoolQuantization& q = args.quantization;
  // Wraps as the sum of differences does.
  const std::uint32_t zeros =
      static_cast<std::uint32_t>(args.size) * static_cast<std::uint32_t>(q.x_zero_point + (kSigned ? 128 : 0));
  const __m512i shift = _mm512_set1_epi32(static_cast<std::int32_t>(zeros));
  const __m512 scale = _mm512_set1_ps(q.x_scale / (q.y_scale * static_cast<float>(args.size)));
  const __m512 low = _mm512_set1_ps(static_cast<float>((kSigned ? INT8_MIN : 0) - q.y_zero_point));
  const __m512 high = _mm512_set1_ps(static_cast<float>((kSigned ? INT8_MAX : UINT8_MAX) - q.y_zero_point));
  const __m512i y_zero = _mm512_set1_epi32(q.y_zero_point);
  auto* y = static_cast<std::uint8_t*>(args.y);
  for (std::int64_t first = 0; first < args.planes; first += kBytes) {
    const std::int64_t planes = least(kBytes, args.planes - first);
    std::uint32_t sums[kBytes] = {};
    block_sums(args, first, planes, sums);
    for (std::int64_t i = 0; i < planes; i += kFloats) {
      const __m512i sum = _mm512_loadu_si512(sums + i);
      const __m512 v = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(sum, shift)), scale);
      const __m512 clamped = _mm512_min_ps(_mm512_max_ps(v, low), high);  // NaN: low
      store_bytes<kSigned>(y + first + i, _mm512_add_epi32(_mm512_cvtps_epi32(clamped), y_zero), planes - i);
    }
  }
}

template <bool kSigned>
void average_any(const AverageBandArgs& args) {
  switch (args.band.stride) {
    case 1:
      return average<1, kSigned>(args);
    case 2:
      return average<2, kSigned>(args);
    default:
      return average<0, kSigned>(args);
  }
}

void max_row(const BandArgs& row, bool is_signed) {
  switch (row.stride) {
    case 1:
      return is_signed ? maximum_beside<true>(row) : maximum_beside<false>(row);
    case 2:
      return is_signed ? maximum_alternate<true>(row) : maximum_alternate<false>(row);
    default:
      return maximum_apart(row, is_signed ? 0x80 : 0);
  }
}

}  // namespace

void average_band_avx512(const AverageBandArgs& args) {
  args.quantization.is_signed ? average_any<true>(args) : average_any<false>(args);
}

void max_band_avx512(const MaxBandArgs& args) {
  BandArgs row = args.band;
  for (std::int64_t o = 0; o < args.band.out_rows; ++o) {
    max_row(row, args.is_signed);
    row.band += row.out_step;
    row.y += row.y_step;
  }
}

void qlinear_global_average_pool_avx512(const GlobalAveragePoolArgs& args) {
  args.quantization.is_signed ? global_average<true>(args) : global_average<false>(args);
}

}  // namespace assay::kernels
