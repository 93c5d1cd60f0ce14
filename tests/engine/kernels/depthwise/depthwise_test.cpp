// SPDX-License-Identifier: Apache-2.0
// Every row of depthwise_kernels() that this host can run, against the naive convolution of one channel: sums and
// requantized bytes, with pages around every operand that may not be touched.
#include "engine/kernels/depthwise/depthwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tests/engine/kernels/each_kernel.h"
#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/oracle/convolution.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

using ::testing::ElementsAreArray;

struct Channel {
  oracle::ConvGeometry geometry;
  std::vector<std::uint8_t> x;
  std::vector<std::uint8_t> w;
  bool x_signed = false;
  bool w_signed = true;
  std::int32_t x_zero_point = 0;
  std::int32_t w_zero_point = 0;
  std::int32_t bias = 0;
  float scale = 1;
  oracle::OutputType y;

  std::string text() const {
    const oracle::ConvGeometry& g = geometry;
    const std::vector<Index> numbers = {g.height,   g.width,      g.kernel_h,   g.kernel_w, g.stride_h,
                                        g.stride_w, g.dilation_h, g.dilation_w, g.pad_top,  g.pad_left};
    return "height, width, kernel, stride, dilation, pads: " + ::testing::PrintToString(numbers) +
           (x_signed ? " x int8" : " x uint8") + (w_signed ? " w int8" : " w uint8");
  }
};

std::int32_t random_zero_point(bool is_signed, test::Random& random) {
  return static_cast<std::int32_t>(is_signed ? random.integer(-128, 127) : random.integer(0, 255));
}

void fill(Channel& channel, test::Random& random) {
  const oracle::ConvGeometry& g = channel.geometry;
  const bool extremes = random.chance(0.3);
  const auto byte = [&] {
    return static_cast<std::uint8_t>(extremes ? 127 + random.integer(0, 1) : random.integer(0, 255));
  };
  channel.x.assign(static_cast<std::size_t>(g.height * g.width), 0);
  channel.w.assign(static_cast<std::size_t>(g.kernel_h * g.kernel_w), 0);
  std::generate(channel.x.begin(), channel.x.end(), byte);
  std::generate(channel.w.begin(), channel.w.end(), byte);
  channel.x_zero_point = random_zero_point(channel.x_signed, random);
  channel.w_zero_point = random_zero_point(channel.w_signed, random);
  channel.bias = static_cast<std::int32_t>(random.integer(-100000, 100000));
  // Powers of two make ties.
  channel.scale = random.chance(0.3) ? 1.0F / static_cast<float>(1 << random.integer(1, 12)) : random.uniform(0, 0.01F);
  const bool y_signed = random.chance(0.5);
  channel.y.zero_point = random_zero_point(y_signed, random);
  const std::int32_t first = random.chance(0.7) ? (y_signed ? -128 : 0) : random_zero_point(y_signed, random);
  const std::int32_t second = random.chance(0.7) ? (y_signed ? 127 : 255) : random_zero_point(y_signed, random);
  channel.y.min = std::min(first, second);
  channel.y.max = std::max(first, second);
}

Channel random_channel(test::Random& random) {
  Channel out;
  oracle::ConvGeometry& g = out.geometry;
  do {
    g.height = random.integer(1, random.chance(0.1) ? 20 : 8);
    g.width = random.integer(1, random.chance(0.1) ? 150 : 45);
    g.kernel_h = random.integer(1, 5);
    g.kernel_w = random.integer(1, 6);
    g.stride_h = random.integer(1, 3);
    g.stride_w = random.chance(0.9) ? random.integer(1, 3) : random.integer(4, 5);
    g.dilation_h = random.integer(1, 3);
    g.dilation_w = random.chance(0.6) ? 1 : random.integer(2, 4);
    g.pad_top = random.integer(0, 3);
    g.pad_left = random.integer(0, 4);
    g.pad_bottom = random.integer(0, 3);
    g.pad_right = random.integer(0, 4);
  } while (g.height + g.pad_top + g.pad_bottom < (g.kernel_h - 1) * g.dilation_h + 1 ||
           g.width + g.pad_left + g.pad_right < (g.kernel_w - 1) * g.dilation_w + 1);
  out.x_signed = random.chance(0.5);
  out.w_signed = random.chance(0.5);
  fill(out, random);
  return out;
}

