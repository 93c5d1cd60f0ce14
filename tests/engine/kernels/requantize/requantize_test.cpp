// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/requantize/requantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "tests/engine/kernels/each_kernel.h"
#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/byte_value.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/oracle/requantize.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();

// The rows of the table that this host can run.
std::vector<RequantizeKernel> host_kernels() {
  std::vector<RequantizeKernel> out;
  for (const RequantizeKernel& kernel : requantize_kernels()) {
    if (can_run(host_features(), kernel.isa)) {
      out.push_back(kernel);
    }
  }
  return out;
}

// One accumulator, no offset, by every kernel in every place of a vector: the value that all agree on.
std::int32_t requantize_one(std::int32_t acc, float scale, const oracle::OutputType& type, bool y_signed) {
  constexpr std::size_t kColumns = 75;  // 64 + 8 + 3
  const std::vector<std::int32_t> accs(kColumns, acc);
  const std::vector<std::int32_t> no_offset(kColumns, 0);
  const std::vector<float> scales(kColumns, scale);
  std::int32_t result = 0;
  bool first = true;
  for (const RequantizeKernel& kernel : host_kernels()) {
    std::vector<std::uint8_t> y(kColumns);
    requantize(test::ran(kernel), {.rows = 1,
                                   .columns = kColumns,
                                   .acc = accs.data(),
                                   .acc_stride = kColumns,
                                   .column_offset = no_offset.data(),
                                   .scale = scales.data(),
                                   .y_zero_point = type.zero_point,
                                   .clamp_min = type.min,
                                   .clamp_max = type.max,
                                   .y_signed = y_signed,
                                   .y = y.data(),
                                   .y_row_stride_bytes = kColumns});
    for (const std::uint8_t byte : y) {
      const std::int32_t value = test::byte_value(byte, y_signed);
      EXPECT_TRUE(first || value == result) << kernel.name << ": " << value << ", others " << result;
      result = value;
      first = false;
    }
  }
  return result;
}

constexpr oracle::OutputType kUint8{0, 0, 255};
constexpr oracle::OutputType kInt8{0, -128, 127};

TEST(Requantize, TiesGoToTheEvenInteger) {
  EXPECT_EQ(requantize_one(1, 0.5F, kUint8, false), 0);
  EXPECT_EQ(requantize_one(3, 0.5F, kUint8, false), 2);
  EXPECT_EQ(requantize_one(5, 0.5F, kUint8, false), 2);
  EXPECT_EQ(requantize_one(-1, 0.5F, kInt8, true), 0);
  EXPECT_EQ(requantize_one(-3, 0.5F, kInt8, true), -2);
  EXPECT_EQ(requantize_one(-5, 0.5F, kInt8, true), -2);
}

TEST(Requantize, TheZeroPointIsAddedAfterRounding) {
  EXPECT_EQ(requantize_one(1, 0.5F, {1, 0, 255}, false), 1);
  EXPECT_EQ(requantize_one(3, 0.5F, {1, 0, 255}, false), 3);
}

TEST(Requantize, TheAccumulatorRoundsToFloatFirst) {
  // 2^24 + 1 is no float32; half of it, 8388608.5, is none either.
  EXPECT_EQ(requantize_one((1 << 24) + 1, 1.0F / (1 << 24), kUint8, false), 1);
  EXPECT_EQ(requantize_one((1 << 24) + 3, 127.5F / (1 << 24), kUint8, false),
            oracle::requantize((1 << 24) + 3, 127.5F / (1 << 24), kUint8));
}

