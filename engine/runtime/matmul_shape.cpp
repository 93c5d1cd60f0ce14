// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <numeric>
#include <string>

#include "engine/runtime/quantized_matmul.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

Index product_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
}

Shape batch_of(const Shape& matrix) { return matrix.size() < 2 ? Shape{} : Shape(matrix.begin(), matrix.end() - 2); }

// The matrix of an operand with batch dimensions `from` that position `index` of the broadcast batch `to` uses.
Index broadcast_index(Index index, const Shape& to, const Shape& from) {
  Index out = 0;
  Index stride = 1;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Index size = to[to.size() - 1 - i];
    const Index own = from[from.size() - 1 - i];
    out += own == 1 ? 0 : index % size * stride;
    index /= size;
    stride *= own;
  }
  return out;
}

// "one element, [5] or [2,5,1]"
Error shape_error(const std::string& what, const std::string& choices, const Tensor& found) {
  return invalid_argument(what + " has one element" + choices + "; found " + shape_text(found.shape()));
}

// A's shape with its last dimension 1.
Status expect_rows(const Tensor& tensor, const Shape& a, const std::string& what) {
  Shape full = a;
  full.back() = 1;
  const bool vector = a.size() == 2 && tensor.shape() == Shape{a[0]};
  if (tensor.size() == 1 || vector || tensor.shape() == full) {
    return {};
  }
  const std::string choices = a.size() == 2 ? ", [" + std::to_string(a[0]) + "]" : "";
  return shape_error(what, choices + " or " + shape_text(full), tensor);
}

// B's shape with its last but one dimension 1.
Status expect_columns(const Tensor& tensor, const Shape& b, const std::string& what) {
  if (tensor.size() == 1) {
    return {};
  }
  if (b.size() < 2) {
    return shape_error(what, "", tensor);
  }
  Shape full = b;
  full[full.size() - 2] = 1;
  if (tensor.shape() == Shape{b.back()} || tensor.shape() == full) {
    return {};
  }
  return shape_error(what, ", [" + std::to_string(b.back()) + "] or " + shape_text(full), tensor);
}

Index columns_of(const Shape& b) { return b.size() < 2 ? 1 : product_of(batch_of(b)) * b.back(); }

// `values` over and over until there are `count`.
// The list again and again, `count` values in all.
template <typename T>
void repeat(std::vector<T>& values, Index count) {
  const std::size_t given = values.size();
  values.resize(static_cast<std::size_t>(count));
  for (std::size_t i = given; i < values.size(); ++i) {
    values[i] = values[i - given];
  }
}

void read_floats(const Tensor& tensor, std::vector<float>& out) {
  const auto data = tensor.data<float>();
  out.assign(data.begin(), data.end());
}

}  // namespace

Result<MatmulShape> resolve_matmul_shape(const Shape& a, const Shape& b) {
  const auto found = [&] { return "; found A " + shape_text(a) + ", B " + shape_text(b); };
  if (a.empty() || b.empty()) {
    return invalid_argument("A and B have at least one dimension" + found());
  }
  MatmulShape shape;
  shape.m = a.size() == 1 ? 1 : a[a.size() - 2];
  shape.k = a.back();
  shape.n = b.size() == 1 ? 1 : b.back();
  if (const Index b_rows = b.size() == 1 ? b[0] : b[b.size() - 2]; b_rows != shape.k) {
    return invalid_argument("A has as many columns as B has rows" + found());
  }
  const Shape a_batch = batch_of(a);
  const Shape b_batch = batch_of(b);
  auto batch = broadcast_shape(a_batch, b_batch);
  if (!batch.ok()) {
    return invalid_argument("the batch dimensions of A and B broadcast" + found());
  }
  shape.output = batch.value();
  if (a.size() > 1) {
    shape.output.push_back(shape.m);
  }
  if (b.size() > 1) {
    shape.output.push_back(shape.n);
  }
  ASSAY_TRY(element_count(shape.output));
  shape.a_count = product_of(a_batch);
  shape.b_count = product_of(b_batch);
  if (shape.b_count == 1) {
    shape.m *= shape.a_count;
    shape.a_count = 1;
    shape.products.emplace_back(0, 0);
    return shape;
  }
  ASSAY_ASSIGN(const Index count, element_count(batch.value()));
  for (Index i = 0; i < count; ++i) {
    shape.products.emplace_back(broadcast_index(i, batch.value(), a_batch), broadcast_index(i, batch.value(), b_batch));
  }
  return shape;
}

Status read_row_scales(const Tensor& tensor, const Shape& a, const std::string& what, std::vector<float>& out) {
  ASSAY_TRY(expect_dtype(tensor, DType::kFloat32, what));
  ASSAY_TRY(expect_rows(tensor, a, what));
  read_floats(tensor, out);
  if (out.empty()) {
    out.push_back(1);
  }
  return {};
}

Status read_row_zero_points(const Tensor& tensor, DType dtype, const Shape& a, const std::string& what,
                            std::vector<std::int32_t>& out) {
  out.clear();
  if (!tensor.empty()) {
    ASSAY_TRY(expect_dtype(tensor, dtype, what));
    ASSAY_TRY(expect_rows(tensor, a, what));
    read_int32s(tensor, out);
  }
  if (out.empty()) {
    out.push_back(0);
  }
  return {};
}

Status read_column_scales(const Tensor& tensor, const Shape& b, const std::string& what, std::vector<float>& out) {
  ASSAY_TRY(expect_dtype(tensor, DType::kFloat32, what));
  ASSAY_TRY(expect_columns(tensor, b, what));
  read_floats(tensor, out);
  repeat(out, columns_of(b));
  return {};
}

Status read_column_zero_points(const Tensor& tensor, DType dtype, const Shape& b, const std::string& what,
                               std::vector<std::int32_t>& out) {
  out.assign(1, 0);
  if (!tensor.empty()) {
    ASSAY_TRY(expect_dtype(tensor, dtype, what));
    ASSAY_TRY(expect_columns(tensor, b, what));
    read_int32s(tensor, out);
  }
  repeat(out, columns_of(b));
  return {};
}

}  // namespace assay::runtime
