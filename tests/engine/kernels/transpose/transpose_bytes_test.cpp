// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/transpose/transpose_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

TEST(TransposeBytes, EveryElementOfRandomShapesAndNothingElse) {
  constexpr std::uint8_t kUntouched = 0x5A;
  test::GuardedMemory from_memory;
  test::GuardedMemory to_memory;
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const Index rows = random.integer(1, random.chance(0.5) ? 20 : 220);
    const Index columns = random.integer(1, random.chance(0.2) ? 220 : 60);
    const Index from_stride = columns + random.integer(0, 2);
    const Index to_stride = rows + (random.chance(0.5) ? random.integer(0, 2) : 300);
    const bool at_front = random.chance(0.3);
    const auto from_size = static_cast<std::size_t>((rows - 1) * from_stride + columns);
    std::uint8_t* from = from_memory.place(from_size, at_front);
    std::generate_n(from, from_size, [&] { return static_cast<std::uint8_t>(random.integer(0, 255)); });
    std::vector<std::uint8_t> expected(static_cast<std::size_t>((columns - 1) * to_stride + rows), kUntouched);
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < columns; ++c) {
        expected[static_cast<std::size_t>(c * to_stride + r)] = from[r * from_stride + c];
      }
    }
    for (const TransposeKernel& kernel : transpose_kernels()) {
      if (!can_run(host_features(), kernel.isa)) {
        continue;
      }
      std::uint8_t* to = to_memory.place(expected.size(), at_front);
      std::fill_n(to, expected.size(), kUntouched);
      test::ran(kernel).run({.from = from,
                             .rows = rows,
                             .columns = columns,
                             .from_stride = from_stride,
                             .to = to,
                             .to_stride = to_stride});
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), to))
          << kernel.name << ", case " << i << ": " << rows << " x " << columns;
    }
  }
}

TEST(TransposeBytes, NothingOfNothing) {
  std::uint8_t byte = 7;
  for (const TransposeKernel& kernel : transpose_kernels()) {
    if (can_run(host_features(), kernel.isa)) {
      test::ran(kernel).run({.from = &byte, .rows = 0, .columns = 40, .from_stride = 40, .to = &byte, .to_stride = 0});
      test::ran(kernel).run({.from = &byte, .rows = 40, .columns = 0, .from_stride = 0, .to = &byte, .to_stride = 40});
    }
  }
  EXPECT_EQ(byte, 7);
}

TEST(TransposeBytes, TheProfileCapsTheChoice) {
  CpuFeatures full;
  full.sse41 = full.avx2 = full.avx512 = true;
  EXPECT_EQ(std::string(choose_transpose({Isa::kScalar}, full).name), "transpose_bytes_scalar");
#if defined(__x86_64__)
  EXPECT_EQ(std::string(choose_transpose({Isa::kAvx2}, full).name), "transpose_bytes_avx2");
  EXPECT_EQ(std::string(choose_transpose({Isa::kAvx512}, full).name), "transpose_bytes_avx512");
#endif
  EXPECT_EQ(std::string(choose_transpose({Isa::kAvx512}, capped(full, Isa::kSse41)).name), "transpose_bytes_scalar");
}

}  // namespace
}  // namespace assay::kernels