TEST(Requantize, ExtremeAccumulatorsAndScalesStayInRange) {
  for (const std::int32_t acc : {kMin, kMin + 1, -1, 0, 1, kMax - 1, kMax}) {
    for (const float scale : {0.0F, 1e-38F, 1e-9F, 0.5F, 1.0F, 1e9F, 3e38F, kInfinity, -1.0F, -kInfinity, kNan}) {
      for (const std::int32_t zero_point : {0, 1, 127, 255}) {
        const oracle::OutputType type{zero_point, 0, 255};
        EXPECT_EQ(requantize_one(acc, scale, type, false), oracle::requantize(acc, scale, type))
            << acc << " " << scale << " " << zero_point;
      }
      for (const std::int32_t zero_point : {-128, 0, 127}) {
        const oracle::OutputType type{zero_point, -128, 127};
        EXPECT_EQ(requantize_one(acc, scale, type, true), oracle::requantize(acc, scale, type))
            << acc << " " << scale << " " << zero_point;
      }
    }
  }
}

TEST(Requantize, EveryHalfStepOfTheRange) {
  for (const std::int32_t zero_point : {-128, -1, 0, 5, 127}) {
    for (std::int32_t acc = -1200; acc <= 1200; ++acc) {
      const oracle::OutputType type{zero_point, -100, 90};
      ASSERT_EQ(requantize_one(acc, 0.25F, type, true), oracle::requantize(acc, 0.25F, type)) << acc;
    }
  }
}

struct Matrix {
  Index rows = 1;
  Index columns = 1;
  Index acc_stride = 1;
  bool channel_first = false;  // y[j][i] with a stride beyond rows, else y[i][j]
  bool interleaved = false;    // neither stride of y is 1
  bool with_b_zero_point = false;
  std::vector<std::int32_t> acc;
  std::vector<std::int32_t> offset;
  std::vector<std::int32_t> row_sum;
  std::vector<std::int32_t> b_zero_point;
  std::vector<float> scale;
  oracle::OutputType type;
};

Matrix random_matrix(test::Random& random) {
  Matrix out;
  out.rows = random.integer(1, random.chance(0.1) ? 150 : 12);
  out.columns = random.chance(0.2) ? 1 : random.integer(1, random.chance(0.3) ? 140 : 40);
  if (random.chance(0.02)) {
    out.columns = random.integer(250, 530);
  }
  if (random.chance(0.1)) {
    out.rows = random.integer(250, 530);
    out.columns = 1;
  }
  out.acc_stride = out.columns + (random.chance(0.3) ? random.integer(1, 5) : 0);
  out.channel_first = random.chance(0.5);
  out.interleaved = random.chance(0.2);
  out.with_b_zero_point = random.chance(0.5);
  const auto integers = [&](Index count, std::int64_t limit) {
    std::vector<std::int32_t> values;
    for (Index i = 0; i < count; ++i) {
      values.push_back(static_cast<std::int32_t>(random.integer(-limit, limit)));
    }
    return values;
  };
  const std::int64_t limit = random.chance(0.1) ? kMax : 40000;
  out.acc = integers(out.rows * out.acc_stride, limit);
  out.offset = integers(out.columns, limit);
  out.row_sum = integers(out.rows, 30000);
  out.b_zero_point = integers(out.columns, 255);
  for (Index j = 0; j < out.columns; ++j) {
    out.scale.push_back(random.chance(0.3) ? 1.0F / 512.0F : random.uniform(0.0F, 0.02F));
  }
  const auto first = static_cast<std::int32_t>(random.integer(0, 255));
  const auto second = static_cast<std::int32_t>(random.integer(0, 255));
  out.type = {static_cast<std::int32_t>(random.integer(0, 255)), std::min(first, second), std::max(first, second)};
  return out;
}

std::int32_t value_of(const Matrix& matrix, Index i, Index j) {
  const auto column = static_cast<std::size_t>(j);
  std::int64_t v = matrix.acc[static_cast<std::size_t>(i * matrix.acc_stride + j)];
  v += matrix.offset[column];
  if (matrix.with_b_zero_point) {
    v -= std::int64_t{matrix.b_zero_point[column]} * matrix.row_sum[static_cast<std::size_t>(i)];
  }
  return oracle::wrap_to_int32(v);
}

