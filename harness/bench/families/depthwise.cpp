// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "engine/kernels/depthwise/depthwise.h"
#include "harness/bench/family.h"
#include "harness/bench/host_rows.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

// Layers of MobileNetV2 on images of 224 x 224 (kernel 3 x 3, padding 1), and a 5 x 5 one as EfficientNet has them.
struct Shape {
  Index channels;
  Index size;  // height and width of the image
  Index kernel;
  Index stride;
};
constexpr Shape kShapes[] = {{32, 112, 3, 1}, {32, 112, 3, 2}, {96, 112, 3, 2}, {144, 56, 3, 1},
                             {384, 14, 3, 1}, {960, 7, 3, 1},  {144, 56, 5, 1}};

constexpr float kScale = 0.001F;  // of the sums: few results saturate

struct Images {
  explicit Images(const Shape& s)
      : shape(s),
        out((s.size - 1) / s.stride + 1),
        x(s.channels * s.size * s.size),
        w(s.channels * s.kernel * s.kernel),
        y(s.channels * out * out) {}
  bool ok() const { return x.ok() && w.ok() && y.ok(); }

  Shape shape;
  Index out;
  Elements<std::uint8_t> x;
  Elements<std::uint8_t> w;
  Elements<std::uint8_t> y;
};

void convolve(const kernels::DepthwiseKernel& kernel, const Images& images, std::uint8_t* y) {
  const Shape& shape = images.shape;
  kernels::DepthwiseArgs args;
  args.x_zero_point = 128;
  args.scale = kScale;
  args.y_zero_point = 128;
  args.height = shape.size;
  args.width = shape.size;
  args.kernel_h = shape.kernel;
  args.kernel_w = shape.kernel;
  args.stride_h = shape.stride;
  args.stride_w = shape.stride;
  args.pad_top = shape.kernel / 2;
  args.pad_left = shape.kernel / 2;
  args.out_h = images.out;
  args.out_w = images.out;
  for (Index channel = 0; channel < shape.channels; ++channel) {
    args.x = images.x.data() + channel * shape.size * shape.size;
    args.w = images.w.data() + channel * shape.kernel * shape.kernel;
    args.y = y + channel * images.out * images.out;
    kernel.run(args);
  }
}

Status check(const kernels::DepthwiseKernel& kernel, const Images& images) {
  const auto table = kernels::depthwise_kernels();
  const auto scalar = std::ranges::find(table, Isa::kScalar, &kernels::DepthwiseKernel::isa);
  if (scalar == table.end()) {
    return internal_error("the table of depthwise convolutions has no scalar kernel");
  }
  std::vector<std::uint8_t> expected(static_cast<std::size_t>(images.y.size()));
  convolve(*scalar, images, expected.data());
  return expect_same<std::uint8_t>(kernel.name, images.y.span(), expected, "the scalar kernel");
}

Result<Prepared> prepare(const kernels::DepthwiseKernel& kernel, const Shape& shape) {
  auto images = std::make_shared<Images>(shape);
  if (!images->ok()) {
    return resource_error("no memory for the images");
  }
  fill_bytes(images->x.span(), 1);
  fill_bytes(images->w.span(), 2);
  Prepared prepared;
  prepared.call = [&kernel, images]() -> Status {
    convolve(kernel, *images, images->y.data());
    return {};
  };
  prepared.check = [&kernel, images] { return check(kernel, *images); };
  prepared.work.operations = 2.0 * static_cast<double>(images->y.size() * shape.kernel * shape.kernel);
  prepared.work.bytes = static_cast<double>(images->x.size() + images->w.size() + images->y.size());
  return prepared;
}

}  // namespace

BenchmarkRows depthwise_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const kernels::DepthwiseKernel& kernel : host_rows(kernels::depthwise_kernels())) {
    for (const Shape& shape : kShapes) {
      rows.push_back({fmt::format("depthwise/{}/{}ch_{}x{}_k{}_s{}", kernel.name, shape.channels, shape.size,
                                  shape.size, shape.kernel, shape.stride),
                      [&kernel, &shape] { return prepare(kernel, shape); }});
    }
  }
  return rows;
}

}  // namespace assay::bench
