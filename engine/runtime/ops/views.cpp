// SPDX-License-Identifier: Apache-2.0
// Identity, Flatten, Reshape, Squeeze and Unsqueeze: any element type; the output shares the input's data.
#include <algorithm>
#include <optional>

#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

OperatorResult make_view(Function function) { return make_operator(std::move(function), "move", "view"); }

Result<Tensor> view(const Tensor& data, Shape shape) {
  ASSAY_ASSIGN(const Index count, element_count(shape));
  if (count != data.size()) {
    return invalid_argument("data of shape " + shape_text(data.shape()) + " has " + std::to_string(data.size()) +
                            " elements; the new shape " + shape_text(shape) + " has " + std::to_string(count));
  }
  return data.reshaped(std::move(shape));
}

// A 0 copies the input's dimension unless `allow_zero`; one -1 is computed from the rest.
Result<Shape> reshape_target(const Shape& from, const IndexList& requested, bool allow_zero) {
  Shape shape = requested;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !allow_zero) {
      if (i >= from.size()) {
        return invalid_argument("shape " + shape_text(requested) + " copies dimension " + std::to_string(i) +
                                ", which data of shape " + shape_text(from) + " does not have");
      }
      shape[i] = from[i];
    } else if (shape[i] == -1) {
      if (open.has_value()) {
        return invalid_argument("shape may hold one -1; found " + shape_text(requested));
      }
      open = i;
    } else if (shape[i] < 0) {
      return invalid_argument("shape must hold sizes, 0 or -1; found " + shape_text(requested));
    }
  }
  if (!open.has_value()) {
    return shape;
  }
  shape[*open] = 1;
  ASSAY_ASSIGN(const Index rest, element_count(shape));
  ASSAY_ASSIGN(const Index count, element_count(from));
  if (rest == 0 || count % rest != 0) {
    return invalid_argument("shape " + shape_text(requested) + " leaves no size for -1: data of shape " +
                            shape_text(from) + " has " + std::to_string(count) + " elements");
  }
  shape[*open] = count / rest;
  return shape;
}

Result<Tensor> flatten(const Tensor& data, Index axis) {
  const auto rank = static_cast<Index>(data.rank());
  if (axis < -rank || axis > rank) {
    return invalid_argument("axis must lie in [" + std::to_string(-rank) + ", " + std::to_string(rank) + "]; found " +
                            std::to_string(axis));
  }
  const auto split = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  return view(data, {dims_product(data.shape(), 0, split), dims_product(data.shape(), split, data.rank())});
}

// No axes: every dimension of size 1 goes.
Result<Tensor> squeeze(const Tensor& data, const std::optional<IndexList>& requested) {
  IndexList axes;
  if (requested.has_value()) {
    ASSAY_ASSIGN(axes, normalize_axes(*requested, data.rank()));
  }
  Shape shape;
  for (std::size_t i = 0; i < data.rank(); ++i) {
    const bool named = std::find(axes.begin(), axes.end(), static_cast<Index>(i)) != axes.end();
    if (named && data.dim(i) != 1) {
      return invalid_argument("a squeezed dimension must be 1; dimension " + std::to_string(i) + " of " +
                              shape_text(data.shape()) + " is not");
    }
    if (!named && (requested.has_value() || data.dim(i) != 1)) {
      shape.push_back(data.dim(i));
    }
  }
  return view(data, std::move(shape));
}

// Axes count in the output.
Result<Tensor> unsqueeze(const Tensor& data, const IndexList& requested) {
  const std::size_t rank = data.rank() + requested.size();
  ASSAY_ASSIGN(const IndexList axes, normalize_axes(requested, rank));
  Shape shape;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const bool added = std::find(axes.begin(), axes.end(), static_cast<Index>(i)) != axes.end();
    shape.push_back(added ? 1 : data.dim(next++));
  }
  return view(data, std::move(shape));
}

}  // namespace

OperatorResult prepare_identity(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  return make_view([](const RunContext& run) -> Result<Tensor> { return run.input(0); });
}

OperatorResult prepare_flatten(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const Index axis = context.node.int_attribute("axis", 1);
  return make_view([axis](const RunContext& run) { return flatten(run.input(0), axis); });
}

OperatorResult prepare_reshape(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  const bool allow_zero = context.node.int_attribute("allowzero", 0) != 0;
  return make_view([allow_zero](const RunContext& run) -> Result<Tensor> {
    ASSAY_ASSIGN(const IndexList requested, index_list(run.input(1), "shape"));
    ASSAY_ASSIGN(Shape shape, reshape_target(run.input(0).shape(), requested, allow_zero));
    return view(run.input(0), std::move(shape));
  });
}

OperatorResult prepare_squeeze(const PrepareContext& context) {
  if (context.opset() >= 13) {
    ASSAY_TRY(check_arity(context, 1, 2));
    return make_view([](const RunContext& run) -> Result<Tensor> {
      if (run.input(1).empty()) {
        return squeeze(run.input(0), std::nullopt);
      }
      ASSAY_ASSIGN(const IndexList axes, index_list(run.input(1), "axes"));
      return squeeze(run.input(0), axes);
    });
  }
  ASSAY_TRY(check_arity(context, 1, 1));
  std::optional<IndexList> axes;
  if (context.node.has_attribute("axes")) {
    axes = context.node.ints_attribute("axes");
  }
  return make_view([axes](const RunContext& run) { return squeeze(run.input(0), axes); });
}

OperatorResult prepare_unsqueeze(const PrepareContext& context) {
  if (context.opset() >= 13) {
    ASSAY_TRY(check_arity(context, 2, 2));
    return make_view([](const RunContext& run) -> Result<Tensor> {
      ASSAY_ASSIGN(const IndexList axes, index_list(run.input(1), "axes"));
      return unsqueeze(run.input(0), axes);
    });
  }
  ASSAY_TRY(check_arity(context, 1, 1));
  const IndexList axes = context.node.ints_attribute("axes");
  return make_view([axes](const RunContext& run) { return unsqueeze(run.input(0), axes); });
}

}  // namespace assay::runtime