// Operands that touch a page which faults: behind them, or before them.
class Guarded {
 public:
  explicit Guarded(bool at_front) : at_front_(at_front) {}
  template <typename T>
  T* copy(const std::vector<T>& values) {
    memories_.emplace_back();
    const std::size_t bytes = values.size() * sizeof(T);
    auto* out = reinterpret_cast<T*>(memories_.back().place(bytes, at_front_));
    std::memcpy(out, values.data(), bytes);
    return out;
  }

 private:
  bool at_front_;
  std::deque<test::GuardedMemory> memories_;
};

TEST(Requantize, EqualsTheOracleInEveryLayout) {
  constexpr std::uint8_t kUntouched = 0x5A;
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    Matrix matrix = random_matrix(random);
    const Index unit = matrix.interleaved ? 3 : 1;
    const Index row_stride = matrix.channel_first ? unit : unit * (matrix.columns + 2);
    const Index column_stride = matrix.channel_first ? unit * (matrix.rows + 2) : unit;
    const Index size = row_stride * (matrix.rows - 1) + column_stride * (matrix.columns - 1) + 1;
    std::vector<std::uint8_t> expected(static_cast<std::size_t>(size), kUntouched);
    const std::vector<std::uint8_t> before = expected;
    for (Index r = 0; r < matrix.rows; ++r) {
      for (Index c = 0; c < matrix.columns; ++c) {
        expected[static_cast<std::size_t>(r * row_stride + c * column_stride)] = static_cast<std::uint8_t>(
            oracle::requantize(value_of(matrix, r, c), matrix.scale[static_cast<std::size_t>(c)], matrix.type));
      }
    }
    Guarded guarded(random.chance(0.3));
    matrix.acc.resize(static_cast<std::size_t>((matrix.rows - 1) * matrix.acc_stride + matrix.columns));
    RequantizeArgs args{.rows = matrix.rows,
                        .columns = matrix.columns,
                        .acc = guarded.copy(matrix.acc),
                        .acc_stride = matrix.acc_stride,
                        .column_offset = guarded.copy(matrix.offset),
                        .row_sum = matrix.with_b_zero_point ? guarded.copy(matrix.row_sum) : nullptr,
                        .b_zero_point = matrix.with_b_zero_point ? guarded.copy(matrix.b_zero_point) : nullptr,
                        .scale = guarded.copy(matrix.scale),
                        .y_zero_point = matrix.type.zero_point,
                        .clamp_min = matrix.type.min,
                        .clamp_max = matrix.type.max,
                        .y_row_stride_bytes = row_stride,
                        .y_column_stride_bytes = column_stride};
    for (const RequantizeKernel& kernel : host_kernels()) {
      std::uint8_t* y = guarded.copy(before);
      args.y = y;
      requantize(test::ran(kernel), args);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), y))
          << kernel.name << ", case " << i << ": " << matrix.rows << " x " << matrix.columns;
    }
  }
}

TEST(Requantize, TheProfileCapsTheChoice) {
  const CpuFeatures full = test::full_host();
  const auto chosen = [](Isa isa, const CpuFeatures& features) {
    return std::string(choose_requantize({isa, Precision::kFast}, features).name);
  };
  EXPECT_EQ(chosen(Isa::kScalar, full), "requantize_scalar");
#if defined(__x86_64__)
  EXPECT_EQ(chosen(Isa::kAvx2, full), "requantize_avx2");
  EXPECT_EQ(chosen(Isa::kAvxVnni, full), "requantize_avx2");
  EXPECT_EQ(chosen(Isa::kAvx512Vnni, full), "requantize_avx512");
  EXPECT_EQ(chosen(Isa::kAvx512Vnni, capped(full, Isa::kAvx2)), "requantize_avx2");
#elif defined(__aarch64__)
  EXPECT_EQ(chosen(Isa::kNeon, full), "requantize_neon");
  EXPECT_EQ(chosen(Isa::kNeonI8mm, full), "requantize_neon");
  EXPECT_EQ(chosen(Isa::kAvx2, full), "requantize_neon");
#endif
  EXPECT_EQ(chosen(Isa::kAvx512Vnni, capped(full, Isa::kScalar)), "requantize_scalar");
}

}  // namespace
}  // namespace assay::kernels
