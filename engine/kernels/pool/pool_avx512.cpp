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
constexpr int kCredit = 16;           // blocks

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

// 16 windows from window i of output row o on, by the contract's own steps.
template <int kStride, bool kSigned>
void average_exactly(const AverageBandArgs& args, std::int64_t o, std::int64_t i) {
  const BandArgs& b = args.band;
  const PoolQuantization& q = args.quantization;
  const __m512i x_zero = _mm512_set1_epi32(q.x_zero_point);
  const __m512 x_scale = _mm512_set1_ps(q.x_scale);
  const __m512 high = _mm512_set1_ps(kSigned ? 127.0F : 255.0F);
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
  const __m512 y_zero = _mm512_set1_ps(static_cast<float>(q.y_zero_point));
  const __m512 v = _mm512_add_ps(_mm512_div_ps(mean, _mm512_set1_ps(q.y_scale)), y_zero);
  store_bytes<kSigned>(b.y + o * b.y_step + i, _mm512_cvtps_epi32(_mm512_min_ps(high, v)), b.count - i);
}

// The sums of 32 windows, in 16 bits; `flips` makes signed bytes unsigned. kSize: of the window's sides, 0 any.
template <int kStride, std::int64_t kSize>
__m512i byte_sums(const BandArgs& b, const std::uint8_t* from, __m512i flips) {
  const __m512i low_bytes = _mm512_set1_epi16(0xFF);
  __m512i sums = _mm512_setzero_si512();
  for (std::int64_t r = 0; r < (kSize == 0 ? b.rows : kSize); ++r) {
    const std::uint8_t* row = from + r * b.row_step;
    if (kStride == 2 && (kSize == 0 ? b.columns : kSize) == 2 && b.column_step == 1) {
      const __m512i bytes = _mm512_xor_si512(_mm512_loadu_si512(row), flips);
      sums = _mm512_add_epi16(sums, _mm512_maddubs_epi16(bytes, _mm512_set1_epi8(1)));
      continue;
    }
    for (std::int64_t c = 0; c < (kSize == 0 ? b.columns : kSize); ++c) {
      const std::uint8_t* at = row + c * b.column_step;
      if constexpr (kStride == 1) {
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
        sums = _mm512_add_epi16(sums, _mm512_cvtepu8_epi16(_mm256_xor_si256(bytes, _mm512_castsi512_si256(flips))));
      } else {
        const __m512i bytes = _mm512_xor_si512(_mm512_loadu_si512(at), flips);
        sums = _mm512_add_epi16(sums, _mm512_and_si512(bytes, low_bytes));
      }
    }
  }
  return sums;
}

struct ShortCut {
  __m512i shift;
  __m512 y_zero;
  __m512 certain;
};

// 16 windows; bits of `sure` stay set where no tie is near.
__m512i short_average(const ShortCut& cut, __m256i sums, const float* factors, __mmask16& sure) {
  const __m512i sum = _mm512_sub_epi32(_mm512_cvtepu16_epi32(sums), cut.shift);
  const __m512 v = _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(factors)), cut.y_zero);
  const __m512i rounded = _mm512_cvtps_epi32(v);
  const __m512 distance = _mm512_abs_ps(_mm512_sub_ps(v, _mm512_cvtepi32_ps(rounded)));
  sure = _mm512_mask_cmp_ps_mask(sure, distance, cut.certain, _CMP_LT_OQ);
  return rounded;
}

// The first `count` of 32 bytes of int32 values, saturated.
template <bool kSigned>
void store_pair(std::uint8_t* y, __m512i low, __m512i high, std::int64_t count) {
  const __m512i words = _mm512_packs_epi32(low, high);
  const __m256i bytes =
      kSigned ? _mm512_cvtsepi16_epi8(words) : _mm512_cvtusepi16_epi8(_mm512_max_epi16(words, _mm512_setzero_si512()));
  const __m256i in_order = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
  _mm256_mask_storeu_epi8(y, first32(count), in_order);
}

