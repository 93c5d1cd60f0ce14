// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/kernels/pool/pool.h"
#include "harness/bench/copy_call.h"
#include "harness/bench/family.h"
#include "harness/bench/host_rows.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr kernels::PoolQuantization kQuantization = {false, 0.02F, 120, 0.015F, 110};

enum class Kind { kAverage, kMax, kGlobal };

struct Shape {
  Kind kind;
  Index planes;
  Index size;  // height and width
  Index kernel;
  Index stride;
};
constexpr Shape kShapes[] = {{Kind::kAverage, 64, 56, 2, 2},  {Kind::kAverage, 192, 28, 2, 2},
                             {Kind::kAverage, 192, 35, 3, 1}, {Kind::kMax, 64, 56, 2, 2},
                             {Kind::kMax, 64, 112, 3, 2},     {Kind::kGlobal, 1280, 7, 7, 7},
                             {Kind::kGlobal, 2048, 7, 7, 7}};

Index out_size(const Shape& shape) { return (shape.size - shape.kernel) / shape.stride + 1; }

struct Planes {
  explicit Planes(const Shape& s)
      : shape(s), out(out_size(s)), x(s.planes * s.size * s.size), y(s.planes * out * out) {}
  bool ok() const { return x.ok() && y.ok(); }

  Shape shape;
  Index out;
  Elements<std::uint8_t> x;
  Elements<std::uint8_t> y;
};

kernels::PoolGeometry geometry_of(const Planes& planes) {
  kernels::PoolGeometry out;
  out.planes = planes.shape.planes;
  out.height = out.width = planes.shape.size;
  out.kernel_h = out.kernel_w = planes.shape.kernel;
  out.stride_h = out.stride_w = planes.shape.stride;
  out.out_h = out.out_w = planes.out;
  return out;
}

void run(const kernels::PoolKernel& kernel, Planes& planes) {
  const Index size = planes.shape.size * planes.shape.size;
  switch (planes.shape.kind) {
    case Kind::kAverage:
      return kernel.average(
          {.x = planes.x.data(), .y = planes.y.data(), .geometry = geometry_of(planes), .quantization = kQuantization});
    case Kind::kMax:
      return kernel.max({.x = planes.x.data(), .y = planes.y.data(), .geometry = geometry_of(planes)});
    case Kind::kGlobal:
      return kernel.global_average({.x = planes.x.data(),
                                    .y = planes.y.data(),
                                    .planes = planes.shape.planes,
                                    .size = size,
                                    .plane_stride = size,
                                    .quantization = kQuantization});
  }
}

std::uint8_t to_byte(float v) { return static_cast<std::uint8_t>(std::clamp(v, 0.0F, 255.0F)); }

std::uint8_t naive_average(const Planes& planes, const std::uint8_t* x, Index oy, Index ox) {
  const Shape& shape = planes.shape;
  float sum = 0;
  for (Index ky = 0; ky < shape.kernel; ++ky) {
    for (Index kx = 0; kx < shape.kernel; ++kx) {
      const int raw = x[(oy * shape.stride + ky) * shape.size + ox * shape.stride + kx];
      sum += static_cast<float>(raw - kQuantization.x_zero_point) * kQuantization.x_scale;
    }
  }
  const float mean = sum / static_cast<float>(shape.kernel * shape.kernel);
  return to_byte(std::nearbyint(mean / kQuantization.y_scale + static_cast<float>(kQuantization.y_zero_point)));
}

std::uint8_t naive_max(const Planes& planes, const std::uint8_t* x, Index oy, Index ox) {
  const Shape& shape = planes.shape;
  std::uint8_t best = 0;
  for (Index ky = 0; ky < shape.kernel; ++ky) {
    for (Index kx = 0; kx < shape.kernel; ++kx) {
      best = std::max(best, x[(oy * shape.stride + ky) * shape.size + ox * shape.stride + kx]);
    }
  }
  return best;
}

std::uint8_t naive_global(const Planes& planes, const std::uint8_t* x) {
  const Index count = planes.shape.size * planes.shape.size;
  std::int32_t sum = 0;
  for (Index i = 0; i < count; ++i) {
    sum += x[i] - kQuantization.x_zero_point;
  }
  const float scale = kQuantization.x_scale / (kQuantization.y_scale * static_cast<float>(count));
  return to_byte(std::nearbyint(static_cast<float>(sum) * scale) + static_cast<float>(kQuantization.y_zero_point));
}

std::uint8_t naive(const Planes& planes, const std::uint8_t* x, Index at) {
  switch (planes.shape.kind) {
    case Kind::kAverage:
      return naive_average(planes, x, at / planes.out, at % planes.out);
    case Kind::kMax:
      return naive_max(planes, x, at / planes.out, at % planes.out);
    case Kind::kGlobal:
      return naive_global(planes, x);
  }
  return 0;
}

Status check(const kernels::PoolKernel& kernel, const Planes& planes) {
  const Shape& shape = planes.shape;
  std::vector<std::uint8_t> expected;
  for (Index plane = 0; plane < shape.planes; ++plane) {
    for (Index at = 0; at < planes.out * planes.out; ++at) {
      expected.push_back(naive(planes, planes.x.data() + plane * shape.size * shape.size, at));
    }
  }
  return expect_same<std::uint8_t>(kernel.name, planes.y.span(), expected, "a naive loop");
}

std::string kind_of(const Shape& shape) {
  switch (shape.kind) {
    case Kind::kAverage:
      return fmt::format("average_u8_k{}_s{}", shape.kernel, shape.stride);
    case Kind::kMax:
      return fmt::format("max_u8_k{}_s{}", shape.kernel, shape.stride);
    case Kind::kGlobal:
      return "global_u8";
  }
  return {};
}

std::string text_of(const Shape& shape) {
  return fmt::format("{}/{}ch_{}x{}", kind_of(shape), shape.planes, shape.size, shape.size);
}

// Read and written.
Index bytes_of(const Shape& shape) {
  const Index out = out_size(shape);
  return shape.planes * (shape.size * shape.size + out * out);
}

Result<Prepared> prepare(const kernels::PoolKernel& kernel, const Shape& shape) {
  auto planes = std::make_shared<Planes>(shape);
  if (!planes->ok()) {
    return resource_error("no memory for the planes");
  }
  fill_bytes(planes->x.span(), 1);
  Prepared prepared;
  prepared.call = [&kernel, planes]() -> Status {
    run(kernel, *planes);
    return {};
  };
  prepared.check = [&kernel, planes] { return check(kernel, *planes); };
  prepared.work.bytes = static_cast<double>(bytes_of(shape));
  return prepared;
}

}  // namespace

BenchmarkRows pool_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const Shape& shape : kShapes) {
    rows.push_back({fmt::format("pool/memcpy/{}", text_of(shape)), [&shape] { return prepare_copy(bytes_of(shape)); }});
  }
  for (const kernels::PoolKernel& kernel : host_rows(kernels::pool_kernels())) {
    for (const Shape& shape : kShapes) {
      rows.push_back({fmt::format("pool/{}/{}", kernel.name, text_of(shape)),
                      [&kernel, &shape] { return prepare(kernel, shape); }});
    }
  }
  return rows;
}

}  // namespace assay::bench
