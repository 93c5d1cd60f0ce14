// SPDX-License-Identifier: Apache-2.0
// AVX2. A block of one image row becomes int16 values x - x_zero_point, zero outside the image. Read as int32 lanes,
// the int16 row holds pairs of neighbours, which vpmaddwd multiplies with two neighbouring weights and adds. For stride
// 2 the lanes are consecutive outputs; for stride 1 they are the even ones, and the odd ones start one element later.
// Other strides gather every stride-th element first, a tap at a time.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/depthwise/depthwise_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kBlock = 256;            // outputs per block of a row
constexpr std::int64_t kRow = 2 * kBlock + 64;  // int16 elements: the span of a block, one pair and vector slack
constexpr std::int64_t kPairSpan = kRow - kBlock * 2 - 32;  // most columns between the taps of one pass

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

std::int32_t weight(const DepthwiseArgs& args, std::int64_t tap) {
  const std::int32_t raw =
      args.w_signed ? static_cast<const std::int8_t*>(args.w)[tap] : static_cast<const std::uint8_t*>(args.w)[tap];
  return raw - args.w_zero_point;
}

// 16 and 8 consecutive values x - x_zero_point.
void fill16(const DepthwiseArgs& args, const std::uint8_t* x, std::int16_t* out) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
  const __m256i words = args.x_signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
  const __m256i zero_point = _mm256_set1_epi16(static_cast<std::int16_t>(args.x_zero_point));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_sub_epi16(words, zero_point));
}

void fill8(const DepthwiseArgs& args, const std::uint8_t* x, std::int16_t* out) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x));
  const __m128i words = args.x_signed ? _mm_cvtepi8_epi16(bytes) : _mm_cvtepu8_epi16(bytes);
  const __m128i zero_point = _mm_set1_epi16(static_cast<std::int16_t>(args.x_zero_point));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_sub_epi16(words, zero_point));
}

void fill_steps(const DepthwiseArgs& args, const std::uint8_t* x, std::int64_t step, std::int64_t count,
                std::int16_t* out) {
  for (std::int64_t t = 0; t < count; ++t) {
    const std::int32_t raw = args.x_signed ? static_cast<std::int8_t>(x[t * step]) : x[t * step];
    out[t] = static_cast<std::int16_t>(raw - args.x_zero_point);
  }
}

// As fill_steps with step 1; the last vector overlaps the one before.
void fill_neighbours(const DepthwiseArgs& args, const std::uint8_t* x, std::int64_t count, std::int16_t* out) {
  if (count >= 16) {
    for (std::int64_t t = 0; t + 16 < count; t += 16) {
      fill16(args, x + t, out + t);
    }
    fill16(args, x + count - 16, out + count - 16);
  } else if (count >= 8) {
    fill8(args, x, out);
    fill8(args, x + count - 8, out + count - 8);
  } else {
    fill_steps(args, x, 1, count, out);
  }
}

// out[t] = x - x_zero_point at column first + t*step, 0 outside the image.
void fill(const DepthwiseArgs& args, const std::uint8_t* row, std::int64_t first, std::int64_t step, std::int64_t count,
          std::int16_t* out) {
  const std::int64_t before = first < 0 ? least(count, (-first + step - 1) / step) : 0;
  const std::int64_t inside = args.width > first ? (args.width - 1 - first) / step + 1 : 0;
  const std::int64_t end = least(count, inside);
  for (std::int64_t t = 0; t < before; ++t) {
    out[t] = 0;
  }
  if (end > before) {
    const std::uint8_t* x = row + first + before * step;
    if (step == 1) {
      fill_neighbours(args, x, end - before, out + before);
    } else {
      fill_steps(args, x, step, end - before, out + before);
    }
  }
  for (std::int64_t t = end > before ? end : before; t < count; ++t) {
    out[t] = 0;
  }
}

void add_to(std::int32_t* acc, __m256i value) {
  auto* lanes = reinterpret_cast<__m256i*>(acc);
  _mm256_store_si256(lanes, _mm256_add_epi32(_mm256_load_si256(lanes), value));
}

__m256i madd(const std::int16_t* x, __m256i weights) {
  return _mm256_madd_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)), weights);
}

