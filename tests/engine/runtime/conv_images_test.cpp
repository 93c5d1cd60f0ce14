// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/conv_images.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/engine/runtime/conv_shape_of.h"
#include "tests/support/random.h"

namespace assay::runtime {
namespace {

const kernels::TransposeKernel& best_transpose() {
  return kernels::choose_transpose({best_isa(host_features())}, host_features());
}

std::vector<std::byte> random_bytes(Index count, test::Random& random) {
  std::vector<std::byte> out(static_cast<std::size_t>(count));
  std::generate(out.begin(), out.end(), [&] { return static_cast<std::byte>(random.integer(0, 255)); });
  return out;
}

TEST(ChannelLastImages, HoldEveryElementOfAFewSamples) {
  test::Random random(1);
  for (const Index channels : {1, 2, 3, 17, 300}) {
    const ConvShape shape = test::shape_of(5, 2, channels, 19, 37, 3);
    std::vector<std::byte> x(static_cast<std::size_t>(5 * 2 * channels * 19 * 37));
    std::generate(x.begin(), x.end(), [&] { return static_cast<std::byte>(random.integer(0, 255)); });
    ChannelLastImages images;
    ASSERT_TRUE(images.reserve(shape, bare_frame(shape), 2).ok());
    for (Index first = 0; first < 5; first += images.most_samples()) {
      const Index count = std::min(images.most_samples(), 5 - first);
      images.fill(shape, {.transpose = best_transpose(), .x = x.data()}, first, count, 2);
      for (Index plane = first * 2 * channels; plane < (first + count) * 2 * channels; ++plane) {
        const std::uint8_t* image = images.image(plane / (2 * channels), plane / channels % 2);
        for (Index pixel = 0; pixel < 19 * 37; ++pixel) {
          ASSERT_EQ(std::byte{image[pixel * channels + plane % channels]},
                    x[static_cast<std::size_t>(plane * 19 * 37 + pixel)]);
        }
      }
    }
  }
}

WindowAxis random_axis(test::Random& random, bool may_dilate) {
  WindowAxis axis;
  axis.kernel = random.integer(1, 4);
  axis.dilation = may_dilate ? random.integer(1, 3) : 1;
  axis.stride = random.integer(1, 3);
  axis.pad_begin = random.integer(0, 2);
  axis.pad_end = random.integer(0, 2);
  axis.input = random.integer(axis.span(), axis.span() + 12);
  axis.output = (axis.pad_begin + axis.input + axis.pad_end - axis.span()) / axis.stride + 1;
  return axis;
}

// The bytes that a kernel reads as row i of `rows`.
std::vector<std::uint8_t> bytes_of_row(const ProductRows& rows, Index i, Index k) {
  const auto* a = reinterpret_cast<const std::uint8_t*>(rows.a);
  const Index segment = k / rows.lines.segments;
  std::vector<std::uint8_t> out;
  for (Index p = 0; p < k; ++p) {
    out.push_back(a[i / rows.lines.rows * rows.lines.stride_bytes + i % rows.lines.rows * rows.stride_bytes +
                    p / segment * rows.lines.segment_stride_bytes + p % segment]);
  }
  return out;
}

TEST(RowsInPlace, AreThePatches) {
  for (int stream = 0; stream < 200; ++stream) {
    test::Random random(static_cast<std::uint64_t>(stream));
    ConvShape shape{.batch = 2, .group = random.integer(1, 2), .group_channels = 4 * random.integer(1, 5)};
    shape.group_outputs = 1;
    shape.window.h = random_axis(random, true);
    shape.window.w = random_axis(random, false);
    ASSERT_TRUE(can_read_in_place(shape));
    const std::vector<std::byte> x = random_bytes(2 * shape.channels() * shape.image_size(), random);
    ChannelLastImages bare;
    ChannelLastImages framed;
    ASSERT_TRUE(bare.reserve(shape, bare_frame(shape), 1).ok());
    ASSERT_TRUE(framed.reserve(shape, frame_of_taps(shape), 1).ok());
    const ImageSource source{.transpose = best_transpose(), .x = x.data(), .pad_value = 77};
    bare.fill(shape, source, 0, 2, 1);
    framed.fill(shape, source, 0, 2, 1);
    const kernels::Im2colKernel& im2col = kernels::choose_im2col({Isa::kScalar}, host_features());
    const ConvTasks tasks(shape, 1000, 1, LeftOperand::kImage);
    for (Index task = 0; task < tasks.count(); ++task) {
      const OutputBlock block = tasks.at(task);
      const Index group = task % shape.group;
      std::vector<std::uint8_t> patches(static_cast<std::size_t>(block.positions * shape.contraction()));
      write_patches_channel_last(shape, {.kernel = im2col, .image = bare.image(block.sample, group), .pad_value = 77},
                                 block, patches.data());
      const ProductRows rows = rows_in_place(shape, framed.image(block.sample, group), block);
      ASSERT_EQ(rows.count, block.positions);
      for (Index i = 0; i < rows.count; ++i) {
        const auto patch = patches.begin() + i * shape.contraction();
        ASSERT_EQ(bytes_of_row(rows, i, shape.contraction()),
                  std::vector<std::uint8_t>(patch, patch + shape.contraction()))
            << "stream " << stream << ", task " << task << ", position " << i;
      }
    }
  }
}

TEST(RowsInPlace, NeedWholeGroupsOfNeighbours) {
  ConvShape shape = test::shape_of(1, 1, 4, 9, 9, 3);
  EXPECT_TRUE(can_read_in_place(shape));
  shape.window.w.dilation = 2;
  EXPECT_FALSE(can_read_in_place(shape));
  shape.window.w = {.input = 9, .kernel = 1, .dilation = 2, .output = 9};
  EXPECT_TRUE(can_read_in_place(shape));
  EXPECT_FALSE(can_read_in_place(test::shape_of(1, 1, 3, 9, 9, 3)));
  EXPECT_TRUE(can_read_in_place(test::shape_of(1, 1, 3, 9, 9, 4)));
}

}  // namespace
}  // namespace assay::runtime
