// SPDX-License-Identifier: Apache-2.0
// Tensors made from little: ConstantOfShape, Range, EyeLike, OneHot and NonZero.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/indices.h"
#include "engine/runtime/ops/proto_dtype.h"
#include "engine/runtime/ops/structure_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

Result<Tensor> fill(const Shape& shape, const Tensor& value) {
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(value.dtype(), shape));
  with_element_size(dtype_size_bytes(value.dtype()), [&]<typename T>() {
    T* to = reinterpret_cast<T*>(out.mutable_bytes());
    std::fill_n(to, out.size(), *reinterpret_cast<const T*>(value.bytes()));
  });
  return out;
}

template <typename T>
Result<Tensor> range(T start, T limit, T delta) {
  if (delta == T{0}) {
    return invalid_argument("delta must not be 0");
  }
  const double span = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
  if (!(span <= static_cast<double>(kMaxElements))) {
    return unsupported("a range of " + std::to_string(span) + " elements is too large");
  }
  const auto count = static_cast<Index>(std::max(span, 0.0));
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(DTypeOf<T>::value, {count}));
  T* to = out.mutable_data<T>().data();
  for (Index i = 0; i < count; ++i) {
    to[i] = static_cast<T>(start + static_cast<T>(i) * delta);
  }
  return out;
}

using RangeTypes = Types<float, double, std::int16_t, std::int32_t, std::int64_t>;

Result<Tensor> range_of(const RunContext& context) {
  const DType dtype = context.input(0).dtype();
  for (std::size_t i = 0; i < 3; ++i) {
    if (context.input(i).dtype() != dtype || context.input(i).size() != 1) {
      return invalid_argument("start, limit and delta must be scalars of one type; input " + std::to_string(i) +
                              " is " + std::string(dtype_name(context.input(i).dtype())) +
                              shape_text(context.input(i).shape()));
    }
  }
  return with_type(RangeTypes(), dtype, "start", [&]<typename T>() {
    return range<T>(context.input(0).data<T>()[0], context.input(1).data<T>()[0], context.input(2).data<T>()[0]);
  });
}

Result<Tensor> eye_like(const Tensor& like, std::optional<DType> dtype, Index k) {
  ASSAY_TRY(check_rank(like, "input", 2));
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(dtype.value_or(like.dtype()), like.shape()));
  const Index rows = like.dim(0);
  const Index columns = like.dim(1);
  ASSAY_TRY(with_type(NumberAndBoolTypes(), out.dtype(), "the output", [&]<typename T>() -> Status {
    T* to = out.mutable_data<T>().data();
    const bool has_ones = k > -rows && k < columns;  // beyond, neither -k nor row + k need be a number
    const Index first = has_ones ? std::max(Index{0}, -k) : rows;
    for (Index row = first; row < rows && row + k < columns; ++row) {
      to[row * columns + row + k] = T{1};
    }
    return {};
  }));
  return out;
}

// `values` holds what stands off and on. An index out of [-depth, depth) leaves its row off.
Result<Tensor> one_hot(const RunContext& context, Index requested_axis) {
  const Tensor& indices = context.input(0);
  const Tensor& values = context.input(2);
  const std::vector<Index> depths = context.input(1).to_indices();
  if (depths.size() != 1 || depths[0] < 0 || values.size() != 2) {
    return invalid_argument("depth must be one size and values two elements; found " + shape_text(depths) + " and " +
                            shape_text(values.shape()));
  }
  const Index depth = depths[0];
  ASSAY_ASSIGN(const Index axis, normalize_axis(requested_axis, indices.rank() + 1, "axis"));
  Shape shape = indices.shape();
  shape.insert(shape.begin() + axis, depth);
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(values.dtype(), shape));
  const AxisSplit split = split_at(shape, static_cast<std::size_t>(axis));
  const std::vector<Index> list = indices.to_indices();
  with_element_size(dtype_size_bytes(values.dtype()), [&]<typename T>() {
    const T* choice = reinterpret_cast<const T*>(values.bytes());
    T* to = reinterpret_cast<T*>(out.mutable_bytes());
    std::fill_n(to, out.size(), choice[0]);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Index index = list[i] < 0 ? list[i] + depth : list[i];
      if (index >= 0 && index < depth) {
        const Index outer = static_cast<Index>(i) / split.inner;
        to[(outer * depth + index) * split.inner + static_cast<Index>(i) % split.inner] = choice[1];
      }
    }
  });
  return out;
}

// Coordinates of the elements that are not zero: [rank, count], in row-major order.
Result<Tensor> non_zero(const Tensor& x) {
  std::vector<Index> found;
  ASSAY_TRY(with_type(NumberAndBoolTypes(), x.dtype(), "X", [&]<typename T>() -> Status {
    const T* in = x.data<T>().data();
    for (Index i = 0; i < x.size(); ++i) {
      if (in[i] != T{0}) {
        found.push_back(i);
      }
    }
    return {};
  }));
  const auto count = static_cast<Index>(found.size());
  const Shape shape = x.rank() == 0 ? Shape{1} : x.shape();
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(DType::kInt64, {static_cast<Index>(x.rank()), count}));
  Index* to = out.mutable_data<Index>().data();
  for (std::size_t axis = x.rank(); axis-- > 0;) {
    for (Index i = 0; i < count; ++i) {
      Index& rest = found[static_cast<std::size_t>(i)];
      to[static_cast<Index>(axis) * count + i] = rest % shape[axis];
      rest /= shape[axis];
    }
  }
  return out;
}

}  // namespace

OperatorResult prepare_constant_of_shape(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  Tensor value = Tensor::scalar(0.0F);
  if (const auto found = context.node.attributes.find("value"); found != context.node.attributes.end()) {
    const Tensor* tensor = std::get_if<Tensor>(&found->second);
    if (tensor == nullptr || tensor->size() != 1) {
      return invalid_model("value must be a tensor of one element");
    }
    value = *tensor;
  }
  return make_operator(
      [value](const RunContext& run) -> Result<Tensor> {
        ASSAY_ASSIGN(const Shape shape, index_list(run.input(0), "input"));
        return fill(shape, value);
      },
      "move");
}
OperatorResult prepare_range(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 3, 3));
  return make_operator(range_of, "float32");
}
OperatorResult prepare_eye_like(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  std::optional<DType> dtype;
  if (context.node.has_attribute("dtype")) {
    ASSAY_ASSIGN(dtype, dtype_attribute(context.node, "dtype"));
  }
  const Index k = context.node.int_attribute("k", 0);
  return make_operator([dtype, k](const RunContext& run) { return eye_like(run.input(0), dtype, k); }, "move");
}
OperatorResult prepare_one_hot(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 3, 3));
  const Index axis = context.node.int_attribute("axis", -1);
  return make_operator([axis](const RunContext& run) { return one_hot(run, axis); }, "move");
}
OperatorResult prepare_non_zero(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  return make_operator([](const RunContext& run) { return non_zero(run.input(0)); }, "move");
}

}  // namespace assay::runtime