// The short cut, block by block; blocks with a window too near a tie take the exact way. Where most are (equal scales
// give ties by the dozen), the rest of the band does.
template <int kStride, bool kSigned, std::int64_t kSize>
void average_shortly(const AverageBandArgs& args) {
  const BandArgs& b = args.band;
  const PoolQuantization& q = args.quantization;
  const __m512i flips = _mm512_set1_epi8(kSigned ? INT8_MIN : 0);
  const auto zeros = static_cast<std::int32_t>(b.rows * b.columns) * (q.x_zero_point + (kSigned ? 128 : 0));
  const ShortCut cut = {_mm512_set1_epi32(zeros), _mm512_set1_ps(static_cast<float>(q.y_zero_point)),
                        _mm512_set1_ps(args.certain)};
  int credit = kCredit;
  for (std::int64_t o = 0; o < b.out_rows; ++o) {
    const std::uint8_t* from = b.band + o * b.out_step;
    for (std::int64_t i = 0; i < b.count; i += 2 * kFloats) {
      if (credit > 0) {
        const __m512i sums = byte_sums<kStride, kSize>(b, from + i * kStride, flips);
        __mmask16 sure = 0xFFFF;
        const __m512i low = short_average(cut, _mm512_castsi512_si256(sums), args.factors + i, sure);
        const __m512i high = short_average(cut, _mm512_extracti64x4_epi64(sums, 1), args.factors + i + kFloats, sure);
        if (sure == 0xFFFF) {
          store_pair<kSigned>(b.y + o * b.y_step + i, low, high, b.count - i);
          credit += credit < kCredit ? 1 : 0;
          continue;
        }
        --credit;
      }
      average_exactly<kStride, kSigned>(args, o, i);
      if (i + kFloats < b.count) {
        average_exactly<kStride, kSigned>(args, o, i + kFloats);
      }
    }
  }
}

template <int kStride, bool kSigned>
void average(const AverageBandArgs& args) {
  if constexpr (kStride != 0) {
    if (args.certain > 0) {
      const std::int64_t size = args.band.rows == args.band.columns ? args.band.rows : 0;
      return size == 2   ? average_shortly<kStride, kSigned, 2>(args)
             : size == 3 ? average_shortly<kStride, kSigned, 3>(args)
                         : average_shortly<kStride, kSigned, 0>(args);
    }
  }
  for (std::int64_t o = 0; o < args.band.out_rows; ++o) {
    for (std::int64_t i = 0; i < args.band.count; i += kFloats) {
      average_exactly<kStride, kSigned>(args, o, i);
    }
  }
}

template <bool kSigned>
__m512i larger(__m512i a, __m512i b) {
  return kSigned ? _mm512_max_epi8(a, b) : _mm512_max_epu8(a, b);
}

// The largest of a column of taps; kRows 0: any number of them.
template <bool kSigned, std::int64_t kRows>
__m512i largest(const BandArgs& b, const std::uint8_t* from, __m512i lowest) {
  __m512i best = lowest;
  for (std::int64_t r = 0; r < (kRows == 0 ? b.rows : kRows); ++r) {
    best = larger<kSigned>(best, _mm512_loadu_si512(from + r * b.row_step));
  }
  return best;
}

template <bool kSigned, std::int64_t kRows>
void maximum_beside(const BandArgs& b) {
  const __m512i lowest = _mm512_set1_epi8(kSigned ? INT8_MIN : 0);
  for (std::int64_t i = 0; i < b.count; i += kBytes) {
    __m512i best = lowest;
    for (std::int64_t c = 0; c < b.columns; ++c) {
      best = larger<kSigned>(best, largest<kSigned, kRows>(b, b.band + i + c * b.column_step, lowest));
    }
    _mm512_mask_storeu_epi8(b.y + i, first64(b.count - i), best);
  }
}

