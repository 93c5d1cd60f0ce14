// SPDX-License-Identifier: Apache-2.0
// AVX-512, 64 elements a step, the last one under masks. Clamping takes one vminps: with the bound
// first it lets NaN through, vcvtps2dq (half to even) makes NaN and anything below the int32 range INT32_MIN, and the
// saturating packs do the rest.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/elementwise/binary_args.h"

namespace assay::kernels {

void qlinear_add_fused_avx512(const BinaryArgs& args);
void qlinear_add_unfused_avx512(const BinaryArgs& args);
void qlinear_mul_avx512(const BinaryArgs& args);

namespace {

constexpr std::int64_t kStep = 64;
constexpr int kVector = 16;

enum class Operation { kAddFused, kAddUnfused, kMul };

struct Constants {
  __m512 a;     // add: ra; mul: the scale
  __m512 b;     // add: rb
  __m512 last;  // add: c; mul: y_z
  __m512 high;
  __m512i a_zero;  // mul
  __m512i b_zero;  // mul
};

template <Operation kOperation>
Constants constants_of(const BinaryArgs& args) {
  const auto a_zero = static_cast<float>(args.a.zero_point);
  const auto b_zero = static_cast<float>(args.b.zero_point);
  const auto y_zero = static_cast<float>(args.y_zero_point);
  Constants out;
  out.high = _mm512_set1_ps(args.is_signed ? 127.0F : 255.0F);
  out.a_zero = _mm512_set1_epi32(args.a.zero_point);
  out.b_zero = _mm512_set1_epi32(args.b.zero_point);
  if (kOperation == Operation::kMul) {
    out.a = _mm512_set1_ps(args.a.scale * args.b.scale / args.y_scale);
    out.b = out.a;
    out.last = _mm512_set1_ps(y_zero);
    return out;
  }
  const float ra = args.a.scale / args.y_scale;
  const float rb = args.b.scale / args.y_scale;
  const float b_term = rb * b_zero;
  const float fused =
      _mm512_cvtss_f32(_mm512_fmadd_ps(_mm512_set1_ps(ra), _mm512_set1_ps(a_zero), _mm512_set1_ps(b_term)));
  out.a = _mm512_set1_ps(ra);
  out.b = _mm512_set1_ps(rb);
  out.last = _mm512_set1_ps(y_zero - (kOperation == Operation::kAddFused ? fused : ra * a_zero + b_term));
  return out;
}

template <bool kSigned>
__m512i widened(__m128i bytes) {
  return kSigned ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes);
}

// A full step, or the elements of a mask.
struct Whole {
  __m128i load(const std::uint8_t* bytes, int /*vector*/) const {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  }
  void store(std::uint8_t* bytes, __m512i v) const { _mm512_storeu_si512(bytes, v); }
};
struct Masked {
  __mmask64 mask;

  __m128i load(const std::uint8_t* bytes, int vector) const {
    return _mm_maskz_loadu_epi8(static_cast<__mmask16>(mask >> (vector * kVector)), bytes);
  }
  void store(std::uint8_t* bytes, __m512i v) const { _mm512_mask_storeu_epi8(bytes, mask, v); }
};

template <Operation kOperation>
__m512i combined(__m512i a, __m512i b, const Constants& c) {
  __m512 v;
  if (kOperation == Operation::kMul) {
    // Differences of at most 255 and their products are exact in float32.
    const __m512 difference = _mm512_cvtepi32_ps(_mm512_sub_epi32(a, c.a_zero));
    const __m512 product = _mm512_mul_ps(difference, _mm512_cvtepi32_ps(_mm512_sub_epi32(b, c.b_zero)));
    v = _mm512_add_ps(_mm512_mul_ps(product, c.a), c.last);
  } else {
    const __m512 fa = _mm512_cvtepi32_ps(a);
    const __m512 fb = _mm512_cvtepi32_ps(b);
    v = kOperation == Operation::kAddFused
            ? _mm512_fmadd_ps(fa, c.a, _mm512_fmadd_ps(fb, c.b, c.last))
            : _mm512_add_ps(_mm512_mul_ps(fb, c.b), _mm512_add_ps(_mm512_mul_ps(fa, c.a), c.last));
  }
  return _mm512_cvtps_epi32(_mm512_min_ps(c.high, v));
}

// A repeated operand is in its vector alone.
struct Spans {
  const std::uint8_t* a;
  const std::uint8_t* b;
  __m512i a_once;
  __m512i b_once;
};

// Packing works on quarters of registers; the permutation puts the 16ths back in order.
template <Operation kOperation, bool kSigned, bool kStepA, bool kStepB, typename Access>
void step(const Spans& spans, std::int64_t at, const Constants& c, std::uint8_t* y, Access access) {
  __m512i v[4];
  for (int i = 0; i < 4; ++i) {
    const __m512i a = kStepA ? widened<kSigned>(access.load(spans.a + at + i * kVector, i)) : spans.a_once;
    const __m512i b = kStepB ? widened<kSigned>(access.load(spans.b + at + i * kVector, i)) : spans.b_once;
    v[i] = combined<kOperation>(a, b, c);
  }
  const __m512i low = _mm512_packs_epi32(v[0], v[1]);
  const __m512i high = _mm512_packs_epi32(v[2], v[3]);
  const __m512i bytes = kSigned ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  access.store(y + at, _mm512_permutexvar_epi32(order, bytes));
}

std::int32_t element(const void* data, bool is_signed) {
  return is_signed ? *static_cast<const std::int8_t*>(data) : *static_cast<const std::uint8_t*>(data);
}

template <Operation kOperation, bool kSigned, bool kStepA, bool kStepB>
void run_steps(const BinaryArgs& args) {
  const Constants c = constants_of<kOperation>(args);
  const Spans spans = {static_cast<const std::uint8_t*>(args.a.data), static_cast<const std::uint8_t*>(args.b.data),
                       _mm512_set1_epi32(element(args.a.data, kSigned)),
                       _mm512_set1_epi32(element(args.b.data, kSigned))};
  auto* y = static_cast<std::uint8_t*>(args.y);
  std::int64_t i = 0;
  for (; i + kStep <= args.count; i += kStep) {
    step<kOperation, kSigned, kStepA, kStepB>(spans, i, c, y, Whole{});
  }
  if (i < args.count) {
    const __mmask64 mask = (std::uint64_t{1} << (args.count - i)) - 1;
    step<kOperation, kSigned, kStepA, kStepB>(spans, i, c, y, Masked{mask});
  }
}

template <Operation kOperation, bool kSigned>
void run_typed(const BinaryArgs& args) {
  if (args.a.step == 0) {
    return args.b.step == 0 ? run_steps<kOperation, kSigned, false, false>(args)
                            : run_steps<kOperation, kSigned, false, true>(args);
  }
  return args.b.step == 0 ? run_steps<kOperation, kSigned, true, false>(args)
                          : run_steps<kOperation, kSigned, true, true>(args);
}

template <Operation kOperation>
void run(const BinaryArgs& args) {
  if (args.count > 0) {
    args.is_signed ? run_typed<kOperation, true>(args) : run_typed<kOperation, false>(args);
  }
}

}  // namespace

void qlinear_add_fused_avx512(const BinaryArgs& args) { run<Operation::kAddFused>(args); }
void qlinear_add_unfused_avx512(const BinaryArgs& args) { run<Operation::kAddUnfused>(args); }
void qlinear_mul_avx512(const BinaryArgs& args) { run<Operation::kMul>(args); }

}  // namespace assay::kernels
