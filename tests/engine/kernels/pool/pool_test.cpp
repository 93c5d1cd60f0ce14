// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pool/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/kernels/each_kernel.h"
#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/oracle/elementwise.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

PoolQuantization random_quantization(test::Random& random) {
  PoolQuantization out;
  out.is_signed = random.chance(0.5);
  const std::int64_t low = out.is_signed ? -128 : 0;
  out.x_zero_point = static_cast<std::int32_t>(random.integer(low, low + 255));
  out.y_zero_point = static_cast<std::int32_t>(random.integer(low, low + 255));
  out.x_scale = random.chance(0.5) ? 0.5F : random.uniform(0.01F, 0.1F);
  out.y_scale = random.chance(0.5) ? 0.25F : random.uniform(0.01F, 0.1F);
  if (random.chance(0.3)) {
    // Float sums a rounding away from a tie, which a large zero point would round away.
    out.y_scale = out.x_scale * static_cast<float>(random.integer(1, 9)) / static_cast<float>(random.integer(1, 9));
    out.y_zero_point = static_cast<std::int32_t>(random.integer(out.is_signed ? -1 : 0, 1));
  }
  return out;
}

oracle::ScaledOutput output_of(const PoolQuantization& q) {
  return {q.y_scale, {q.y_zero_point, q.is_signed ? -128 : 0, q.is_signed ? 127 : 255}};
}

// Mostly small; sometimes wider than a register and than a strip.
PoolGeometry random_geometry(test::Random& random) {
  PoolGeometry g;
  g.planes = random.integer(1, 3);
  g.height = random.integer(1, 9);
  g.width = random.chance(0.7) ? random.integer(1, 12) : random.integer(13, 150);
  g.kernel_h = random.integer(1, 4);
  g.kernel_w = random.integer(1, 4);
  g.stride_h = random.integer(1, 3);
  g.stride_w = random.integer(1, 3);
  g.dilation_h = random.integer(1, 2);
  g.dilation_w = random.integer(1, 2);
  if (random.chance(0.6)) {
    g.pad_top = random.integer(0, 2);
    g.pad_left = random.integer(0, 2);
  }
  g.out_h = random.integer(1, 6);  // may run beyond the padding, as ceil_mode does
  g.out_w = random.chance(0.4) ? random.integer(1, 6) : std::max(Index{1}, (g.width - 1) / g.stride_w + 1);
  return g;
}

// The least and the largest byte of either type: uint8 0 and 255, int8 -128 and 127.
constexpr std::uint8_t kExtremes[] = {0, 255, 128, 127};
std::uint8_t random_extreme(test::Random& random) { return kExtremes[random.integer(0, 3)]; }

// Operands between guard pages.
struct Images {
  test::GuardedMemory memory[2];
  std::uint8_t* x = nullptr;
  std::uint8_t* y = nullptr;
  std::size_t x_count = 0;
  std::size_t y_count = 0;

  bool make(Index in, Index out, test::Random& random) {
    x_count = static_cast<std::size_t>(in);
    y_count = static_cast<std::size_t>(out);
    x = memory[0].place(x_count, random.chance(0.5));
    y = memory[1].place(y_count, random.chance(0.5));
    const bool extreme = random.chance(0.1);
    for (std::size_t i = 0; x != nullptr && i < x_count; ++i) {
      x[i] = extreme && i > 0 ? x[0]
                              : static_cast<std::uint8_t>(extreme ? random_extreme(random) : random.integer(0, 255));
    }
    return x != nullptr && y != nullptr;
  }
  void fill(std::uint8_t value) { std::fill_n(x, x_count, value); }
  bool make(const PoolGeometry& g, test::Random& random) {
    return make(g.planes * g.height * g.width, g.planes * g.out_h * g.out_w, random);
  }
};

// The values of a window inside the image, and how many taps lie outside.
struct Taken {
  oracle::Integers inside;
  Index padding = 0;
};
Taken taken(const PoolGeometry& g, const oracle::Integers& x, std::size_t output) {
  const Index ox = static_cast<Index>(output) % g.out_w;
  const Index oy = static_cast<Index>(output) / g.out_w % g.out_h;
  const Index plane = static_cast<Index>(output) / g.out_w / g.out_h;
  Taken out;
  for (Index ky = 0; ky < g.kernel_h; ++ky) {
    for (Index kx = 0; kx < g.kernel_w; ++kx) {
      const Index iy = oy * g.stride_h - g.pad_top + ky * g.dilation_h;
      const Index ix = ox * g.stride_w - g.pad_left + kx * g.dilation_w;
      if (iy >= 0 && iy < g.height && ix >= 0 && ix < g.width) {
        out.inside.push_back(x[static_cast<std::size_t>((plane * g.height + iy) * g.width + ix)]);
      } else {
        ++out.padding;
      }
    }
  }
  return out;
}

