// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pool/average_pool.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/oracle/elementwise.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

std::vector<std::uint8_t> random_bytes(Index count, test::Random& random) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(count));
  for (std::uint8_t& byte : out) {
    byte = static_cast<std::uint8_t>(random.integer(0, 255));
  }
  return out;
}

PoolQuantization random_quantization(test::Random& random) {
  PoolQuantization out;
  out.is_signed = random.chance(0.5);
  const std::int64_t low = out.is_signed ? -128 : 0;
  out.x_zero_point = static_cast<std::int32_t>(random.integer(low, low + 255));
  out.y_zero_point = static_cast<std::int32_t>(random.integer(low, low + 255));
  out.x_scale = random.chance(0.5) ? 0.5F : random.uniform(0.01F, 0.1F);
  out.y_scale = random.chance(0.5) ? 0.25F : random.uniform(0.01F, 0.1F);
  return out;
}

oracle::ScaledOutput output_of(const PoolQuantization& q) {
  return {q.y_scale, {q.y_zero_point, q.is_signed ? -128 : 0, q.is_signed ? 127 : 255}};
}

AveragePoolArgs random_pool(test::Random& random) {
  AveragePoolArgs args;
  args.planes = random.integer(1, 3);
  args.height = random.integer(1, 9);
  args.width = random.integer(1, 9);
  args.kernel_h = random.integer(1, 4);
  args.kernel_w = random.integer(1, 4);
  args.stride_h = random.integer(1, 3);
  args.stride_w = random.integer(1, 3);
  args.dilation_h = random.integer(1, 2);
  args.dilation_w = random.integer(1, 2);
  args.pad_top = random.integer(0, 2);
  args.pad_left = random.integer(0, 2);
  args.pad_bottom = random.integer(0, 2);
  args.pad_right = random.integer(0, 2);
  args.out_h = random.integer(1, 6);  // may run beyond the padding, as ceil_mode does
  args.out_w = random.integer(1, 6);
  args.count_include_pad = random.chance(0.5);
  args.quantization = random_quantization(random);
  return args;
}

std::int32_t expected_at(const AveragePoolArgs& args, const oracle::Integers& x, Index plane, Index oy, Index ox) {
  oracle::Integers inside;
  Index padding = 0;
  for (Index ky = 0; ky < args.kernel_h; ++ky) {
    for (Index kx = 0; kx < args.kernel_w; ++kx) {
      const Index iy = oy * args.stride_h - args.pad_top + ky * args.dilation_h;
      const Index ix = ox * args.stride_w - args.pad_left + kx * args.dilation_w;
      if (iy >= 0 && iy < args.height && ix >= 0 && ix < args.width) {
        inside.push_back(x[static_cast<std::size_t>((plane * args.height + iy) * args.width + ix)]);
      } else if (args.count_include_pad && iy < args.height + args.pad_bottom && ix < args.width + args.pad_right) {
        ++padding;
      }
    }
  }
  const PoolQuantization& q = args.quantization;
  if (inside.empty() && padding == 0) {
    return q.y_zero_point;
  }
  return oracle::qlinear_average(inside, padding, {0, q.x_scale, q.x_zero_point}, output_of(q));
}

TEST(AveragePool, EqualsTheOracleOnRandomShapes) {
  for (int i = 0; i < 1000; ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    AveragePoolArgs args = random_pool(random);
    const std::vector<std::uint8_t> x = random_bytes(args.planes * args.height * args.width, random);
    std::vector<std::uint8_t> y(static_cast<std::size_t>(args.planes * args.out_h * args.out_w));
    args.x = x.data();
    args.y = y.data();
    qlinear_average_pool(args);
    const oracle::Integers xv = oracle::integers_of(x, args.quantization.is_signed);
    const oracle::Integers found = oracle::integers_of(y, args.quantization.is_signed);
    std::size_t at = 0;
    for (Index plane = 0; plane < args.planes; ++plane) {
      for (Index oy = 0; oy < args.out_h; ++oy) {
        for (Index ox = 0; ox < args.out_w; ++ox) {
          ASSERT_EQ(found[at++], expected_at(args, xv, plane, oy, ox)) << "case " << i << " " << oy << "," << ox;
        }
      }
    }
  }
}

TEST(AveragePool, TheZeroPointTakesPartInTheRounding) {
  const std::vector<std::uint8_t> x = {0, 1};
  std::uint8_t y = 0;
  AveragePoolArgs args{.x = x.data(), .y = &y, .width = 2, .kernel_w = 2};
  qlinear_average_pool(args);
  EXPECT_EQ(y, 0);  // 0.5
  args.quantization.y_zero_point = 1;
  qlinear_average_pool(args);
  EXPECT_EQ(y, 2);  // 1.5
}

TEST(GlobalAveragePool, EqualsTheOracleInBothLayouts) {
  for (int i = 0; i < 500; ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const Index planes = random.integer(1, 8);
    const Index size = random.integer(1, 60);
    const bool channel_last = random.chance(0.5);
    const PoolQuantization q = random_quantization(random);
    const std::vector<std::uint8_t> x = random_bytes(planes * size, random);
    std::vector<std::uint8_t> y(static_cast<std::size_t>(planes));
    qlinear_global_average_pool({.x = x.data(),
                                 .y = y.data(),
                                 .planes = planes,
                                 .size = size,
                                 .plane_stride = channel_last ? 1 : size,
                                 .step = channel_last ? planes : 1,
                                 .quantization = q});
    const oracle::Integers xv = oracle::integers_of(x, q.is_signed);
    const oracle::Integers found = oracle::integers_of(y, q.is_signed);
    for (Index p = 0; p < planes; ++p) {
      oracle::Integers plane;
      for (Index at = 0; at < size; ++at) {
        plane.push_back(xv[static_cast<std::size_t>(channel_last ? at * planes + p : p * size + at)]);
      }
      ASSERT_EQ(found[static_cast<std::size_t>(p)],
                oracle::qlinear_global_average(plane, {0, q.x_scale, q.x_zero_point}, output_of(q)))
          << "case " << i;
    }
  }
}

TEST(GlobalAveragePool, TheZeroPointIsAddedAfterRounding) {
  const std::vector<std::uint8_t> x = {0, 1};
  std::uint8_t y = 0;
  GlobalAveragePoolArgs args{.x = x.data(), .y = &y, .size = 2, .plane_stride = 2};
  qlinear_global_average_pool(args);
  EXPECT_EQ(y, 0);
  args.quantization.y_zero_point = 1;
  qlinear_global_average_pool(args);
  EXPECT_EQ(y, 1);
}

}  // namespace
}  // namespace assay::kernels
