// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/im2col/im2col.h"

#include <fmt/format.h>

#include <memory>

#include "harness/bench/family.h"
#include "harness/bench/host_rows.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr std::uint8_t kPadding = 77;

enum class Order { kChannelLast, kChannelFirst };

struct Shape {
  Index channels;
  Index size;  // height and width
  Index kernel;
  Index stride;
};
constexpr Shape kShapes[] = {{64, 56, 3, 1}, {3, 224, 7, 2}, {3, 224, 3, 2}, {256, 56, 1, 1}};

struct Image {
  explicit Image(const Shape& s)
      : shape(s),
        out((s.size - 1) / s.stride + 1),
        row(s.channels * s.kernel * s.kernel),
        x(s.channels * s.size * s.size),
        rows(out * out * row) {}
  bool ok() const { return x.ok() && rows.ok(); }

  Shape shape;
  Index out;
  Index row;  // bytes of a patch
  Elements<std::uint8_t> x;
  Elements<std::uint8_t> rows;
};

void run(const kernels::Im2colKernel& kernel, Image& image, Order order) {
  const Shape& shape = image.shape;
  kernels::Im2colArgs args;
  args.image = image.x.data();
  args.channels = shape.channels;
  args.height = shape.size;
  args.width = shape.size;
  args.kernel_h = shape.kernel;
  args.kernel_w = shape.kernel;
  args.stride_h = shape.stride;
  args.stride_w = shape.stride;
  args.pad_top = shape.kernel / 2;
  args.pad_left = shape.kernel / 2;
  args.out_h = image.out;
  args.out_w = image.out;
  args.pad_value = kPadding;
  args.rows = image.rows.data();
  args.row_stride_bytes = image.row;
  if (order == Order::kChannelLast) {
    kernels::im2col_channel_last(kernel, args);
  } else {
    kernels::im2col_channel_first(kernel, args);
  }
}

std::uint8_t pixel(const Image& image, Order order, Index channel, Index y, Index x) {
  const Index size = image.shape.size;
  if (y < 0 || y >= size || x < 0 || x >= size) {
    return kPadding;
  }
  const Index last = (y * size + x) * image.shape.channels + channel;
  return image.x.data()[order == Order::kChannelLast ? last : (channel * size + y) * size + x];
}

Status check(const kernels::Im2colKernel& kernel, const Image& image, Order order) {
  const Shape& shape = image.shape;
  const Index taps = shape.kernel * shape.kernel;
  std::vector<std::uint8_t> expected;
  for (Index at = 0; at < image.out * image.out; ++at) {
    for (Index i = 0; i < image.row; ++i) {
      const bool channel_last = order == Order::kChannelLast;
      const Index channel = channel_last ? i % shape.channels : i / taps;
      const Index tap = channel_last ? i / shape.channels : i % taps;
      const Index y = at / image.out * shape.stride + tap / shape.kernel - shape.kernel / 2;
      const Index x = at % image.out * shape.stride + tap % shape.kernel - shape.kernel / 2;
      expected.push_back(pixel(image, order, channel, y, x));
    }
  }
  return expect_same<std::uint8_t>(kernel.name, image.rows.span(), expected, "a naive loop");
}

Result<Prepared> prepare(const kernels::Im2colKernel& kernel, const Shape& shape, Order order) {
  auto image = std::make_shared<Image>(shape);
  if (!image->ok()) {
    return resource_error("no memory for the image");
  }
  fill_bytes(image->x.span(), 1);
  Prepared prepared;
  prepared.call = [&kernel, image, order]() -> Status {
    run(kernel, *image, order);
    return {};
  };
  prepared.check = [&kernel, image, order] { return check(kernel, *image, order); };
  prepared.work.bytes = static_cast<double>(image->x.size() + image->rows.size());
  return prepared;
}

}  // namespace

BenchmarkRows im2col_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const kernels::Im2colKernel& kernel : host_rows(kernels::im2col_kernels())) {
    for (const Shape& shape : kShapes) {
      for (const Order order : {Order::kChannelLast, Order::kChannelFirst}) {
        rows.push_back({fmt::format("im2col/{}/{}/{}ch_{}x{}_k{}_s{}", kernel.name,
                                    order == Order::kChannelLast ? "channel_last" : "channel_first", shape.channels,
                                    shape.size, shape.size, shape.kernel, shape.stride),
                        [&kernel, &shape, order] { return prepare(kernel, shape, order); }});
      }
    }
  }
  return rows;
}

}  // namespace assay::bench
