// SPDX-License-Identifier: Apache-2.0
// AVX2. Averages take eight windows at a time, maxima 32, global averages a plane or 32 planes. Strides 1 and 2 load
// registers; for stride 2 every other byte stays. Wider strides gather bytes one by one. Clamping takes one vminps:
// with the bound first it lets NaN through, vcvtps2dq (half to even) makes NaN and anything below the int32 range
// INT32_MIN, and the saturating packs do the rest.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/pool/pool_args.h"

namespace assay::kernels {

void average_band_avx2(const AverageBandArgs& args);
void max_band_avx2(const MaxBandArgs& args);
void qlinear_global_average_pool_avx2(const GlobalAveragePoolArgs& args);

namespace {

constexpr std::int64_t kFloats = 8;
constexpr std::int64_t kBytes = 32;
constexpr std::int64_t kFlush = 256;  // sums of as many bytes fit into 16 bits
constexpr int kCredit = 16;           // blocks
constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

__m128i load16(const std::uint8_t* bytes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)); }
__m256i load32(const std::uint8_t* bytes) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)); }

// The first `count` of 16 bytes.
void store_first(std::uint8_t* y, __m128i bytes, std::int64_t count) {
  if (count >= 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), bytes);
    return;
  }
  if ((count & 8) != 0) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(y), bytes);
    bytes = _mm_srli_si128(bytes, 8);
    y += 8;
  }
  if ((count & 4) != 0) {
    _mm_storeu_si32(y, bytes);
    bytes = _mm_srli_si128(bytes, 4);
    y += 4;
  }
  if ((count & 2) != 0) {
    _mm_storeu_si16(y, bytes);
    bytes = _mm_srli_si128(bytes, 2);
    y += 2;
  }
  if ((count & 1) != 0) {
    *y = static_cast<std::uint8_t>(_mm_extract_epi8(bytes, 0));
  }
}

// The first `count` of eight bytes of int32 values, saturated.
template <bool kSigned>
void store_bytes(std::uint8_t* y, __m256i v, std::int64_t count) {
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  store_first(y, kSigned ? _mm_packs_epi16(words, words) : _mm_packus_epi16(words, words), least(count, kFloats));
}

template <bool kSigned>
__m256i widened(__m128i bytes) {
  return kSigned ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes);
}

// One tap of eight windows.
template <int kStride, bool kSigned>
__m256i tap(const std::uint8_t* from, std::int64_t stride, std::int64_t count) {
  if constexpr (kStride == 1) {
    return widened<kSigned>(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  } else if constexpr (kStride == 2) {
    const __m128i words = load16(from);
    return kSigned ? _mm256_cvtepi16_epi32(_mm_srai_epi16(_mm_slli_epi16(words, 8), 8))
                   : _mm256_cvtepu16_epi32(_mm_and_si128(words, _mm_set1_epi16(0xFF)));
  } else {
    std::uint8_t bytes[16] = {};
    for (std::int64_t i = 0; i < least(count, kFloats); ++i) {
      bytes[i] = from[i * stride];
    }
    return widened<kSigned>(load16(bytes));
  }
}

// Eight windows from window i of output row o on, by the contract's own steps.
template <int kStride, bool kSigned>
void average_exactly(const AverageBandArgs& args, std::int64_t o, std::int64_t i) {
  const BandArgs& b = args.band;
  const PoolQuantization& q = args.quantization;
  const __m256i x_zero = _mm256_set1_epi32(q.x_zero_point);
  const __m256 x_scale = _mm256_set1_ps(q.x_scale);
  const __m256 high = _mm256_set1_ps(kSigned ? 127.0F : 255.0F);
  __m256 sum = _mm256_setzero_ps();
  for (std::int64_t r = 0; r < b.rows; ++r) {
    const std::uint8_t* from = b.band + o * b.out_step + r * b.row_step + i * b.stride;
    for (std::int64_t c = 0; c < b.columns; ++c) {
      const __m256i x = tap<kStride, kSigned>(from + c * b.column_step, b.stride, b.count - i);
      sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(x, x_zero)), x_scale));
    }
  }
  const __m256 taps = _mm256_loadu_ps(args.taps + i);
  const __m256 mean = args.inverse ? _mm256_mul_ps(sum, taps) : _mm256_div_ps(sum, taps);
  const __m256 y_zero = _mm256_set1_ps(static_cast<float>(q.y_zero_point));
  const __m256 v = _mm256_add_ps(_mm256_div_ps(mean, _mm256_set1_ps(q.y_scale)), y_zero);
  store_bytes<kSigned>(b.y + o * b.y_step + i, _mm256_cvtps_epi32(_mm256_min_ps(high, v)), b.count - i);
}

