// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/kernels/gemm/gemm_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/whole_run.h"

namespace assay::test {
namespace {

constexpr std::uint8_t kBehind = 0xA5;
constexpr std::int32_t kUntouched = 0x5A5A5A5A;
constexpr std::size_t kPackedAlignment = 64;

std::set<std::string>& exercised() {
  static std::set<std::string> names;
  return names;
}

std::uint8_t random_byte(Fill kind, bool is_signed, Random& random) {
  if (kind == Fill::kUniform) {
    return static_cast<std::uint8_t>(random.integer(0, 255));
  }
  if (!is_signed) {
    return kind == Fill::kSaturating || random.chance(0.5) ? 255 : 0;
  }
  const bool negative = kind == Fill::kSaturating || random.chance(0.5);
  return static_cast<std::uint8_t>(static_cast<std::int8_t>(negative ? -128 : 127));
}

// Fails the run if a kernel that this host can execute was never called.
class EveryKernelRan : public ::testing::Environment {
 public:
  void TearDown() override {
    if (!all_tests_were_run()) {
      return;
    }
    for (const kernels::GemmKernel& kernel : kernels::gemm_kernels()) {
      const bool ran = exercised().count(kernel.name) > 0;
      std::printf("%s: %s\n", kernel.name, ran ? "ran" : "not on this host");
      EXPECT_EQ(ran, can_run(host_features(), kernel.isa)) << kernel.name;
    }
  }
};
const ::testing::Environment* const kEnvironment = ::testing::AddGlobalTestEnvironment(new EveryKernelRan);

}  // namespace

OperandSigns signs_of(kernels::Operands operands) {
  switch (operands) {
    case kernels::Operands::kU8S8:
      return {.a = false, .b = true};
    case kernels::Operands::kU8U8:
      return {.a = false, .b = false};
    case kernels::Operands::kS8S8:
      return {.a = true, .b = true};
    case kernels::Operands::kS8U8:
      return {.a = true, .b = false};
  }
  return {};
}

std::string GemmCase::text() const {
  return "m " + std::to_string(m) + ", n " + std::to_string(n) + ", k " + std::to_string(k) + ", a_stride " +
         std::to_string(a_stride) + ", c_stride " + std::to_string(c_stride) + ", lines of " +
         std::to_string(lines.rows) + " rows and " + std::to_string(lines.segments) + " segments" +
         (b_transposed ? ", B transposed" : "");
}

GemmCase make_case(Index m, Index n, Index k) {
  GemmCase gemm;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  gemm.a_stride = k;
  gemm.c_stride = n;
  gemm.a.assign(static_cast<std::size_t>(m * k), 0);
  gemm.b.assign(static_cast<std::size_t>(k * n), 0);
  return gemm;
}

void fill(GemmCase& gemm, kernels::Operands operands, Fill kind, Random& random) {
  const OperandSigns signs = signs_of(operands);
  Index size = 0;
  for (Index i = 0; i < gemm.m; ++i) {
    size = std::max(size, gemm.k == 0 ? i * gemm.a_stride : gemm.a_offset(i, gemm.k - 1) + 1);
  }
  gemm.a.assign(static_cast<std::size_t>(size), kBehind);
  for (Index i = 0; i < gemm.m; ++i) {
    for (Index p = 0; p < gemm.k; ++p) {
      gemm.a_at(i, p) = random_byte(kind, signs.a, random);
    }
  }
  for (std::uint8_t& byte : gemm.b) {
    byte = random_byte(kind, signs.b, random);
  }
}

namespace {

GemmCase random_strides_and_bytes(GemmCase gemm, kernels::Operands operands, Random& random) {
  gemm.a_stride = gemm.k + (random.chance(0.5) ? random.integer(0, 9) : 0);
  gemm.c_stride = gemm.n + (random.chance(0.5) ? random.integer(0, 5) : 0);
  gemm.b_transposed = random.chance(0.5);
  const auto kind = random.chance(0.5) ? Fill::kUniform : Fill::kExtremes;
  fill(gemm, operands, random.chance(0.1) ? Fill::kSaturating : kind, random);
  return gemm;
}

}  // namespace

GemmCase random_case(kernels::Operands operands, Random& random) {
  const Index k = random.chance(0.05) ? random.integer(500, 2200) : random.integer(0, 70);
  const Index n = random.integer(1, k > 100 ? 20 : 100);
  const Index m = random.integer(1, k > 100 ? 15 : 40);
  return random_strides_and_bytes(make_case(m, n, k), operands, random);
}

GemmCase random_small_case(kernels::Operands operands, Random& random) {
  const Index k = random.integer(0, random.chance(0.1) ? 140 : 24);
  const Index n = random.integer(1, random.chance(0.1) ? 140 : 36);
  const Index m = random.integer(1, random.chance(0.1) ? 40 : 14);
  return random_strides_and_bytes(make_case(m, n, k), operands, random);
}

oracle::MatmulArgs oracle_args(const GemmCase& gemm, kernels::Operands operands, Arithmetic arithmetic) {
  const OperandSigns signs = signs_of(operands);
  GemmCase copy = gemm;
  std::vector<std::uint8_t> a;
  std::vector<std::uint8_t> b;
  for (Index i = 0; i < gemm.m; ++i) {
    for (Index p = 0; p < gemm.k; ++p) {
      a.push_back(copy.a_at(i, p));
    }
  }
  for (Index p = 0; p < gemm.k; ++p) {
    for (Index j = 0; j < gemm.n; ++j) {
      b.push_back(copy.b_at(p, j));
    }
  }
  oracle::MatmulArgs args;
  args.m = gemm.m;
  args.n = gemm.n;
  args.k = gemm.k;
  args.a = oracle::integers_of(a, signs.a);
  args.b = oracle::integers_of(b, signs.b);
  args.arithmetic = arithmetic;
  return args;
}

oracle::Integers run_kernel(const kernels::GemmKernel& kernel, const GemmCase& gemm) {
  exercised().insert(kernel.name);
  static GuardedMemory a_memory;
  static GuardedMemory packed_memory;
  static GuardedMemory c_memory;
  const bool at_front = (gemm.m + gemm.n + gemm.k) % 2 == 0;
  const auto packed_size = static_cast<std::size_t>(kernel.packed_bytes(gemm.n, gemm.k));
  std::uint8_t* packed =
      packed_memory.place((packed_size + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment, at_front);
  kernel.pack({.n = gemm.n,
               .k = gemm.k,
               .b = gemm.b.data(),
               .k_stride_bytes = gemm.b_transposed ? 1 : gemm.n,
               .n_stride_bytes = gemm.b_transposed ? gemm.k : 1,
               .packed = packed});
  static GuardedMemory starts_memory;
  const std::size_t starts_bytes = gemm.column_start.size() * sizeof(std::int32_t);
  auto* starts = reinterpret_cast<std::int32_t*>(starts_memory.place(starts_bytes, at_front));
  if (starts_bytes > 0) {
    std::memcpy(starts, gemm.column_start.data(), starts_bytes);
  }
  std::uint8_t* a = a_memory.place(gemm.a.size(), at_front);
  if (!gemm.a.empty()) {
    std::memcpy(a, gemm.a.data(), gemm.a.size());
  }
  const auto c_size = static_cast<std::size_t>((gemm.m - 1) * gemm.c_stride + gemm.n);
  auto* c = reinterpret_cast<std::int32_t*>(c_memory.place(c_size * sizeof(std::int32_t), at_front));
  std::fill_n(c, c_size, kUntouched);
  ran(kernel).run({.m = gemm.m,
                   .n = gemm.n,
                   .k = gemm.k,
                   .a = a,
                   .a_stride_bytes = gemm.a_stride,
                   .packed_b = packed,
                   .c = c,
                   .c_stride = gemm.c_stride,
                   .column_start = gemm.column_start.empty() ? nullptr : starts,
                   .lines = gemm.lines});
  oracle::Integers out;
  for (std::size_t i = 0; i < c_size; ++i) {
    if (static_cast<Index>(i) % gemm.c_stride < gemm.n) {
      out.push_back(c[i]);
    } else {
      EXPECT_EQ(c[i], kUntouched) << "written outside C at " << i;
    }
  }
  return out;
}

std::vector<const kernels::GemmKernel*> runnable_kernels() {
  std::vector<const kernels::GemmKernel*> out;
  for (const kernels::GemmKernel& kernel : kernels::gemm_kernels()) {
    if (can_run(host_features(), kernel.isa)) {
      out.push_back(&kernel);
    }
  }
  return out;
}

}  // namespace assay::test
