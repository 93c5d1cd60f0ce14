// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/im2col/im2col.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

constexpr std::uint8_t kUntouched = 0x5A;

enum class Order { kChannelLast, kChannelFirst };

void run(const Im2colKernel& kernel, Order order, const Im2colArgs& args) {
  if (order == Order::kChannelLast) {
    im2col_channel_last(test::ran(kernel), args);
  } else {
    im2col_channel_first(test::ran(kernel), args);
  }
}

// The rows of the table that this host can run.
std::vector<Im2colKernel> host_kernels() {
  std::vector<Im2colKernel> out;
  for (const Im2colKernel& kernel : im2col_kernels()) {
    if (can_run(host_features(), kernel.isa)) {
      out.push_back(kernel);
    }
  }
  return out;
}

Im2colArgs random_args(test::Random& random) {
  Im2colArgs args;
  args.channels = random.chance(0.2) ? 1 : random.integer(1, random.chance(0.1) ? 150 : 40);
  args.height = random.integer(1, 8);
  args.width = random.integer(1, 16);
  args.kernel_h = random.integer(1, 4);
  args.kernel_w = random.integer(1, 5);
  args.stride_h = random.integer(1, 3);
  args.stride_w = random.integer(1, 3);
  args.dilation_h = random.integer(1, 3);
  args.dilation_w = random.chance(0.6) ? 1 : random.integer(2, 3);
  // Negative: the block starts inside the image.
  args.pad_top = random.integer(-3, 4);
  args.pad_left = random.integer(0, 6);
  args.out_h = random.integer(1, 8);
  args.out_w = random.integer(1, 12);
  args.pad_value = static_cast<std::uint8_t>(random.integer(0, 255));
  args.row_stride_bytes = args.channels * args.kernel_h * args.kernel_w + random.integer(0, 3);
  return args;
}

std::uint8_t pixel(Order order, const Im2colArgs& args, Index c, Index iy, Index ix) {
  if (iy < 0 || iy >= args.height || ix < 0 || ix >= args.width) {
    return args.pad_value;
  }
  if (order == Order::kChannelLast) {
    return args.image[(iy * args.width + ix) * args.channels + c];
  }
  return args.image[(c * args.height + iy) * args.width + ix];
}

// Each element by its position in the row.
std::vector<std::uint8_t> expected_rows(Order order, const Im2colArgs& args) {
  const Index taps = args.kernel_h * args.kernel_w;
  const Index size = (args.out_h * args.out_w - 1) * args.row_stride_bytes + args.channels * taps;
  std::vector<std::uint8_t> rows(static_cast<std::size_t>(size), kUntouched);
  for (Index i = 0; i < args.out_h * args.out_w; ++i) {
    for (Index at = 0; at < args.channels * taps; ++at) {
      const bool channel_last = order == Order::kChannelLast;
      const Index c = channel_last ? at % args.channels : at / taps;
      const Index tap = channel_last ? at / args.channels : at % taps;
      const Index iy = i / args.out_w * args.stride_h - args.pad_top + tap / args.kernel_w * args.dilation_h;
      const Index ix = i % args.out_w * args.stride_w - args.pad_left + tap % args.kernel_w * args.dilation_w;
      rows[static_cast<std::size_t>(i * args.row_stride_bytes + at)] = pixel(order, args, c, iy, ix);
    }
  }
  return rows;
}

TEST(Im2col, EqualsDirectIndexingOnRandomShapes) {
  test::GuardedMemory image_memory;
  test::GuardedMemory rows_memory;
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    Im2colArgs args = random_args(random);
    const Order order = random.chance(0.7) ? Order::kChannelLast : Order::kChannelFirst;
    const bool at_front = random.chance(0.3);
    const auto image_size = static_cast<std::size_t>(args.channels * args.height * args.width);
    std::uint8_t* image = image_memory.place(image_size, at_front);
    std::generate_n(image, image_size, [&] { return static_cast<std::uint8_t>(random.integer(0, 255)); });
    args.image = image;
    const std::vector<std::uint8_t> expected = expected_rows(order, args);
    for (const Im2colKernel& kernel : host_kernels()) {
      args.rows = rows_memory.place(expected.size(), at_front);
      std::fill_n(args.rows, expected.size(), kUntouched);
      run(kernel, order, args);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), args.rows)) << kernel.name << ", case " << i;
    }
  }
}

TEST(Im2col, TheProfileCapsTheChoice) {
  CpuFeatures full;
  full.sse41 = full.avx2 = full.avx512 = true;
  EXPECT_EQ(std::string(choose_im2col({Isa::kScalar}, full).name), "im2col_scalar");
#if defined(__x86_64__)
  EXPECT_EQ(std::string(choose_im2col({Isa::kAvx2}, full).name), "im2col_avx2");
  EXPECT_EQ(std::string(choose_im2col({Isa::kAvx512}, full).name), "im2col_avx512");
#endif
  EXPECT_EQ(std::string(choose_im2col({Isa::kAvx512}, capped(full, Isa::kSse41)).name), "im2col_scalar");
}

TEST(Im2col, OrdersOfTwoChannelsAndTwoTaps) {
  const std::vector<std::uint8_t> channel_first = {1, 2, 3, 11, 12, 13};  // [2, 1, 3]
  const std::vector<std::uint8_t> channel_last = {1, 11, 2, 12, 3, 13};   // [1, 3, 2]
  std::vector<std::uint8_t> rows(8);
  Im2colArgs args{.image = channel_last.data(),
                  .channels = 2,
                  .height = 1,
                  .width = 3,
                  .kernel_w = 2,
                  .out_h = 1,
                  .out_w = 2,
                  .rows = rows.data(),
                  .row_stride_bytes = 4};
  im2col_channel_last(im2col_kernels().back(), args);
  EXPECT_THAT(rows, ::testing::ElementsAre(1, 11, 2, 12, 2, 12, 3, 13));
  args.image = channel_first.data();
  im2col_channel_first(im2col_kernels().back(), args);
  EXPECT_THAT(rows, ::testing::ElementsAre(1, 2, 11, 12, 2, 3, 12, 13));
}

TEST(Im2col, PaddingHoldsThePadValue) {
  const std::uint8_t image = 9;
  for (const Order order : {Order::kChannelLast, Order::kChannelFirst}) {
    std::vector<std::uint8_t> rows(9);
    run(im2col_kernels().back(), order,
        {.image = &image,
         .channels = 1,
         .height = 1,
         .width = 1,
         .kernel_h = 3,
         .kernel_w = 3,
         .pad_top = 1,
         .pad_left = 1,
         .out_h = 1,
         .out_w = 1,
         .pad_value = 128,
         .rows = rows.data(),
         .row_stride_bytes = 9});
    EXPECT_THAT(rows, ::testing::ElementsAre(128, 128, 128, 128, 9, 128, 128, 128, 128));
  }
}

}  // namespace
}  // namespace assay::kernels