// The sums of 16 windows, in 16 bits; `flips` makes signed bytes unsigned.
template <int kStride>
__m256i byte_sums(const BandArgs& b, const std::uint8_t* from, __m256i flips) {
  const __m256i low_bytes = _mm256_set1_epi16(0xFF);
  __m256i sums = _mm256_setzero_si256();
  for (std::int64_t r = 0; r < b.rows; ++r) {
    const std::uint8_t* row = from + r * b.row_step;
    if (kStride == 2 && b.columns == 2 && b.column_step == 1) {
      const __m256i bytes = _mm256_xor_si256(load32(row), flips);
      sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)));
      continue;
    }
    for (std::int64_t c = 0; c < b.columns; ++c) {
      const std::uint8_t* at = row + c * b.column_step;
      if constexpr (kStride == 1) {
        const __m128i bytes = _mm_xor_si128(load16(at), _mm256_castsi256_si128(flips));
        sums = _mm256_add_epi16(sums, _mm256_cvtepu8_epi16(bytes));
      } else {
        sums = _mm256_add_epi16(sums, _mm256_and_si256(_mm256_xor_si256(load32(at), flips), low_bytes));
      }
    }
  }
  return sums;
}

struct ShortCut {
  __m256i shift;
  __m256 y_zero;
  __m256 certain;
};

// Eight windows; lanes of `unsure` get their sign bit where one is too near a tie.
__m256i short_average(const ShortCut& cut, __m128i sums, const float* factors, __m256& unsure) {
  const __m256i sum = _mm256_sub_epi32(_mm256_cvtepu16_epi32(sums), cut.shift);
  const __m256 v = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_loadu_ps(factors)), cut.y_zero);
  const __m256 difference = _mm256_sub_ps(v, _mm256_round_ps(v, kNearest));
  const __m256 distance = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), difference);
  unsure = _mm256_or_ps(unsure, _mm256_cmp_ps(distance, cut.certain, _CMP_NLT_UQ));
  return _mm256_cvtps_epi32(v);
}

// The first `count` of 16 bytes of int32 values, saturated.
template <bool kSigned>
void store_pair(std::uint8_t* y, __m256i low, __m256i high, std::int64_t count) {
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xD8);
  const __m128i left = _mm256_castsi256_si128(words);
  const __m128i right = _mm256_extracti128_si256(words, 1);
  store_first(y, kSigned ? _mm_packs_epi16(left, right) : _mm_packus_epi16(left, right), count);
}

// The short cut, block by block; blocks with a window too near a tie take the exact way. Where most are (equal scales
// give ties by the dozen), the rest of the band does.
template <int kStride, bool kSigned>
void average_shortly(const AverageBandArgs& args) {
  const BandArgs& b = args.band;
  const PoolQuantization& q = args.quantization;
  const __m256i flips = _mm256_set1_epi8(kSigned ? INT8_MIN : 0);
  const auto zeros = static_cast<std::int32_t>(b.rows * b.columns) * (q.x_zero_point + (kSigned ? 128 : 0));
  const ShortCut cut = {_mm256_set1_epi32(zeros), _mm256_set1_ps(static_cast<float>(q.y_zero_point)),
                        _mm256_set1_ps(args.certain)};
  int credit = kCredit;
  for (std::int64_t o = 0; o < b.out_rows; ++o) {
    const std::uint8_t* from = b.band + o * b.out_step;
    for (std::int64_t i = 0; i < b.count; i += 2 * kFloats) {
      if (credit > 0) {
        const __m256i sums = byte_sums<kStride>(b, from + i * kStride, flips);
        __m256 unsure = _mm256_setzero_ps();
        const __m256i low = short_average(cut, _mm256_castsi256_si128(sums), args.factors + i, unsure);
        const __m256i high = short_average(cut, _mm256_extracti128_si256(sums, 1), args.factors + i + kFloats, unsure);
        if (_mm256_movemask_ps(unsure) == 0) {
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
      return average_shortly<kStride, kSigned>(args);
    }
  }
  for (std::int64_t o = 0; o < args.band.out_rows; ++o) {
    for (std::int64_t i = 0; i < args.band.count; i += kFloats) {
      average_exactly<kStride, kSigned>(args, o, i);
    }
  }
}

template <bool kSigned>
__m256i larger(__m256i a, __m256i b) {
  return kSigned ? _mm256_max_epi8(a, b) : _mm256_max_epu8(a, b);
}

// The largest of a column of taps; kRows 0: any number of them.
template <bool kSigned, std::int64_t kRows>
__m256i largest(const BandArgs& b, const std::uint8_t* from, __m256i lowest) {
  __m256i best = lowest;
  for (std::int64_t r = 0; r < (kRows == 0 ? b.rows : kRows); ++r) {
    best = larger<kSigned>(best, load32(from + r * b.row_step));
  }
  return best;
}

// The first `count` of 32 bytes.
void store_maxima(std::uint8_t* y, __m256i bytes, std::int64_t count) {
  if (count >= kBytes) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), bytes);
    return;
  }
  store_first(y, _mm256_castsi256_si128(bytes), count);
  if (count > 16) {
    store_first(y + 16, _mm256_extracti128_si256(bytes, 1), count - 16);
  }
}