// Stride 2: of the bytes at even places. The largest of two neighbouring columns is found within 16 bits.
template <bool kSigned, std::int64_t kRows>
void maximum_alternate(const BandArgs& b) {
  const __m512i lowest = _mm512_set1_epi8(kSigned ? INT8_MIN : 0);
  const std::int64_t pairs = b.column_step == 1 ? b.columns / 2 : 0;
  for (std::int64_t i = 0; i < b.count; i += kBytes / 2) {
    __m512i best = lowest;
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      const __m512i both = largest<kSigned, kRows>(b, b.band + 2 * (i + pair), lowest);
      best = larger<kSigned>(best, larger<kSigned>(both, _mm512_srli_epi16(both, 8)));
    }
    for (std::int64_t c = 2 * pairs; c < b.columns; ++c) {
      best = larger<kSigned>(best, largest<kSigned, kRows>(b, b.band + 2 * i + c * b.column_step, lowest));
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

// The sum of unsigned bytes, those of signed values with their top bit flipped, in eight parts.
__m512i parts_of(const std::uint8_t* x, std::int64_t count, std::uint8_t flip) {
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
  return sums;
}

// The compiler's own reduction adds signed numbers, whose overflow is undefined; packed quarters may fill all 64 bits.
std::uint64_t sum_of_lanes(__m512i lanes) {
  alignas(kBytes) std::uint64_t parts[8];
  _mm512_store_si512(parts, lanes);
  return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

std::uint64_t sum_of(const std::uint8_t* x, std::int64_t count, std::uint8_t flip) {
  return sum_of_lanes(parts_of(x, count, flip));
}

// The sums of four planes of up to kFlush bytes, added as the 16-bit quarters of one number.
void four_sums(const std::uint8_t* x, const GlobalAveragePoolArgs& args, std::uint8_t flip, std::uint32_t* out) {
  __m512i quarters = parts_of(x + 3 * args.plane_stride, args.size, flip);
  for (int p = 2; p >= 0; --p) {
    quarters = _mm512_or_si512(_mm512_slli_epi64(quarters, 16), parts_of(x + p * args.plane_stride, args.size, flip));
  }
  const auto sums = sum_of_lanes(quarters);
  for (int p = 0; p < 4; ++p) {
    out[p] = static_cast<std::uint16_t>(sums >> (16 * p));
  }
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
  std::int64_t p = 0;
  for (; args.step == 1 && args.size <= kFlush && p + 4 <= planes; p += 4) {
    four_sums(x + p * args.plane_stride, args, flip, out + p);
  }
  for (; p < planes; ++p) {
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

template <bool kSigned, std::int64_t kRows>
void max_rows(BandArgs row) {
  const std::int64_t out_rows = row.out_rows;
  for (std::int64_t o = 0; o < out_rows; ++o, row.band += row.out_step, row.y += row.y_step) {
    switch (row.stride) {
      case 1:
        maximum_beside<kSigned, kRows>(row);
        break;
      case 2:
        maximum_alternate<kSigned, kRows>(row);
        break;
      default:
        maximum_apart(row, kSigned ? 0x80 : 0);
    }
  }
}

template <bool kSigned>
void max_any(const BandArgs& band) {
  switch (band.rows) {
    case 2:
      return max_rows<kSigned, 2>(band);
    case 3:
      return max_rows<kSigned, 3>(band);
    default:
      return max_rows<kSigned, 0>(band);
  }
}

}  // namespace

void average_band_avx512(const AverageBandArgs& args) {
  args.quantization.is_signed ? average_any<true>(args) : average_any<false>(args);
}

void max_band_avx512(const MaxBandArgs& args) { args.is_signed ? max_any<true>(args.band) : max_any<false>(args.band); }

void qlinear_global_average_pool_avx512(const GlobalAveragePoolArgs& args) {
  args.quantization.is_signed ? global_average<true>(args) : global_average<false>(args);
}

}  // namespace assay::kernels
