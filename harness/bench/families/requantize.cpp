// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/requantize/requantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/bench/family.h"
#include "harness/bench/host_rows.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

enum class Layout { kRows, kColumns };  // of the output: as the accumulators, or transposed to channel-first

struct Shape {
  Index rows;
  Index columns;
};
constexpr Shape kShapes[] = {{3136, 64}, {784, 192}, {49, 1280}, {128, 768}};

struct Operands {
  explicit Operands(const Shape& s)
      : shape(s), acc(s.rows * s.columns), offset(s.columns), scale(s.columns), y(s.rows * s.columns) {}
  bool ok() const { return acc.ok() && offset.ok() && scale.ok() && y.ok(); }

  Shape shape;
  Elements<std::int32_t> acc;
  Elements<std::int32_t> offset;
  Elements<float> scale;
  Elements<std::uint8_t> y;
};

void run(const kernels::RequantizeKernel& kernel, Operands& operands, Layout layout) {
  kernels::RequantizeArgs args;
  args.rows = operands.shape.rows;
  args.columns = operands.shape.columns;
  args.acc = operands.acc.data();
  args.acc_stride = args.columns;
  args.column_offset = operands.offset.data();
  args.scale = operands.scale.data();
  args.y_zero_point = 128;
  args.y = operands.y.data();
  args.y_row_stride_bytes = layout == Layout::kRows ? args.columns : 1;
  args.y_column_stride_bytes = layout == Layout::kRows ? 1 : args.rows;
  kernels::requantize(kernel, args);
}

Status check(const kernels::RequantizeKernel& kernel, const Operands& operands, Layout layout) {
  const Shape& shape = operands.shape;
  std::vector<std::uint8_t> expected(static_cast<std::size_t>(shape.rows * shape.columns));
  for (Index i = 0; i < shape.rows; ++i) {
    for (Index j = 0; j < shape.columns; ++j) {
      const std::int32_t v = operands.acc.data()[i * shape.columns + j] + operands.offset.data()[j];
      const float rounded = std::nearbyint(static_cast<float>(v) * operands.scale.data()[j]);
      const Index at = layout == Layout::kRows ? i * shape.columns + j : j * shape.rows + i;
      expected[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(std::clamp(rounded + 128, 0.0F, 255.0F));
    }
  }
  return expect_same<std::uint8_t>(kernel.name, operands.y.span(), expected, "a naive loop");
}

Result<Prepared> prepare(const kernels::RequantizeKernel& kernel, const Shape& shape, Layout layout) {
  auto operands = std::make_shared<Operands>(shape);
  if (!operands->ok()) {
    return resource_error("no memory for the operands");
  }
  fill_integers(operands->acc.span(), 1, -200'000, 200'000);
  fill_integers(operands->offset.span(), 2, -5'000, 5'000);
  fill_floats(operands->scale.span(), 3, 0.0005F, 0.001F);
  Prepared prepared;
  prepared.call = [&kernel, operands, layout]() -> Status {
    run(kernel, *operands, layout);
    return {};
  };
  prepared.check = [&kernel, operands, layout] { return check(kernel, *operands, layout); };
  prepared.work.bytes = static_cast<double>(operands->acc.size() * Index{sizeof(std::int32_t)} + operands->y.size());
  return prepared;
}

}  // namespace

BenchmarkRows requantize_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const kernels::RequantizeKernel& kernel : host_rows(kernels::requantize_kernels())) {
    for (const Shape& shape : kShapes) {
      for (const Layout layout : {Layout::kRows, Layout::kColumns}) {
        rows.push_back(
            {fmt::format("requantize/{}/per_channel_{}/{}x{}", kernel.name,
                         layout == Layout::kRows ? "channel_last" : "channel_first", shape.rows, shape.columns),
             [&kernel, &shape, layout] { return prepare(kernel, shape, layout); }});
      }
    }
  }
  return rows;
}

}  // namespace assay::bench