std::int32_t expected_average(const AveragePoolArgs& args, const Taken& window) {
  const PoolQuantization& q = args.quantization;
  const Index padding = args.count_include_pad ? window.padding : 0;
  if (window.inside.empty() && padding == 0) {
    return q.y_zero_point;
  }
  return oracle::qlinear_average(window.inside, padding, {0, q.x_scale, q.x_zero_point}, output_of(q));
}

void expect_average_equals_oracle(AveragePoolArgs args, const Images& images, const std::string& what) {
  const bool is_signed = args.quantization.is_signed;
  args.x = images.x;
  args.y = images.y;
  const oracle::Integers x = oracle::integers_of({images.x, images.x_count}, is_signed);
  oracle::Integers expected;
  for (std::size_t i = 0; i < images.y_count; ++i) {
    expected.push_back(expected_average(args, taken(args.geometry, x, i)));
  }
  for (const PoolKernel* kernel : test::runnable(pool_kernels())) {
    std::fill(images.y, images.y + images.y_count, std::uint8_t{0x5A});
    test::ran(*kernel).average(args);
    ASSERT_EQ(oracle::integers_of({images.y, images.y_count}, is_signed), expected) << kernel->name << ", " << what;
  }
}

std::string case_text(int i) { return "case " + std::to_string(i) + ", seed " + std::to_string(test::test_seed()); }

TEST(AveragePool, EqualsTheOracleOnRandomShapes) {
  Images images;
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    AveragePoolArgs args;
    args.geometry = random_geometry(random);
    args.count_include_pad = random.chance(0.5);
    args.quantization = random_quantization(random);
    ASSERT_TRUE(images.make(args.geometry, random));
    ASSERT_NO_FATAL_FAILURE(expect_average_equals_oracle(args, images, case_text(i)));
  }
}

TEST(AveragePool, WindowsLargerThanTheBuffersAndRowsLongerThanAStrip) {
  test::Random random(1);
  Images images;
  for (const PoolGeometry& g :
       {PoolGeometry{.height = 40, .width = 700, .kernel_h = 40, .kernel_w = 600, .pad_left = 1, .out_w = 101},
        PoolGeometry{
            .height = 3, .width = 1500, .kernel_h = 2, .kernel_w = 3, .pad_left = 1, .out_h = 2, .out_w = 1499},
        PoolGeometry{.height = 2, .width = 2600, .kernel_h = 2, .kernel_w = 2, .stride_w = 2, .out_w = 1300}}) {
    AveragePoolArgs args;
    args.geometry = g;
    args.quantization = random_quantization(random);
    ASSERT_TRUE(images.make(g, random));
    ASSERT_NO_FATAL_FAILURE(expect_average_equals_oracle(args, images, "width " + std::to_string(g.width)));
  }
}

// 257 bytes of 255 are the most whose sum 16 bits hold. Every length around that, and some far above.
TEST(AveragePool, ExtremesInWindowsAroundTheLongestSumsOf16Bits) {
  test::Random random(4);
  Images images;
  for (const auto& [kernel_h, kernel_w] : std::vector<std::pair<Index, Index>>{
           {1, 255}, {1, 256}, {1, 257}, {1, 258}, {129, 2}, {16, 16}, {20, 20}, {1, 400}, {2, 256}, {1, 514}}) {
    for (int i = 0; i < 48; ++i) {
      AveragePoolArgs args;
      args.geometry = {.height = kernel_h + 3, .width = kernel_w + 40, .kernel_h = kernel_h, .kernel_w = kernel_w};
      args.geometry.stride_h = args.geometry.stride_w = 1 + i % 3;
      args.geometry.out_h = 3 / args.geometry.stride_h + 1;
      args.geometry.out_w = 40 / args.geometry.stride_w + 1;
      args.quantization = random_quantization(random);
      args.quantization.is_signed = i / 3 % 2 == 0;
      args.quantization.y_scale = args.quantization.x_scale * 2;  // few clamp
      args.quantization.x_zero_point = args.quantization.y_zero_point = args.quantization.is_signed ? -1 : i % 5 * 60;
      ASSERT_TRUE(images.make(args.geometry, random));
      images.fill(kExtremes[i / 6 % 4]);
      ASSERT_NO_FATAL_FAILURE(expect_average_equals_oracle(
          args, images, std::to_string(kernel_h) + " x " + std::to_string(kernel_w) + ", case " + std::to_string(i)));
    }
  }
}

