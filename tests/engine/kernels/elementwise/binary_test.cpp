// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/elementwise/binary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/engine/kernels/each_kernel.h"
#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/oracle/elementwise.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

enum class Operation { kAddFused, kAddUnfused, kMul };
constexpr Operation kOperations[] = {Operation::kAddFused, Operation::kAddUnfused, Operation::kMul};

void run_row(const BinaryKernel& kernel, Operation operation, const BinaryArgs& args) {
  switch (operation) {
    case Operation::kAddFused:
      return test::ran(kernel).add_fused(args);
    case Operation::kAddUnfused:
      return test::ran(kernel).add_unfused(args);
    case Operation::kMul:
      return test::ran(kernel).mul(args);
  }
}

// By the scalar row; the others must agree.
void run(Operation operation, const BinaryArgs& args) {
  auto* y = static_cast<std::uint8_t*>(args.y);
  std::vector<std::uint8_t> best;
  for (const BinaryKernel* kernel : test::runnable(binary_kernels())) {
    run_row(*kernel, operation, args);
    const std::vector<std::uint8_t> found(y, y + args.count);
    EXPECT_TRUE(best.empty() || best == found) << kernel->name;
    best = found;
  }
}

std::int32_t expected(Operation operation, const oracle::Scaled& a, const oracle::Scaled& b,
                      const oracle::ScaledOutput& y) {
  if (operation == Operation::kMul) {
    return oracle::qlinear_mul(a, b, y);
  }
  return oracle::qlinear_add(a, b, y, operation == Operation::kAddFused);
}

std::vector<std::uint8_t> bytes_where(std::uint32_t shift) {
  std::vector<std::uint8_t> out;
  for (std::uint32_t i = 0; i < 65536; ++i) {
    out.push_back(static_cast<std::uint8_t>(i >> shift));
  }
  return out;
}

struct Parameters {
  float a_scale = 1;
  float b_scale = 1;
  float y_scale = 1;
  std::int32_t a_zero_point = 0;
  std::int32_t b_zero_point = 0;
  std::int32_t y_zero_point = 0;
  bool is_signed = false;
};

// All 65,536 pairs of bytes.
void expect_equal_oracle(Operation operation, const Parameters& p) {
  const std::vector<std::uint8_t> a = bytes_where(8);
  const std::vector<std::uint8_t> b = bytes_where(0);
  std::vector<std::uint8_t> y(a.size());
  run(operation, {.a = {.data = a.data(), .scale = p.a_scale, .zero_point = p.a_zero_point},
                  .b = {.data = b.data(), .scale = p.b_scale, .zero_point = p.b_zero_point},
                  .is_signed = p.is_signed,
                  .count = static_cast<Index>(a.size()),
                  .y_scale = p.y_scale,
                  .y_zero_point = p.y_zero_point,
                  .y = y.data()});
  const oracle::Integers av = oracle::integers_of(a, p.is_signed);
  const oracle::Integers bv = oracle::integers_of(b, p.is_signed);
  const oracle::Integers yv = oracle::integers_of(y, p.is_signed);
  const oracle::OutputType type{p.y_zero_point, p.is_signed ? -128 : 0, p.is_signed ? 127 : 255};
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(yv[i], expected(operation, {av[i], p.a_scale, p.a_zero_point}, {bv[i], p.b_scale, p.b_zero_point},
                              {p.y_scale, type}))
        << av[i] << " and " << bv[i];
  }
}

TEST(Binary, EveryPairOfBytesForRandomParameters) {
  test::Random random;
  for (const Operation operation : kOperations) {
    for (int i = 0; i < 12; ++i) {
      Parameters p;
      p.is_signed = i % 2 == 1;
      const std::int64_t low = p.is_signed ? -128 : 0;
      p.a_zero_point = static_cast<std::int32_t>(random.integer(low, low + 255));
      p.b_zero_point = static_cast<std::int32_t>(random.integer(low, low + 255));
      p.y_zero_point = static_cast<std::int32_t>(random.integer(low, low + 255));
      p.a_scale = random.uniform(0.001F, 0.1F);
      p.b_scale = random.uniform(0.001F, 0.1F);
      p.y_scale = random.uniform(0.001F, 0.1F);
      ASSERT_NO_FATAL_FAILURE(expect_equal_oracle(operation, p));
    }
  }
}

TEST(Binary, TiesDependOnTheParityOfTheZeroPoint) {
  for (const Operation operation : kOperations) {
    for (const std::int32_t zero_point : {0, 1, 128, 255}) {
      ASSERT_NO_FATAL_FAILURE(expect_equal_oracle(operation, {.a_scale = 0.5F, .y_zero_point = zero_point}));
    }
  }
  // 0.5 + 1 rounds to 2, where rounding first would give 0 + 1.
  const std::uint8_t a = 1;
  const std::uint8_t b = 0;
  std::uint8_t y = 0;
  run(Operation::kAddFused,
      {.a = {.data = &a, .scale = 0.5F}, .b = {.data = &b}, .count = 1, .y_zero_point = 1, .y = &y});
  EXPECT_EQ(y, 2);
}

// Sums of decimal scales fall beside ties, where every rounding of an intermediate step shows.
TEST(Binary, NearTiesFollowEveryRounding) {
  for (const Operation operation : kOperations) {
    for (const float a_scale : {0.1F, 0.3F, 0.7F}) {
      for (const float y_scale : {0.2F, 0.6F, 1.4F}) {
        for (const std::int32_t a_zero_point : {3, 77, 201}) {
          ASSERT_NO_FATAL_FAILURE(expect_equal_oracle(operation, {.a_scale = a_scale,
                                                                  .b_scale = 0.1F,
                                                                  .y_scale = y_scale,
                                                                  .a_zero_point = a_zero_point,
                                                                  .b_zero_point = 7,
                                                                  .y_zero_point = 11}));
        }
      }
    }
  }
}

