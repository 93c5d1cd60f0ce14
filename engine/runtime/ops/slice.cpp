// SPDX-License-Identifier: Apache-2.0
// Slice, as Python's x[start:end:step] along each axis named: any element type.
#include <algorithm>

#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/strided.h"
#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

struct SliceRequest {
  IndexList starts;
  IndexList ends;
  IndexList axes;   // empty: the first ones
  IndexList steps;  // empty: all 1
};

struct AxisSlice {
  Index start = 0;
  Index step = 1;
  Index count = 0;
};

AxisSlice resolve(Index start, Index end, Index step, Index size) {
  const auto from_end = [&](Index value) { return value < 0 ? value + size : value; };
  AxisSlice slice;
  slice.step = step;
  if (size == 0) {
    return slice;
  }
  if (step > 0) {
    slice.start = std::clamp(from_end(start), Index{0}, size);
    const Index stop = std::clamp(from_end(end), Index{0}, size);
    slice.count = std::max<Index>(0, stop - slice.start);
    slice.count = slice.count == 0 ? 0 : (slice.count - 1) / step + 1;
  } else {
    slice.start = std::clamp(from_end(start), Index{0}, size - 1);  // as the standard has it, not as Python
    const Index stop = std::clamp(from_end(end), Index{-1}, size - 1);
    slice.count = std::max<Index>(0, slice.start - stop);
    slice.count = slice.count == 0 ? 0 : 1 - (slice.count - 1) / step;  // -step may not be a number
  }
  return slice;
}

Result<Tensor> slice(const Tensor& data, const SliceRequest& request) {
  const std::size_t count = request.starts.size();
  if (request.ends.size() != count || (!request.axes.empty() && request.axes.size() != count) ||
      (!request.steps.empty() && request.steps.size() != count) || count > data.rank()) {
    return invalid_argument("starts, ends, axes and steps must be lists of one length, at most data's rank " +
                            std::to_string(data.rank()) + "; found " + shape_text(request.starts) + ", " +
                            shape_text(request.ends) + ", " + shape_text(request.axes) + " and " +
                            shape_text(request.steps));
  }
  IndexList axes = request.axes;
  for (std::size_t i = axes.size(); i < count; ++i) {
    axes.push_back(static_cast<Index>(i));
  }
  ASSAY_ASSIGN(axes, normalize_axes(axes, data.rank()));
  Shape shape = data.shape();
  std::array<Strides, 1> strides = {contiguous_strides(data.shape())};
  Index begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    const Index step = request.steps.empty() ? 1 : request.steps[i];
    if (step == 0) {
      return invalid_argument("a step must not be 0");
    }
    const AxisSlice part = resolve(request.starts[i], request.ends[i], step, data.dim(axis));
    shape[axis] = part.count;
    begin += part.count == 0 ? 0 : part.start * strides[0][axis];
    strides[0][axis] *= part.count <= 1 ? 1 : part.step;
  }
  if (shape == data.shape() && strides[0] == contiguous_strides(shape)) {
    return data;
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(data.dtype(), shape));
  with_element_size(dtype_size_bytes(data.dtype()), [&]<typename T>() {
    const T* from = reinterpret_cast<const T*>(data.bytes()) + begin;
    T* to = reinterpret_cast<T*>(out.mutable_bytes());
    Shape rows = shape;
    std::array<Strides, 1> steps = strides;
    merge_dimensions(rows, steps);
    for_each_row<1>(rows, steps, [&](const auto& offsets, Index length, const auto& step) {
      const T* row = from + offsets[0];
      if (step[0] == 1) {
        std::copy(row, row + length, to);
      } else {
        for (Index i = 0; i < length; ++i) {
          to[i] = row[i * step[0]];
        }
      }
      to += length;
    });
  });
  return out;
}

Result<Tensor> slice_by_inputs(const RunContext& context) {
  SliceRequest request;
  ASSAY_ASSIGN(request.starts, index_list(context.input(1), "starts"));
  ASSAY_ASSIGN(request.ends, index_list(context.input(2), "ends"));
  if (!context.input(3).empty()) {
    ASSAY_ASSIGN(request.axes, index_list(context.input(3), "axes"));
  }
  if (!context.input(4).empty()) {
    ASSAY_ASSIGN(request.steps, index_list(context.input(4), "steps"));
  }
  return slice(context.input(0), request);
}

}  // namespace

OperatorResult prepare_slice(const PrepareContext& context) {
  if (context.opset() >= 10) {
    ASSAY_TRY(check_arity(context, 3, 5));
    return make_operator(slice_by_inputs, "move");
  }
  ASSAY_TRY(check_arity(context, 1, 1));
  const SliceRequest request{.starts = context.node.ints_attribute("starts"),
                             .ends = context.node.ints_attribute("ends"),
                             .axes = context.node.ints_attribute("axes"),
                             .steps = {}};
  return make_operator([request](const RunContext& run) { return slice(run.input(0), request); }, "move");
}

}  // namespace assay::runtime
