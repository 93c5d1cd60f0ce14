// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/kernels/pool/average_pool.h"
#include "harness/bench/family.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr kernels::PoolQuantization kQuantization = {false, 0.02F, 120, 0.015F, 110};

struct Shape {
  Index planes;
  Index size;    // height and width
  Index kernel;  // and stride; 0: global
};
constexpr Shape kShapes[] = {{64, 56, 2}, {192, 28, 2}, {1280, 7, 0}, {2048, 7, 0}};

struct Planes {
  explicit Planes(const Shape& s)
      : shape(s), out(s.kernel == 0 ? 1 : s.size / s.kernel), x(s.planes * s.size * s.size), y(s.planes * out * out) {}
  bool ok() const { return x.ok() && y.ok(); }

  Shape shape;
  Index out;
  Elements<std::uint8_t> x;
  Elements<std::uint8_t> y;
};

void run_average(Planes& planes) {
  kernels::AveragePoolArgs args;
  args.x = planes.x.data();
  args.y = planes.y.data();
  args.planes = planes.shape.planes;
  args.height = planes.shape.size;
  args.width = planes.shape.size;
  args.kernel_h = planes.shape.kernel;
  args.kernel_w = planes.shape.kernel;
  args.stride_h = planes.shape.kernel;
  args.stride_w = planes.shape.kernel;
  args.out_h = planes.out;
  args.out_w = planes.out;
  args.quantization = kQuantization;
  kernels::qlinear_average_pool(args);
}

void run_global(Planes& planes) {
  kernels::GlobalAveragePoolArgs args;
  args.x = planes.x.data();
  args.y = planes.y.data();
  args.planes = planes.shape.planes;
  args.size = planes.shape.size * planes.shape.size;
  args.plane_stride = args.size;
  args.quantization = kQuantization;
  kernels::qlinear_global_average_pool(args);
}

std::uint8_t to_byte(float v) { return static_cast<std::uint8_t>(std::clamp(v, 0.0F, 255.0F)); }

std::uint8_t naive_average(const Planes& planes, const std::uint8_t* x, Index oy, Index ox) {
  const Shape& shape = planes.shape;
  float sum = 0;
  for (Index ky = 0; ky < shape.kernel; ++ky) {
    for (Index kx = 0; kx < shape.kernel; ++kx) {
      const int raw = x[(oy * shape.kernel + ky) * shape.size + ox * shape.kernel + kx];
      sum += static_cast<float>(raw - kQuantization.x_zero_point) * kQuantization.x_scale;
    }
  }
  const float mean = sum / static_cast<float>(shape.kernel * shape.kernel);
  return to_byte(std::nearbyint(mean / kQuantization.y_scale + static_cast<float>(kQuantization.y_zero_point)));
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

Status check(const Planes& planes) {
  const Shape& shape = planes.shape;
  std::vector<std::uint8_t> expected;
  for (Index plane = 0; plane < shape.planes; ++plane) {
    const std::uint8_t* x = planes.x.data() + plane * shape.size * shape.size;
    for (Index at = 0; at < planes.out * planes.out; ++at) {
      expected.push_back(shape.kernel == 0 ? naive_global(planes, x)
                                           : naive_average(planes, x, at / planes.out, at % planes.out));
    }
  }
  return expect_same<std::uint8_t>(shape.kernel == 0 ? "global average pool" : "average pool", planes.y.span(),
                                   expected, "a naive loop");
}

Result<Prepared> prepare(const Shape& shape) {
  auto planes = std::make_shared<Planes>(shape);
  if (!planes->ok()) {
    return resource_error("no memory for the planes");
  }
  fill_bytes(planes->x.span(), 1);
  Prepared prepared;
  prepared.call = [planes]() -> Status {
    (planes->shape.kernel == 0 ? run_global : run_average)(*planes);
    return {};
  };
  prepared.check = [planes] { return check(*planes); };
  prepared.work.bytes = static_cast<double>(planes->x.size() + planes->y.size());
  return prepared;
}

}  // namespace

BenchmarkRows pool_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const Shape& shape : kShapes) {
    const std::string kind = shape.kernel == 0 ? "global" : fmt::format("average_k{}", shape.kernel);
    rows.push_back({fmt::format("pool/{}_u8/{}ch_{}x{}", kind, shape.planes, shape.size, shape.size),
                    [&shape] { return prepare(shape); }});
  }
  return rows;
}

}  // namespace assay::bench