template <bool kSigned, std::int64_t kRows>
void maximum_beside(const BandArgs& b) {
  const __m256i lowest = _mm256_set1_epi8(kSigned ? INT8_MIN : 0);
  for (std::int64_t i = 0; i < b.count; i += kBytes) {
    __m256i best = lowest;
    for (std::int64_t c = 0; c < b.columns; ++c) {
      best = larger<kSigned>(best, largest<kSigned, kRows>(b, b.band + i + c * b.column_step, lowest));
    }
    store_maxima(b.y + i, best, b.count - i);
  }
}

// The largest of the windows of 16 even places. That of two neighbouring columns is found within 16 bits.
template <bool kSigned, std::int64_t kRows>
__m256i largest_alternate(const BandArgs& b, const std::uint8_t* from, __m256i lowest) {
  const std::int64_t pairs = b.column_step == 1 ? b.columns / 2 : 0;
  __m256i best = lowest;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const __m256i both_columns = largest<kSigned, kRows>(b, from + 2 * pair, lowest);
    best = larger<kSigned>(best, larger<kSigned>(both_columns, _mm256_srli_epi16(both_columns, 8)));
  }
  for (std::int64_t c = 2 * pairs; c < b.columns; ++c) {
    best = larger<kSigned>(best, largest<kSigned, kRows>(b, from + c * b.column_step, lowest));
  }
  return _mm256_and_si256(best, _mm256_set1_epi16(0xFF));
}

// Stride 2.
template <bool kSigned, std::int64_t kRows>
void maximum_alternate(const BandArgs& b) {
  const __m256i lowest = _mm256_set1_epi8(kSigned ? INT8_MIN : 0);
  for (std::int64_t i = 0; i < b.count; i += kBytes) {
    const std::uint8_t* from = b.band + 2 * i;
    const __m256i low = largest_alternate<kSigned, kRows>(b, from, lowest);
    const __m256i high = b.count - i > 16 ? largest_alternate<kSigned, kRows>(b, from + kBytes, lowest) : low;
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), 0xD8);
    store_maxima(b.y + i, packed, b.count - i);
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

// The sum of unsigned bytes, those of signed values with their top bit flipped, in two parts.
__m128i parts_of(const std::uint8_t* x, std::int64_t count, std::uint8_t flip) {
  const __m256i flips = _mm256_set1_epi8(static_cast<char>(flip));
  const __m256i zero = _mm256_setzero_si256();
  __m256i sums = zero;
  std::int64_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    sums = _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_xor_si256(load32(x + i), flips), zero));
  }
  __m128i pair = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  if (i + 16 <= count) {
    const __m128i bytes = _mm_xor_si128(load16(x + i), _mm256_castsi256_si128(flips));
    pair = _mm_add_epi64(pair, _mm_sad_epu8(bytes, _mm_setzero_si128()));
    i += 16;
  }
  std::int64_t rest = 0;
  for (; i < count; ++i) {
    rest += x[i] ^ flip;
  }
  return _mm_add_epi64(pair, _mm_cvtsi64_si128(rest));
}

std::uint64_t both(__m128i pair) {
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(pair)) + static_cast<std::uint64_t>(_mm_extract_epi64(pair, 1));
}

std::uint64_t sum_of(const std::uint8_t* x, std::int64_t count, std::uint8_t flip) {
  return both(parts_of(x, count, flip));
}