// acc[t] += x[t]*w0 + x[t+1]*w1
void add_pair_stride1(const std::int16_t* x, __m256i weights, std::int64_t count, std::int32_t* acc) {
  for (std::int64_t t = 0; t < count; t += 16) {
    const __m256i even = madd(x + t, weights);
    const __m256i odd = madd(x + t + 1, weights);
    const __m256i low = _mm256_unpacklo_epi32(even, odd);   // outputs 0..3 and 8..11
    const __m256i high = _mm256_unpackhi_epi32(even, odd);  // outputs 4..7 and 12..15
    add_to(acc + t, _mm256_permute2x128_si256(low, high, 0x20));
    add_to(acc + t + 8, _mm256_permute2x128_si256(low, high, 0x31));
  }
}

// acc[t] += x[2t]*w0 + x[2t+1]*w1
void add_pair_stride2(const std::int16_t* x, __m256i weights, std::int64_t count, std::int32_t* acc) {
  for (std::int64_t t = 0; t < count; t += 8) {
    add_to(acc + t, madd(x + 2 * t, weights));
  }
}

__m256i pair_of(std::int32_t w0, std::int32_t w1) {
  const std::uint32_t bits = (static_cast<std::uint32_t>(w0) & 0xFFFFU) | (static_cast<std::uint32_t>(w1) << 16U);
  return _mm256_set1_epi32(static_cast<std::int32_t>(bits));
}

void add_kernel_row(const DepthwiseArgs& args, const std::uint8_t* row, std::int64_t ky, std::int64_t ox0,
                    std::int64_t count, std::int32_t* acc) {
  alignas(32) std::int16_t x[kRow];  // lanes behind the span are read, and give outputs that nobody uses
  const bool gather = args.stride_w > 2;
  // Taps first .. first+taps-1 share one filled row: neighbours that lie within kPairSpan columns.
  const std::int64_t most = gather ? 1 : kPairSpan / args.dilation_w + 1;
  for (std::int64_t kx0 = 0; kx0 < args.kernel_w; kx0 += most) {
    const std::int64_t taps = least(most, args.kernel_w - kx0);
    const std::int64_t first = ox0 * args.stride_w - args.pad_left + kx0 * args.dilation_w;
    const std::int64_t stride = gather ? 1 : args.stride_w;
    const std::int64_t span = (count - 1) * stride + (taps - 1) * args.dilation_w + 2;
    fill(args, row, first, gather ? args.stride_w : 1, span, x);
    for (std::int64_t t = 0; t < taps;) {
      const bool paired = args.dilation_w == 1 && t + 1 < taps;
      const std::int64_t tap = ky * args.kernel_w + kx0 + t;
      const __m256i weights = pair_of(weight(args, tap), paired ? weight(args, tap + 1) : 0);
      const std::int16_t* begin = x + t * args.dilation_w;
      if (stride == 1) {
        add_pair_stride1(begin, weights, count, acc);
      } else {
        add_pair_stride2(begin, weights, count, acc);
      }
      t += paired ? 2 : 1;
    }
  }
}

}  // namespace

void depthwise_avx2(const DepthwiseArgs& args) {
  alignas(32) std::int32_t acc[kBlock];
  for (std::int64_t oy = 0; oy < args.out_h; ++oy) {
    for (std::int64_t ox0 = 0; ox0 < args.out_w; ox0 += kBlock) {
      const std::int64_t count = least(kBlock, args.out_w - ox0);
      for (std::int64_t t = 0; t < kBlock; t += 8) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(acc + t), _mm256_set1_epi32(args.bias));
      }
      for (std::int64_t ky = 0; ky < args.kernel_h; ++ky) {
        const std::int64_t iy = oy * args.stride_h - args.pad_top + ky * args.dilation_h;
        if (iy >= 0 && iy < args.height) {
          add_kernel_row(args, static_cast<const std::uint8_t*>(args.x) + iy * args.width, ky, ox0, count, acc);
        }
      }
      std::int32_t* out = args.acc + oy * args.out_w + ox0;
      for (std::int64_t t = 0; t < count; ++t) {
        out[t] = acc[t];
      }
    }
  }
}

}  // namespace assay::kernels
