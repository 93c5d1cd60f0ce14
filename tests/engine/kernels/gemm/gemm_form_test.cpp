// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/gemm/gemm_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "engine/base/cpu_features.h"
#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

enum class Form { kCopied, kFlipped, kUnsigned16, kSigned16 };

struct FormRow {
  const char* name;
  Isa isa;
  Form form;
  void (*run)(const GemmFormArgs&);
};

constexpr FormRow kRows[] = {
    {"form_copied", Isa::kScalar, Form::kCopied, form_copied},
#if ASSAY_HAVE_X86
    {"form_flipped_avx2", Isa::kAvx2, Form::kFlipped, form_flipped_avx2},
    {"form_flipped_avx512", Isa::kAvx512, Form::kFlipped, form_flipped_avx512},
    {"form_unsigned16_avx2", Isa::kAvx2, Form::kUnsigned16, form_unsigned16_avx2},
    {"form_unsigned16_avx512", Isa::kAvx512, Form::kUnsigned16, form_unsigned16_avx512},
    {"form_signed16_avx2", Isa::kAvx2, Form::kSigned16, form_signed16_avx2},
    {"form_signed16_avx512", Isa::kAvx512, Form::kSigned16, form_signed16_avx512},
#endif
#if ASSAY_HAVE_AARCH64
    {"form_flipped_neon", Isa::kNeon, Form::kFlipped, form_flipped_neon},
    {"form_unsigned16_neon", Isa::kNeon, Form::kUnsigned16, form_unsigned16_neon},
    {"form_signed16_neon", Isa::kNeon, Form::kSigned16, form_signed16_neon},
#endif
};

std::size_t bytes_each(Form form) { return form == Form::kUnsigned16 || form == Form::kSigned16 ? 2 : 1; }

std::int16_t formed(Form form, std::uint8_t byte) {
  switch (form) {
    case Form::kCopied:
    case Form::kUnsigned16:
      return byte;
    case Form::kFlipped:
      return static_cast<std::int16_t>(byte ^ 0x80);
    case Form::kSigned16:
      return static_cast<std::int8_t>(byte);
  }
  return 0;
}

struct Shape {
  std::int64_t rows;
  std::int64_t count;
  std::int64_t padded;
  std::int64_t from_stride;
  std::int64_t to_stride_bytes;
};

Shape random_shape(test::Random& random, Form form) {
  Shape shape;
  shape.rows = random.integer(1, 7);
  shape.count = random.integer(0, random.chance(0.5) ? 40 : 200);
  const std::int64_t group = std::int64_t{1} << random.integer(0, bytes_each(form) == 1 ? 2 : 1);
  shape.padded = (shape.count + group - 1) / group * group;
  shape.from_stride = shape.count + random.integer(0, 5);
  shape.to_stride_bytes = (shape.padded + random.integer(0, 5)) * static_cast<std::int64_t>(bytes_each(form));
  return shape;
}

std::vector<std::uint8_t> expected_of(Form form, const Shape& shape, const std::uint8_t* from, std::size_t size) {
  constexpr std::uint8_t kUntouched = 0x5A;
  std::vector<std::uint8_t> out(size, kUntouched);
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    for (std::int64_t i = 0; i < shape.padded; ++i) {
      const std::int16_t value = i < shape.count ? formed(form, from[r * shape.from_stride + i]) : std::int16_t{0};
      const std::size_t at =
          static_cast<std::size_t>(r * shape.to_stride_bytes) + static_cast<std::size_t>(i) * bytes_each(form);
      std::memcpy(&out[at], &value, bytes_each(form));  // little-endian
    }
  }
  return out;
}

void expect_row(const FormRow& row, std::uint64_t seed) {
  test::Random random(seed);
  const Shape shape = random_shape(random, row.form);
  const bool at_front = random.chance(0.3);
  const auto from_size = static_cast<std::size_t>((shape.rows - 1) * shape.from_stride + shape.count);
  const std::size_t to_size = static_cast<std::size_t>((shape.rows - 1) * shape.to_stride_bytes) +
                              static_cast<std::size_t>(shape.padded) * bytes_each(row.form);
  test::GuardedMemory from_memory;
  test::GuardedMemory to_memory;
  std::uint8_t* from = from_memory.place(from_size, at_front);
  std::generate_n(from, from_size, [&] { return static_cast<std::uint8_t>(random.integer(0, 255)); });
  std::uint8_t* to = to_memory.place(to_size, at_front);
  std::fill_n(to, to_size, std::uint8_t{0x5A});
  row.run({.from = from,
           .from_stride_bytes = shape.from_stride,
           .rows = shape.rows,
           .count = shape.count,
           .padded = shape.padded,
           .to = to,
           .to_stride_bytes = shape.to_stride_bytes});
  const std::vector<std::uint8_t> expected = expected_of(row.form, shape, from, to_size);
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), to))
      << row.name << ", seed " << seed << ": " << shape.rows << " rows of " << shape.count << ", padded to "
      << shape.padded;
}

TEST(GemmForm, FormsAndPadsRandomRowsAndNothingElse) {
  for (const FormRow& row : kRows) {
    if (!can_run(host_features(), row.isa)) {
      continue;
    }
    for (std::int64_t i = 0; i < test::case_count(2000); ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_row(row, test::test_seed() + static_cast<std::uint64_t>(i)));
    }
  }
}

}  // namespace
}  // namespace assay::kernels
