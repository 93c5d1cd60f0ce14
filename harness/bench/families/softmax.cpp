// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/softmax/softmax.h"

#include <fmt/format.h>

#include <memory>

#include "harness/bench/copy_call.h"
#include "harness/bench/family.h"
#include "harness/bench/host_rows.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr float kXScale = 0.05F;
constexpr float kYScale = 1.0F / 256;

struct Shape {
  Index rows;
  Index length;
};
constexpr Shape kShapes[] = {{1, 1000}, {1536, 128}, {768, 197}};

template <typename T>
struct Rows {
  explicit Rows(const Shape& s) : shape(s), x(s.rows * s.length), y(s.rows * s.length) {}
  bool ok() const { return x.ok() && y.ok(); }

  Shape shape;
  Elements<T> x;
  Elements<T> y;
};

void run(const kernels::SoftmaxKernel& kernel, const Rows<float>& rows, float* y) {
  kernel.softmax({.x = rows.x.data(), .y = y, .rows = rows.shape.rows, .length = rows.shape.length});
}

void run(const kernels::SoftmaxKernel& kernel, const Rows<std::uint8_t>& rows, std::uint8_t* y) {
  const kernels::SoftmaxTable table = kernels::qlinear_softmax_table(kXScale);
  kernel.qlinear({.x = rows.x.data(),
                  .y = y,
                  .rows = rows.shape.rows,
                  .length = rows.shape.length,
                  .exponentials = table.data(),
                  .steps = kernels::qlinear_softmax_steps(kYScale)});
}

void fill(std::span<float> values) { fill_floats(values, 1, -8, 8); }
void fill(std::span<std::uint8_t> values) { fill_bytes(values, 1); }

template <typename T>
Status check(const kernels::SoftmaxKernel& kernel, const Rows<T>& rows) {
  Elements<T> expected(rows.x.size());
  if (!expected.ok()) {
    return resource_error("no memory for the expected rows");
  }
  run(kernels::softmax_kernels().back(), rows, expected.data());
  return expect_same<T>(kernel.name, rows.y.span(), expected.span(), "the scalar kernel");
}

template <typename T>
Result<Prepared> prepare(const kernels::SoftmaxKernel& kernel, const Shape& shape) {
  auto rows = std::make_shared<Rows<T>>(shape);
  if (!rows->ok()) {
    return resource_error("no memory for the rows");
  }
  fill(rows->x.span());
  Prepared prepared;
  prepared.call = [&kernel, rows]() -> Status {
    run(kernel, *rows, rows->y.data());
    return {};
  };
  prepared.check = [&kernel, rows] { return check(kernel, *rows); };
  prepared.work.bytes = 2.0 * static_cast<double>(rows->x.size()) * sizeof(T);
  return prepared;
}

}  // namespace

BenchmarkRows softmax_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const Shape& shape : kShapes) {
    const Index bytes = 2 * shape.rows * shape.length;
    const std::string text = fmt::format("{}x{}", shape.rows, shape.length);
    rows.push_back({fmt::format("softmax/memcpy/u8/{}", text), [bytes] { return prepare_copy(bytes); }});
    rows.push_back({fmt::format("softmax/memcpy/f32/{}", text), [bytes] { return prepare_copy(4 * bytes); }});
    for (const kernels::SoftmaxKernel& kernel : host_rows(kernels::softmax_kernels())) {
      rows.push_back({fmt::format("softmax/{}/u8/{}", kernel.name, text),
                      [&kernel, &shape] { return prepare<std::uint8_t>(kernel, shape); }});
      rows.push_back({fmt::format("softmax/{}/f32/{}", kernel.name, text),
                      [&kernel, &shape] { return prepare<float>(kernel, shape); }});
    }
  }
  return rows;
}

}  // namespace assay::bench
