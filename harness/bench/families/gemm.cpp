// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/families/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/bench/family.h"
#include "harness/bench/host_rows.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr double kCheckedOperations = 4e8;  // half a second of a slow scalar kernel

struct Product {
  Product(const GemmShape& s, Index packed_bytes)
      : shape(s), a(s.m * s.k), b(s.k * s.n), packed(packed_bytes), c(s.m * s.n) {}
  bool ok() const { return a.ok() && b.ok() && packed.ok() && c.ok(); }

  GemmShape shape;
  Elements<std::uint8_t> a;
  Elements<std::uint8_t> b;
  Elements<std::uint8_t> packed;
  Elements<std::int32_t> c;
};

kernels::GemmArgs gemm_args(Product& product) {
  const GemmShape& shape = product.shape;
  return {shape.m, shape.n, shape.k, product.a.data(), shape.k, product.packed.data(), product.c.data(), shape.n};
}

void pack(const kernels::GemmKernel& kernel, const GemmShape& shape, const void* b, void* packed) {
  kernels::PackArgs args;
  args.n = shape.n;
  args.k = shape.k;
  args.b = b;
  args.k_stride_bytes = shape.n;
  args.n_stride_bytes = 1;
  args.packed = packed;
  kernel.pack(args);
}

// The first rows and the last ones, which end in other tiles.
Status check(const kernels::GemmKernel& kernel, const Product& product) {
  const GemmShape& shape = product.shape;
  const Index rows = checked_rows(shape);
  for (const Index first : {Index{0}, shape.m - rows}) {
    const ScalarProductArgs args{
        kernel.operands, kernel.arithmetic, shape, product.a.data() + first * shape.k, product.b.data(), rows};
    ASSAY_ASSIGN(const std::vector<std::int32_t> expected, scalar_product(args));
    const std::span<const std::int32_t> found =
        product.c.span().subspan(static_cast<std::size_t>(first * shape.n), expected.size());
    ASSAY_TRY(expect_same<std::int32_t>(
        fmt::format("{} on {} (rows {} to {})", kernel.name, shape_name(shape), first, first + rows - 1), found,
        expected, "the scalar kernel"));
  }
  return {};
}

Result<Prepared> prepare(const kernels::GemmKernel& kernel, const GemmShape& shape) {
  auto product = std::make_shared<Product>(shape, kernel.packed_bytes(shape.n, shape.k));
  if (!product->ok()) {
    return resource_error(fmt::format("no memory for {}", shape_name(shape)));
  }
  fill_bytes(product->a.span(), 1);
  fill_bytes(product->b.span(), 2);
  pack(kernel, shape, product->b.data(), product->packed.data());
  Prepared prepared;
  prepared.call = [&kernel, product]() -> Status {
    kernel.run(gemm_args(*product));
    return {};
  };
  prepared.check = [&kernel, product] { return check(kernel, *product); };
  prepared.work.operations = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n * shape.k);
  prepared.work.bytes =
      static_cast<double>(product->a.size() + product->packed.size() + product->c.size() * Index{sizeof(std::int32_t)});
  prepared.work.peak = kernels::find_peak(kernel.isa, kernel.arithmetic);
  return prepared;
}

}  // namespace

Index checked_rows(const GemmShape& shape) {
  const double row = 2.0 * static_cast<double>(shape.n * shape.k);
  return std::clamp<Index>(static_cast<Index>(kCheckedOperations / 2 / row), 1, shape.m);
}

Result<std::vector<std::int32_t>> scalar_product(const ScalarProductArgs& args) {
  const auto table = kernels::gemm_kernels();
  const auto scalar = std::ranges::find_if(table, [&](const kernels::GemmKernel& kernel) {
    return kernel.isa == Isa::kScalar && kernel.operands == args.operands && kernel.arithmetic == args.arithmetic;
  });
  if (scalar == table.end()) {
    return internal_error("the table of matrix products has no scalar kernel for these operands and arithmetic");
  }
  Elements<std::uint8_t> packed(scalar->packed_bytes(args.shape.n, args.shape.k));
  if (!packed.ok()) {
    return resource_error("no memory for the scalar kernel's weights");
  }
  pack(*scalar, args.shape, args.b, packed.data());
  std::vector<std::int32_t> c(static_cast<std::size_t>(args.rows * args.shape.n));
  scalar->run({args.rows, args.shape.n, args.shape.k, args.a, args.shape.k, packed.data(), c.data(), args.shape.n});
  return c;
}

BenchmarkRows gemm_rows_of(std::span<const kernels::GemmKernel> table, std::span<const GemmShape> shapes) {
  BenchmarkRows rows;
  for (const kernels::GemmKernel& kernel : host_rows(table)) {
    for (const GemmShape& shape : shapes) {
      rows.push_back({fmt::format("gemm/{}/{}", kernel.name, shape_name(shape)),
                      [&kernel, shape] { return prepare(kernel, shape); }});
    }
  }
  return rows;
}

BenchmarkRows gemm_rows(const FamilyOptions& /*options*/) {
  return gemm_rows_of(kernels::gemm_kernels(), gemm_shapes());
}

}  // namespace assay::bench
