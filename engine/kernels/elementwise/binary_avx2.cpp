// SPDX-License-Identifier: Apache-2.0
// AVX2 and FMA, 32 elements a step; a shorter last step goes through buffers. Clamping takes one vminps: with the bound
// first it lets NaN through, vcvtps2dq (half to even) makes NaN and anything below the int32 range INT32_MIN, and the
// saturating packs do the rest.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/elementwise/binary_args.h"

namespace assay::kernels {

void qlinear_add_fused_avx2(const BinaryArgs& args);
void qlinear_add_unfused_avx2(const BinaryArgs& args);
void qlinear_mul_avx2(const BinaryArgs& args);

namespace {

constexpr std::int64_t kStep = 32;
constexpr int kVector = 8;

enum class Operation { kAddFused, kAddUnfused, kMul };

struct Constants {
  __m256 a;     // add: ra; mul: the scale
  __m256 b;     // add: rb
  __m256 last;  // add: c; mul: y_z
  __m256 high;
  __m256i a_zero;  // mul
  __m256i b_zero;  // mul
};

template <Operation kOperation>
Constants constants_of(const BinaryArgs& args) {
  const auto a_zero = static_cast<float>(args.a.zero_point);
  const auto b_zero = static_cast<float>(args.b.zero_point);
  const auto y_zero = static_cast<float>(args.y_zero_point);
  Constants out;
  out.high = _mm256_set1_ps(args.is_signed ? 127.0F : 255.0F);
  out.a_zero = _mm256_set1_epi32(args.a.zero_point);
  out.b_zero = _mm256_set1_epi32(args.b.zero_point);
  if (kOperation == Operation::kMul) {
    out.a = _mm256_set1_ps(args.a.scale * args.b.scale / args.y_scale);
    out.b = out.a;
    out.last = _mm256_set1_ps(y_zero);
    return out;
  }
  const float ra = args.a.scale / args.y_scale;
  const float rb = args.b.scale / args.y_scale;
  const float b_term = rb * b_zero;
  const float fused = _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(ra), _mm_set_ss(a_zero), _mm_set_ss(b_term)));
  out.a = _mm256_set1_ps(ra);
  out.b = _mm256_set1_ps(rb);
  out.last = _mm256_set1_ps(y_zero - (kOperation == Operation::kAddFused ? fused : ra * a_zero + b_term));
  return out;
}

template <bool kSigned>
__m256i widened(const std::uint8_t* bytes) {
  const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
  return kSigned ? _mm256_cvtepi8_epi32(eight) : _mm256_cvtepu8_epi32(eight);
}

template <Operation kOperation>
__m256i combined(__m256i a, __m256i b, const Constants& c) {
  __m256 v;
  if (kOperation == Operation::kMul) {
    // Differences of at most 255 and their products are exact in float32.
    const __m256 difference = _mm256_cvtepi32_ps(_mm256_sub_epi32(a, c.a_zero));
    const __m256 product = _mm256_mul_ps(difference, _mm256_cvtepi32_ps(_mm256_sub_epi32(b, c.b_zero)));
    v = _mm256_add_ps(_mm256_mul_ps(product, c.a), c.last);
  } else {
    const __m256 fa = _mm256_cvtepi32_ps(a);
    const __m256 fb = _mm256_cvtepi32_ps(b);
    v = kOperation == Operation::kAddFused
            ? _mm256_fmadd_ps(fa, c.a, _mm256_fmadd_ps(fb, c.b, c.last))
            : _mm256_add_ps(_mm256_mul_ps(fb, c.b), _mm256_add_ps(_mm256_mul_ps(fa, c.a), c.last));
  }
  return _mm256_cvtps_epi32(_mm256_min_ps(c.high, v));
}

// A repeated operand is in its vector alone.
struct Spans {
  const std::uint8_t* a;
  const std::uint8_t* b;
  __m256i a_once;
  __m256i b_once;
};

template <Operation kOperation, bool kSigned, bool kStepA, bool kStepB>
void step(const Spans& spans, std::int64_t at, const Constants& c, std::uint8_t* y) {
  __m256i v[4];
  for (int i = 0; i < 4; ++i) {
    const __m256i a = kStepA ? widened<kSigned>(spans.a + at + i * kVector) : spans.a_once;
    const __m256i b = kStepB ? widened<kSigned>(spans.b + at + i * kVector) : spans.b_once;
    v[i] = combined<kOperation>(a, b, c);
  }
  const __m256i low = _mm256_packs_epi32(v[0], v[1]);
  const __m256i high = _mm256_packs_epi32(v[2], v[3]);
  const __m256i bytes = kSigned ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + at), _mm256_permutevar8x32_epi32(bytes, order));
}

std::int32_t element(const void* data, bool is_signed) {
  return is_signed ? *static_cast<const std::int8_t*>(data) : *static_cast<const std::uint8_t*>(data);
}

template <Operation kOperation, bool kSigned, bool kStepA, bool kStepB>
void run_steps(const BinaryArgs& args) {
  const Constants c = constants_of<kOperation>(args);
  const Spans spans = {static_cast<const std::uint8_t*>(args.a.data), static_cast<const std::uint8_t*>(args.b.data),
                       _mm256_set1_epi32(element(args.a.data, kSigned)),
                       _mm256_set1_epi32(element(args.b.data, kSigned))};
  auto* y = static_cast<std::uint8_t*>(args.y);
  std::int64_t i = 0;
  for (; i + kStep <= args.count; i += kStep) {
    step<kOperation, kSigned, kStepA, kStepB>(spans, i, c, y);
  }
  const std::int64_t rest = args.count - i;
  if (rest == 0) {
    return;
  }
  std::uint8_t a[kStep] = {};
  std::uint8_t b[kStep] = {};
  std::uint8_t out[kStep];
  for (std::int64_t j = 0; j < rest; ++j) {
    a[j] = kStepA ? spans.a[i + j] : std::uint8_t{0};
    b[j] = kStepB ? spans.b[i + j] : std::uint8_t{0};
  }
  step<kOperation, kSigned, kStepA, kStepB>({a, b, spans.a_once, spans.b_once}, 0, c, out);
  for (std::int64_t j = 0; j < rest; ++j) {
    y[i + j] = out[j];
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

void qlinear_add_fused_avx2(const BinaryArgs& args) { run<Operation::kAddFused>(args); }
void qlinear_add_unfused_avx2(const BinaryArgs& args) { run<Operation::kAddUnfused>(args); }
void qlinear_mul_avx2(const BinaryArgs& args) { run<Operation::kMul>(args); }

}  // namespace assay::kernels
