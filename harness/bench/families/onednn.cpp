// SPDX-License-Identifier: Apache-2.0
// oneDNN's u8 x s8 -> s32 matrix product with weights in the layout that it likes, reordered once: what gemm/ is timed
// against. DNNL_MAX_CPU_ISA caps what it uses.
#include <fmt/format.h>
#include <omp.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

#include "harness/bench/families/gemm.h"
#include "harness/bench/family.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

using dnnl::memory;

// Such products do not saturate in int16 pairs: the answer is one and the same on every instruction set.
constexpr int kLargestA = 127;

const char* isa_text() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    default:
      return "other_isa";
  }
}

struct Product {
  Product(const GemmShape& s)  // NOLINT(google-explicit-constructor): made by make_shared only
      : shape(s), a(s.m * s.k), b(s.k * s.n), c(s.m * s.n) {}
  bool ok() const { return a.ok() && b.ok() && c.ok(); }

  GemmShape shape;
  Elements<std::uint8_t> a;
  Elements<std::int8_t> b;
  Elements<std::int32_t> c;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::matmul matmul;
  memory a_memory;
  memory b_memory;
  memory c_memory;
};

// May throw dnnl::error.
void make_primitive(Product& product) {
  const GemmShape& shape = product.shape;
  const memory::desc a_desc({shape.m, shape.k}, memory::data_type::u8, memory::format_tag::ab);
  const memory::desc b_any({shape.k, shape.n}, memory::data_type::s8, memory::format_tag::any);
  const memory::desc b_plain({shape.k, shape.n}, memory::data_type::s8, memory::format_tag::ab);
  const memory::desc c_desc({shape.m, shape.n}, memory::data_type::s32, memory::format_tag::ab);
  const dnnl::matmul::primitive_desc wanted(dnnl::matmul::desc(a_desc, b_any, c_desc), product.engine);
  product.matmul = dnnl::matmul(wanted);
  product.a_memory = memory(a_desc, product.engine, product.a.data());
  product.c_memory = memory(c_desc, product.engine, product.c.data());
  memory plain(b_plain, product.engine, product.b.data());
  product.b_memory = memory(wanted.weights_desc(), product.engine);
  dnnl::reorder(plain, product.b_memory).execute(product.stream, plain, product.b_memory);
  product.stream.wait();
}

Status multiply(Product& product, int threads) {
  omp_set_num_threads(threads);
  try {
    product.matmul.execute(
        product.stream,
        {{DNNL_ARG_SRC, product.a_memory}, {DNNL_ARG_WEIGHTS, product.b_memory}, {DNNL_ARG_DST, product.c_memory}});
    product.stream.wait();
  } catch (const dnnl::error& error) {
    return internal_error(std::string("oneDNN: ") + error.what());
  }
  return {};
}

Status check(const Product& product) {
  const GemmShape& shape = product.shape;
  const ScalarProductArgs args{kernels::Operands::kU8S8, Arithmetic::kExact, shape,
                               product.a.data(),         product.b.data(),   checked_rows(shape)};
  ASSAY_ASSIGN(const std::vector<std::int32_t> expected, scalar_product(args));
  return expect_same<std::int32_t>("onednn on " + shape_name(shape), product.c.span().first(expected.size()), expected,
                                   "the scalar kernel");
}

Result<Prepared> prepare(const GemmShape& shape, int threads) {
  auto product = std::make_shared<Product>(shape);
  if (!product->ok()) {
    return resource_error(fmt::format("no memory for {}", shape_name(shape)));
  }
  fill_bytes(product->a.span(), 1, 0, kLargestA);
  fill_bytes({reinterpret_cast<std::uint8_t*>(product->b.data()), static_cast<std::size_t>(product->b.size())}, 2);
  omp_set_num_threads(threads);
  try {
    make_primitive(*product);
  } catch (const dnnl::error& error) {
    return internal_error(std::string("oneDNN: ") + error.what());
  }
  Prepared prepared;
  prepared.call = [product, threads] { return multiply(*product, threads); };
  prepared.check = [product] { return check(*product); };
  prepared.work.operations = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n * shape.k);
  prepared.work.threads = threads;
  return prepared;
}

}  // namespace

BenchmarkRows onednn_rows(const FamilyOptions& options) {
  BenchmarkRows rows;
  for (const GemmShape& shape : gemm_shapes()) {
    for (const int threads : options.threads) {
      rows.push_back({fmt::format("onednn/u8s8s32_{}/{}/t{}", isa_text(), shape_name(shape), threads),
                      [&shape, threads] { return prepare(shape, threads); }});
    }
  }
  return rows;
}

}  // namespace assay::bench