oracle::Integers expected_of(const Channel& channel) {
  oracle::ConvArgs args;
  args.geometry = channel.geometry;
  args.x = oracle::integers_of(channel.x, channel.x_signed);
  args.w = oracle::integers_of(channel.w, channel.w_signed);
  args.x_zero_point = channel.x_zero_point;
  args.w_zero_points = {channel.w_zero_point};
  args.bias = {channel.bias};
  return oracle::convolve(args);
}

// Operands that touch a page which faults, behind them or before them.
class Memory {
 public:
  explicit Memory(const Channel& channel, bool at_front) : channel_(channel), at_front_(at_front) {
    x_ = placed(channel.x, x_memory_);
    w_ = placed(channel.w, w_memory_);
  }

  oracle::Integers sums(const DepthwiseKernel& kernel) {
    oracle::Integers acc(positions(), 0x5A5A5A5A);
    DepthwiseArgs args = arguments();
    const std::size_t bytes = acc.size() * sizeof acc[0];
    args.acc = reinterpret_cast<std::int32_t*>(y_memory_.place(bytes, at_front_));
    std::memcpy(args.acc, acc.data(), bytes);
    test::ran(kernel).run(args);
    std::memcpy(acc.data(), args.acc, bytes);
    return acc;
  }

  std::vector<std::uint8_t> bytes(const DepthwiseKernel& kernel) {
    DepthwiseArgs args = arguments();
    args.y = y_memory_.place(positions(), at_front_);
    std::fill_n(args.y, positions(), std::uint8_t{0x5A});
    args.scale = channel_.scale;
    args.y_zero_point = channel_.y.zero_point;
    args.clamp_min = channel_.y.min;
    args.clamp_max = channel_.y.max;
    test::ran(kernel).run(args);
    return {args.y, args.y + positions()};
  }

 private:
  const std::uint8_t* placed(const std::vector<std::uint8_t>& bytes, test::GuardedMemory& memory) const {
    std::uint8_t* out = memory.place(bytes.size(), at_front_);
    std::memcpy(out, bytes.data(), bytes.size());
    return out;
  }
  std::size_t positions() const {
    return static_cast<std::size_t>(channel_.geometry.out_h() * channel_.geometry.out_w());
  }
  DepthwiseArgs arguments() const {
    const oracle::ConvGeometry& g = channel_.geometry;
    return {.x = x_,
            .x_signed = channel_.x_signed,
            .x_zero_point = channel_.x_zero_point,
            .w = w_,
            .w_signed = channel_.w_signed,
            .w_zero_point = channel_.w_zero_point,
            .bias = channel_.bias,
            .height = g.height,
            .width = g.width,
            .kernel_h = g.kernel_h,
            .kernel_w = g.kernel_w,
            .stride_h = g.stride_h,
            .stride_w = g.stride_w,
            .dilation_h = g.dilation_h,
            .dilation_w = g.dilation_w,
            .pad_top = g.pad_top,
            .pad_left = g.pad_left,
            .out_h = g.out_h(),
            .out_w = g.out_w()};
  }

  const Channel& channel_;
  bool at_front_;
  test::GuardedMemory x_memory_;
  test::GuardedMemory w_memory_;
  test::GuardedMemory y_memory_;
  const std::uint8_t* x_ = nullptr;
  const std::uint8_t* w_ = nullptr;
};

void expect_all_equal_oracle(const Channel& channel, bool at_front = false) {
  const oracle::Integers expected = expected_of(channel);
  std::vector<std::uint8_t> expected_bytes;
  for (const std::int32_t acc : expected) {
    expected_bytes.push_back(static_cast<std::uint8_t>(oracle::requantize(acc, channel.scale, channel.y)));
  }
  Memory memory(channel, at_front);
  int ran = 0;
  for (const DepthwiseKernel& kernel : depthwise_kernels()) {
    if (can_run(host_features(), kernel.isa)) {
      ASSERT_EQ(memory.sums(kernel), expected) << kernel.name << ": " << channel.text();
      ASSERT_EQ(memory.bytes(kernel), expected_bytes) << kernel.name << ": " << channel.text();
      ++ran;
    }
  }
  ASSERT_GT(ran, 0);
}

TEST(Depthwise, EqualsTheOracleOnRandomShapes) {
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const Channel channel = random_channel(random);
    ASSERT_NO_FATAL_FAILURE(expect_all_equal_oracle(channel, random.chance(0.3))) << "case " << i;
  }
}