// Two windows per axis: the first reaches the first row and column only, the second all but these.
PoolGeometry largest_window() {
  constexpr Index kKernel = (Index{1} << 31) - 1;
  return {.height = 3,
          .width = 4,
          .kernel_h = kKernel,
          .kernel_w = kKernel,
          .stride_h = kKernel,
          .stride_w = kKernel,
          .pad_top = kKernel - 1,
          .pad_left = kKernel - 1,
          .out_h = 2,
          .out_w = 2};
}
const std::vector<std::uint8_t> kTwelve = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};

// What the taps outside the image cost is nothing: a loop over them would not end.
TEST(AveragePool, KernelsFarLargerThanTheImage) {
  for (const PoolKernel* kernel : test::runnable(pool_kernels())) {
    std::vector<std::uint8_t> y(4);
    AveragePoolArgs args{.x = kTwelve.data(), .y = y.data(), .geometry = largest_window()};
    args.quantization.x_scale = args.quantization.y_scale = 1;
    test::ran(*kernel).average(args);
    EXPECT_EQ(y, (std::vector<std::uint8_t>{10, 30, 70, 90})) << kernel->name;
    args.count_include_pad = true;
    test::ran(*kernel).average(args);
    EXPECT_EQ(y, (std::vector<std::uint8_t>{0, 0, 0, 0})) << kernel->name;
  }
}

TEST(MaxPool, KernelsFarLargerThanTheImage) {
  for (const PoolKernel* kernel : test::runnable(pool_kernels())) {
    std::vector<std::uint8_t> y(4);
    test::ran(*kernel).max({.x = kTwelve.data(), .y = y.data(), .geometry = largest_window()});
    EXPECT_EQ(y, (std::vector<std::uint8_t>{10, 40, 90, 120})) << kernel->name;
  }
}

TEST(AveragePool, SpecialScales) {
  test::Random random(2);
  Images images;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const PoolGeometry g{
      .height = 5, .width = 20, .kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1, .out_h = 4, .out_w = 19};
  for (const float scale : {0.0F, -0.5F, 1e-40F, 3e38F, kInfinity, std::nanf("")}) {
    for (const bool of_x : {true, false}) {
      AveragePoolArgs args;
      args.geometry = g;
      args.quantization = random_quantization(random);
      (of_x ? args.quantization.x_scale : args.quantization.y_scale) = scale;
      ASSERT_TRUE(images.make(g, random));
      ASSERT_NO_FATAL_FAILURE(expect_average_equals_oracle(args, images, "scale " + std::to_string(scale)));
    }
  }
}

TEST(MaxPool, EqualsANaiveLoopOnRandomShapes) {
  Images images;
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    MaxPoolArgs args;
    args.geometry = random_geometry(random);
    args.is_signed = random.chance(0.5);
    ASSERT_TRUE(images.make(args.geometry, random));
    args.x = images.x;
    args.y = images.y;
    const oracle::Integers x = oracle::integers_of({images.x, images.x_count}, args.is_signed);
    oracle::Integers expected;
    for (std::size_t at = 0; at < images.y_count; ++at) {
      const Taken window = taken(args.geometry, x, at);
      const auto largest = std::max_element(window.inside.begin(), window.inside.end());
      expected.push_back(window.inside.empty() ? (args.is_signed ? -128 : 0) : *largest);
    }
    for (const PoolKernel* kernel : test::runnable(pool_kernels())) {
      std::fill(images.y, images.y + images.y_count, std::uint8_t{0x5A});
      test::ran(*kernel).max(args);
      ASSERT_EQ(oracle::integers_of({images.y, images.y_count}, args.is_signed), expected)
          << kernel->name << ", " << case_text(i);
    }
  }
}

