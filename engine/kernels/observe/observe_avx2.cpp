// SPDX-License-Identifier: Apache-2.0
// AVX2, 8 elements a register. Magnitudes are compared as integers, whose order is the same; infinity and NaN are the
// integers from 0x7f800000 on.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/observe/observe_args.h"

namespace assay::kernels {

FloatExtremes float_extremes_avx2(const float* x, std::int64_t count);
void find_counters_avx2(const CounterArgs& args);

namespace {

constexpr std::int64_t kVector = 8;
constexpr std::int32_t kInfinityBits = 0x7f800000;

float infinity() { return __builtin_inff(); }

// A group of accumulators; two of them, so that no instruction waits for the last.
struct Lanes {
  __m256 min = _mm256_set1_ps(infinity());
  __m256 max = _mm256_set1_ps(-infinity());
  __m256i least = _mm256_set1_epi32(kInfinityBits);
  __m256i most = _mm256_setzero_si256();  // magnitudes

  void take(__m256 v) {
    const __m256i magnitude = _mm256_and_si256(_mm256_castps_si256(v), _mm256_set1_epi32(INT32_MAX));
    min = _mm256_min_ps(v, min);  // NaN: the second operand
    max = _mm256_max_ps(v, max);
    least = _mm256_min_epi32(magnitude, least);
    most = _mm256_max_epi32(magnitude, most);
  }
  void merge(const Lanes& other) {
    min = _mm256_min_ps(other.min, min);
    max = _mm256_max_ps(other.max, max);
    least = _mm256_min_epi32(other.least, least);
    most = _mm256_max_epi32(other.most, most);
  }
};

FloatExtremes reduce(const Lanes& lanes) {
  float min[kVector];
  float max[kVector];
  float least[kVector];
  std::int32_t most[kVector];
  _mm256_storeu_ps(min, lanes.min);
  _mm256_storeu_ps(max, lanes.max);
  _mm256_storeu_ps(least, _mm256_castsi256_ps(lanes.least));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(most), lanes.most);
  FloatExtremes found = {min[0], max[0], least[0], most[0] < kInfinityBits};
  for (int lane = 1; lane < kVector; ++lane) {
    found.min = min[lane] < found.min ? min[lane] : found.min;
    found.max = max[lane] > found.max ? max[lane] : found.max;
    found.least_magnitude = least[lane] < found.least_magnitude ? least[lane] : found.least_magnitude;
    found.finite = found.finite && most[lane] < kInfinityBits;
  }
  return found;
}

// The first `count` elements, the others being copies of the first.
__m256 load_some(const float* x, std::int64_t count) {
  float buffer[kVector];
  for (std::int64_t i = 0; i < kVector; ++i) {
    buffer[i] = x[i < count ? i : 0];
  }
  return _mm256_loadu_ps(buffer);
}

struct Rule {
  __m256 bins_per_unit;
  __m256i zero_bin;
  __m256i turns;          // what a counter has beside its bin
  __m256i zero_turns[2];  // of even and odd registers
};

template <bool is_signed>
__m256i counters_of(__m256 v, const Rule& rule, std::int64_t register_number) {
  __m256i bin;
  if constexpr (is_signed) {
    const __m256 place = _mm256_mul_ps(v, rule.bins_per_unit);
    bin = _mm256_add_epi32(_mm256_cvttps_epi32(_mm256_floor_ps(place)), rule.zero_bin);
  } else {
    const __m256 size = _mm256_and_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MAX)));
    bin = _mm256_cvttps_epi32(_mm256_mul_ps(size, rule.bins_per_unit));
  }
  const __m256i counter = _mm256_add_epi32(_mm256_slli_epi32(bin, 1), rule.turns);
  return _mm256_blendv_epi8(counter, rule.zero_turns[register_number % 2], _mm256_cmpeq_epi32(bin, rule.zero_bin));
}

template <bool is_signed>
void find_counters(const CounterArgs& args) {
  static_assert(kCountersPerBin == 2 && kZeroCounters == 2 * kVector);
  const Rule rule = {_mm256_set1_ps(args.bins_per_unit),
                     _mm256_set1_epi32(args.zero_bin),
                     _mm256_add_epi32(_mm256_set1_epi32(kZeroCounters), _mm256_setr_epi32(0, 1, 0, 1, 0, 1, 0, 1)),
                     {_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15)}};
  std::int64_t i = 0;
  for (; i + kVector <= args.count; i += kVector) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(args.counters + i),
                        counters_of<is_signed>(_mm256_loadu_ps(args.x + i), rule, i / kVector));
  }
  if (i < args.count) {
    std::int32_t rest[kVector];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(rest),
                        counters_of<is_signed>(load_some(args.x + i, args.count - i), rule, i / kVector));
    for (std::int64_t lane = 0; i + lane < args.count; ++lane) {
      args.counters[i + lane] = rest[lane];
    }
  }
}

}  // namespace

FloatExtremes float_extremes_avx2(const float* x, std::int64_t count) {
  Lanes even;
  Lanes odd;
  std::int64_t i = 0;
  for (; i + 2 * kVector <= count; i += 2 * kVector) {
    even.take(_mm256_loadu_ps(x + i));
    odd.take(_mm256_loadu_ps(x + i + kVector));
  }
  if (i + kVector <= count) {
    even.take(_mm256_loadu_ps(x + i));
    i += kVector;
  }
  if (i < count) {
    odd.take(load_some(x + i, count - i));
  }
  even.merge(odd);
  return reduce(even);
}

void find_counters_avx2(const CounterArgs& args) {
  args.is_signed ? find_counters<true>(args) : find_counters<false>(args);
}

}  // namespace assay::kernels