TEST(Depthwise, ImagesLargerThanTheBuffers) {
  test::Random random(1);
  for (const Index width : {300, 600, 1100, 13000}) {
    for (const Index stride : {1, 2, 3}) {
      Channel channel;
      channel.geometry.height = 41;
      channel.geometry.width = width;
      channel.geometry.kernel_h = 3;
      channel.geometry.kernel_w = 3;
      channel.geometry.stride_h = stride;
      channel.geometry.stride_w = stride;
      channel.geometry.pad_top = 1;
      channel.geometry.pad_left = 1;
      if (width > 2000) {
        channel.geometry.height = 4;
      }
      fill(channel, random);
      ASSERT_NO_FATAL_FAILURE(expect_all_equal_oracle(channel));
    }
  }
}

TEST(Depthwise, KernelsOfManyTaps) {
  test::Random random(2);
  for (const Index kernel : {7, 11, 13}) {
    Channel channel;
    channel.geometry.height = 20;
    channel.geometry.width = 33;
    channel.geometry.kernel_h = kernel;
    channel.geometry.kernel_w = kernel;
    channel.geometry.pad_top = kernel / 2;
    channel.geometry.pad_left = kernel / 2;
    channel.geometry.pad_bottom = kernel / 2;
    channel.geometry.pad_right = kernel / 2;
    fill(channel, random);
    ASSERT_NO_FATAL_FAILURE(expect_all_equal_oracle(channel));
  }
}

// Weights less their zero point reach from -255 to 255, which takes several s8 quads.
TEST(Depthwise, TheWidestWeights) {
  test::Random random(3);
  for (const bool w_signed : {false, true}) {
    for (const bool highest : {false, true}) {
      Channel channel;
      channel.geometry.height = 6;
      channel.geometry.width = 70;
      channel.geometry.kernel_h = 3;
      channel.geometry.kernel_w = 3;
      fill(channel, random);
      channel.w_signed = w_signed;
      const std::int32_t low = w_signed ? -128 : 0;
      std::fill(channel.w.begin(), channel.w.end(), static_cast<std::uint8_t>(highest ? low + 255 : low));
      channel.w_zero_point = highest ? low : low + 255;
      channel.scale = 1.0F / 4096;
      ASSERT_NO_FATAL_FAILURE(expect_all_equal_oracle(channel));
    }
  }
}

TEST(Depthwise, TheBiasWraps) {
  Channel channel;
  channel.geometry.height = 2;
  channel.geometry.width = 20;
  channel.x.assign(40, 255);
  channel.w = {127};
  channel.bias = 2147483647;
  ASSERT_LT(expected_of(channel)[0], 0);
  expect_all_equal_oracle(channel);
}

#if defined(__x86_64__)
TEST(Depthwise, TheProfileCapsTheChoice) {
  CpuFeatures full;
  full.sse41 = true;
  full.avx2 = true;
  full.avx512 = true;
  full.avx_vnni = true;
  full.avx512_vnni = true;
  const auto chosen = [](Isa isa, const CpuFeatures& features) {
    return std::string(choose_depthwise({isa, Precision::kFast}, features).kernel->name);
  };
  EXPECT_EQ(chosen(Isa::kScalar, full), "depthwise_scalar");
  EXPECT_EQ(chosen(Isa::kSse41, full), "depthwise_scalar");
  EXPECT_EQ(chosen(Isa::kAvx2, full), "depthwise_avx2");
  EXPECT_EQ(chosen(Isa::kAvx512, full), "depthwise_avx2");
  EXPECT_EQ(chosen(Isa::kAvxVnni, full), "depthwise_avx_vnni");
  EXPECT_EQ(chosen(Isa::kAvx512Vnni, full), "depthwise_avx512_vnni");
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512, Isa::kAvxVnni, Isa::kAvx512Vnni}) {
    EXPECT_EQ(chosen(isa, capped(full, Isa::kScalar)), "depthwise_scalar");
    EXPECT_TRUE(choose_depthwise({isa, Precision::kFast}, full).native);
    EXPECT_FALSE(choose_depthwise({isa, Precision::kFast}, capped(full, Isa::kScalar)).native);
  }
  EXPECT_EQ(chosen(Isa::kAvx512Vnni, capped(full, Isa::kAvx2)), "depthwise_avx2");
  EXPECT_FALSE(choose_depthwise({Isa::kAvx512Vnni, Precision::kFast}, capped(full, Isa::kAvx2)).native);
}
#elif defined(__aarch64__)
TEST(Depthwise, TheProfileCapsTheChoice) { test::expect_choices("depthwise", choose_depthwise); }
#endif

}  // namespace
}  // namespace assay::kernels