TEST(AveragePool, TheZeroPointTakesPartInTheRounding) {
  const std::vector<std::uint8_t> x = {0, 1};
  for (const PoolKernel* kernel : test::runnable(pool_kernels())) {
    std::uint8_t y = 0;
    AveragePoolArgs args{.x = x.data(), .y = &y, .geometry = {.width = 2, .kernel_w = 2}};
    test::ran(*kernel).average(args);
    EXPECT_EQ(y, 0) << kernel->name;  // 0.5
    args.quantization.y_zero_point = 1;
    test::ran(*kernel).average(args);
    EXPECT_EQ(y, 2) << kernel->name;  // 1.5
  }
}

// Layouts: channels first, channels last, and every other plane of twice as many.
constexpr Index kLayouts = 3;
GlobalAveragePoolArgs global_average_args(Index planes, Index size, Index layout) {
  return {.planes = planes,
          .size = size,
          .plane_stride = layout == 0 ? size : layout,
          .step = layout == 0 ? 1 : planes * layout};
}
bool make_planes(Images& images, const GlobalAveragePoolArgs& args, Index layout, test::Random& random) {
  return images.make(args.planes * args.size * std::max(layout, Index{1}), args.planes, random);
}

void expect_global_average_equals_oracle(GlobalAveragePoolArgs args, const Images& images, const std::string& what) {
  const PoolQuantization& q = args.quantization;
  args.x = images.x;
  args.y = images.y;
  const oracle::Integers x = oracle::integers_of({images.x, images.x_count}, q.is_signed);
  oracle::Integers expected;
  for (Index p = 0; p < args.planes; ++p) {
    oracle::Integers plane;
    for (Index at = 0; at < args.size; ++at) {
      plane.push_back(x[static_cast<std::size_t>(p * args.plane_stride + at * args.step)]);
    }
    expected.push_back(oracle::qlinear_global_average(plane, {0, q.x_scale, q.x_zero_point}, output_of(q)));
  }
  for (const PoolKernel* kernel : test::runnable(pool_kernels())) {
    std::fill(images.y, images.y + args.planes, std::uint8_t{0x5A});
    test::ran(*kernel).global_average(args);
    ASSERT_EQ(oracle::integers_of({images.y, images.y_count}, q.is_signed), expected) << kernel->name << ", " << what;
  }
}

TEST(GlobalAveragePool, EqualsTheOracleInEveryLayout) {
  Images images;
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const Index planes = random.chance(0.7) ? random.integer(1, 8) : random.integer(9, 140);
    const Index size = random.chance(0.95) ? random.integer(1, 80) : random.integer(250, 600);
    const Index layout = random.integer(0, kLayouts - 1);
    GlobalAveragePoolArgs args = global_average_args(planes, size, layout);
    args.quantization = random_quantization(random);
    ASSERT_TRUE(make_planes(images, args, layout, random));
    ASSERT_NO_FATAL_FAILURE(expect_global_average_equals_oracle(args, images, case_text(i)));
  }
}

TEST(GlobalAveragePool, ExtremesInPlanesAroundTheLongestSumsOf16Bits) {
  test::Random random(5);
  Images images;
  for (const Index size : {255, 256, 257, 258, 259, 400, 512, 514, 516, 600, 5000, 66000}) {
    for (int i = 0; i < 24; ++i) {
      const Index layout = i % kLayouts;
      GlobalAveragePoolArgs args = global_average_args(size > 600 ? 33 : 70, size, layout);
      args.quantization = random_quantization(random);
      args.quantization.is_signed = i / 12 == 0;
      args.quantization.y_scale = args.quantization.x_scale * 2;  // few clamp
      ASSERT_TRUE(make_planes(images, args, layout, random));
      images.fill(kExtremes[i / 3 % 4]);
      ASSERT_NO_FATAL_FAILURE(
          expect_global_average_equals_oracle(args, images, std::to_string(size) + ", case " + std::to_string(i)));
    }
  }
}

TEST(GlobalAveragePool, TheZeroPointIsAddedAfterRounding) {
  const std::vector<std::uint8_t> x = {0, 1};
  for (const PoolKernel* kernel : test::runnable(pool_kernels())) {
    std::uint8_t y = 0;
    GlobalAveragePoolArgs args{.x = x.data(), .y = &y, .size = 2, .plane_stride = 2};
    test::ran(*kernel).global_average(args);
    EXPECT_EQ(y, 0) << kernel->name;
    args.quantization.y_zero_point = 1;
    test::ran(*kernel).global_average(args);
    EXPECT_EQ(y, 1) << kernel->name;
  }
}

TEST(PoolKernels, ProfilesCapTheChoice) { test::expect_choices("pool", choose_pool); }

}  // namespace
}  // namespace assay::kernels