// The sums of four planes of up to kFlush bytes, added as the 16-bit quarters of one number.
void four_sums(const std::uint8_t* x, const GlobalAveragePoolArgs& args, std::uint8_t flip, std::uint32_t* out) {
  __m128i quarters = parts_of(x + 3 * args.plane_stride, args.size, flip);
  for (int p = 2; p >= 0; --p) {
    quarters = _mm_or_si128(_mm_slli_epi64(quarters, 16), parts_of(x + p * args.plane_stride, args.size, flip));
  }
  const std::uint64_t sums = both(quarters);
  for (int p = 0; p < 4; ++p) {
    out[p] = static_cast<std::uint16_t>(sums >> (16 * p));
  }
}

// The sums of 32 neighbouring planes, position by position.
void sums_across(const std::uint8_t* x, const GlobalAveragePoolArgs& args, std::uint8_t flip, std::uint32_t* out) {
  const __m256i flips = _mm256_set1_epi8(static_cast<char>(flip));
  const __m256i zero = _mm256_setzero_si256();
  __m256i sums[4] = {zero, zero, zero, zero};
  for (std::int64_t start = 0; start < args.size; start += kFlush) {
    __m256i words[2] = {zero, zero};
    const std::int64_t end = least(start + kFlush, args.size);
    for (std::int64_t i = start; i < end; ++i) {
      const __m256i bytes = _mm256_xor_si256(load32(x + i * args.step), flips);
      words[0] = _mm256_add_epi16(words[0], _mm256_cvtepu8_epi16(_mm256_castsi256_si128(bytes)));
      words[1] = _mm256_add_epi16(words[1], _mm256_cvtepu8_epi16(_mm256_extracti128_si256(bytes, 1)));
    }
    for (int half = 0; half < 2; ++half) {
      const __m256i low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(words[half]));
      const __m256i high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(words[half], 1));
      sums[2 * half] = _mm256_add_epi32(sums[2 * half], low);
      sums[2 * half + 1] = _mm256_add_epi32(sums[2 * half + 1], high);
    }
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i * kFloats), sums[i]);
  }
}

std::uint32_t sum_apart(const std::uint8_t* x, const GlobalAveragePoolArgs& args, std::uint8_t flip) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < args.size; ++i) {
    sum += static_cast<std::uint32_t>(x[i * args.step] ^ flip);
  }
  return sum;
}

// The sums of up to 32 planes.
void block_sums(const GlobalAveragePoolArgs& args, std::int64_t first, std::int64_t planes, std::uint32_t* out) {
  const std::uint8_t flip = args.quantization.is_signed ? 0x80 : 0;
  const auto* x = static_cast<const std::uint8_t*>(args.x) + first * args.plane_stride;
  if (args.plane_stride == 1 && planes == kBytes) {
    return sums_across(x, args, flip, out);
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
  const __m256i shift = _mm256_set1_epi32(static_cast<std::int32_t>(zeros));
  const __m256 scale = _mm256_set1_ps(q.x_scale / (q.y_scale * static_cast<float>(args.size)));
  const __m256 low = _mm256_set1_ps(static_cast<float>((kSigned ? INT8_MIN : 0) - q.y_zero_point));
  const __m256 high = _mm256_set1_ps(static_cast<float>((kSigned ? INT8_MAX : UINT8_MAX) - q.y_zero_point));
  const __m256i y_zero = _mm256_set1_epi32(q.y_zero_point);
  auto* y = static_cast<std::uint8_t*>(args.y);
  for (std::int64_t first = 0; first < args.planes; first += kBytes) {
    const std::int64_t planes = least(kBytes, args.planes - first);
    std::uint32_t sums[kBytes] = {};
    block_sums(args, first, planes, sums);
    for (std::int64_t i = 0; i < planes; i += kFloats) {
      const __m256i sum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + i));
      const __m256 v = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(sum, shift)), scale);
      const __m256 clamped = _mm256_min_ps(_mm256_max_ps(v, low), high);  // NaN: low
      store_bytes<kSigned>(y + first + i, _mm256_add_epi32(_mm256_cvtps_epi32(clamped), y_zero), planes - i);
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

void average_band_avx2(const AverageBandArgs& args) {
  args.quantization.is_signed ? average_any<true>(args) : average_any<false>(args);
}

void max_band_avx2(const MaxBandArgs& args) { args.is_signed ? max_any<true>(args.band) : max_any<false>(args.band); }

void qlinear_global_average_pool_avx2(const GlobalAveragePoolArgs& args) {
  args.quantization.is_signed ? global_average<true>(args) : global_average<false>(args);
}

}  // namespace assay::kernels