TEST(Binary, SpecialScalesStayInRange) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const Operation operation : kOperations) {
    for (const float scale : {0.0F, 1e-40F, 3e38F, kInfinity, std::nanf("")}) {
      ASSERT_NO_FATAL_FAILURE(expect_equal_oracle(operation, {.a_scale = scale, .y_zero_point = 3}));
      ASSERT_NO_FATAL_FAILURE(expect_equal_oracle(operation, {.y_scale = scale, .is_signed = true}));
    }
  }
}

TEST(Binary, FusedAndUnfusedAddDiffer) {
  const std::vector<std::uint8_t> a = bytes_where(8);
  const std::vector<std::uint8_t> b = bytes_where(0);
  std::vector<std::uint8_t> fused(a.size());
  std::vector<std::uint8_t> unfused(a.size());
  BinaryArgs args{.a = {.data = a.data(), .scale = 0.1F, .zero_point = 3},
                  .b = {.data = b.data(), .scale = 0.1F, .zero_point = 7},
                  .count = static_cast<Index>(a.size()),
                  .y_scale = 0.6F,
                  .y_zero_point = 11};
  args.y = fused.data();
  run(Operation::kAddFused, args);
  args.y = unfused.data();
  run(Operation::kAddUnfused, args);
  EXPECT_TRUE(fused != unfused);
}

TEST(Binary, AStepOfZeroRepeatsOneElement) {
  const std::vector<std::uint8_t> a = {1, 2, 3};
  const std::uint8_t b = 10;
  std::vector<std::uint8_t> y(3);
  run(Operation::kAddFused, {.a = {.data = a.data()}, .b = {.data = &b, .step = 0}, .count = 3, .y = y.data()});
  EXPECT_EQ(y, (std::vector<std::uint8_t>{11, 12, 13}));
  run(Operation::kMul, {.a = {.data = &b, .step = 0}, .b = {.data = a.data()}, .count = 3, .y = y.data()});
  EXPECT_EQ(y, (std::vector<std::uint8_t>{10, 20, 30}));
}

Parameters random_parameters(test::Random& random) {
  Parameters p;
  p.is_signed = random.chance(0.5);
  const std::int64_t low = p.is_signed ? -128 : 0;
  for (std::int32_t* zero_point : {&p.a_zero_point, &p.b_zero_point, &p.y_zero_point}) {
    *zero_point = static_cast<std::int32_t>(random.integer(low, low + 255));
  }
  for (float* scale : {&p.a_scale, &p.b_scale, &p.y_scale}) {
    *scale = random.chance(0.3) ? 0.25F : random.uniform(0.001F, 0.3F);
    *scale = random.chance(0.02) ? std::numeric_limits<float>::infinity() : *scale;
    *scale = random.chance(0.02) ? 0.0F : *scale;
  }
  return p;
}

TEST(BinaryKernels, EqualTheOracleOnRandomSpans) {
  const auto kernels = test::runnable(binary_kernels());
  test::GuardedMemory memory[3];
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const Operation operation = kOperations[random.integer(0, 2)];
    const Parameters p = random_parameters(random);
    const Index count = random.integer(0, 200);
    const Index steps[] = {random.chance(0.2) ? 0 : 1, random.chance(0.2) ? 0 : 1};
    const auto room = [&](std::size_t at) { return static_cast<std::size_t>(at < 2 && steps[at] == 0 ? 1 : count); };
    std::uint8_t* spans[3];
    for (std::size_t at = 0; at < 3; ++at) {
      spans[at] = memory[at].place(room(at), random.chance(0.5));
      ASSERT_NE(spans[at], nullptr);
      for (std::size_t e = 0; e < room(at); ++e) {
        spans[at][e] = static_cast<std::uint8_t>(random.integer(0, 255));
      }
    }
    const oracle::Integers a = oracle::integers_of({spans[0], room(0)}, p.is_signed);
    const oracle::Integers b = oracle::integers_of({spans[1], room(1)}, p.is_signed);
    const oracle::OutputType type{p.y_zero_point, p.is_signed ? -128 : 0, p.is_signed ? 127 : 255};
    for (const BinaryKernel* kernel : kernels) {
      run_row(*kernel, operation,
              {.a = {.data = spans[0], .step = steps[0], .scale = p.a_scale, .zero_point = p.a_zero_point},
               .b = {.data = spans[1], .step = steps[1], .scale = p.b_scale, .zero_point = p.b_zero_point},
               .is_signed = p.is_signed,
               .count = count,
               .y_scale = p.y_scale,
               .y_zero_point = p.y_zero_point,
               .y = spans[2]});
      const oracle::Integers y = oracle::integers_of({spans[2], room(2)}, p.is_signed);
      for (std::size_t e = 0; e < y.size(); ++e) {
        const std::int32_t want = expected(operation, {a[steps[0] == 0 ? 0 : e], p.a_scale, p.a_zero_point},
                                           {b[steps[1] == 0 ? 0 : e], p.b_scale, p.b_zero_point}, {p.y_scale, type});
        ASSERT_EQ(y[e], want) << kernel->name << ", case " << i << ", seed " << test::test_seed() << ": element " << e
                              << " of " << count;
      }
      std::fill(spans[2], spans[2] + count, std::uint8_t{0x5A});
    }
  }
}

TEST(BinaryKernels, ProfilesCapTheChoice) { test::expect_choices("binary", choose_binary); }

}  // namespace
}  // namespace assay::kernels
