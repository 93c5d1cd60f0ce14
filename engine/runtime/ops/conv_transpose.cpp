// SPDX-License-Identifier: Apache-2.0
// ConvTranspose over one to three spatial dimensions, float32: per group a product of the transposed weights with the
// input gives what each input element adds to each tap, which is then added up at
// output = input * stride + tap * dilation - pad_begin.
#include <algorithm>

#include "engine/base/block_vector.h"
#include "engine/runtime/float_product.h"
#include "engine/runtime/ops/layer_operators.h"
#include "engine/runtime/ops/window_nd.h"
#include "engine/runtime/scratch.h"

namespace assay::runtime {
namespace {

struct Axis {
  Index input = 1;
  Index kernel = 1;
  Index stride = 1;
  Index dilation = 1;
  Index pad = 0;
  Index output = 1;
};

struct Spec {
  WindowSpec window;
  IndexList output_padding;
  IndexList output_shape;
  Index group = 1;
  // Where a total of odd pads is divided, all but SAME_UPPER begin with the larger part from opset 11 on; before, the
  // standard had it the other way round.
  bool larger_pad_begins = true;
};

Index entry(const IndexList& list, std::size_t i, Index fallback) { return i < list.size() ? list[i] : fallback; }

Result<Axis> resolve_axis(const Spec& spec, std::size_t i, Index input, Index kernel) {
  const std::size_t rank = spec.window.pads.size() / 2;
  Axis axis{.input = input,
            .kernel = kernel,
            .stride = entry(spec.window.strides, i, 1),
            .dilation = entry(spec.window.dilations, i, 1),
            .pad = entry(spec.window.pads, i, 0)};
  const Index full = (input - 1) * axis.stride + entry(spec.output_padding, i, 0) + (kernel - 1) * axis.dilation + 1;
  const bool same = spec.window.auto_pad == AutoPad::kSameUpper || spec.window.auto_pad == AutoPad::kSameLower;
  if (!spec.output_shape.empty() || same) {
    axis.output = spec.output_shape.empty() ? input * axis.stride : spec.output_shape[i];
    const Index total = std::max<Index>(0, full - axis.output);
    axis.pad = spec.larger_pad_begins == (spec.window.auto_pad != AutoPad::kSameUpper) ? total - total / 2 : total / 2;
  } else {
    axis.output = full - axis.pad - entry(spec.window.pads, rank + i, 0);
  }
  if (axis.output < 0) {
    return invalid_argument("pads leave no output in spatial dimension " + std::to_string(i));
  }
  return axis;
}

// Adds rows of `columns` [taps, inputs] for one output channel to its plane.
void add_columns(const BlockVector<Axis>& axes, const float* columns, float* plane) {
  const Axis& last = axes.back();
  Index rows = 1;
  Index taps = last.kernel;
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    rows *= axes[i].input;
    taps *= axes[i].kernel;
  }
  for (Index tap = 0; tap < taps; ++tap) {
    const Index shift = tap % last.kernel * last.dilation - last.pad;
    // Inputs x with 0 <= x * stride + shift < output.
    const Index begin = shift >= 0 ? 0 : (-shift + last.stride - 1) / last.stride;
    const Index room = last.output - 1 - shift;
    const Index end = room < 0 ? 0 : std::min(last.input, room / last.stride + 1);
    for (Index row = 0; row < rows; ++row) {
      Index rest_row = row;
      Index rest_tap = tap / last.kernel;
      Index offset = 0;
      Index weight = last.output;
      bool inside = true;
      for (std::size_t i = axes.size() - 1; i-- > 0;) {
        const Index position =
            rest_row % axes[i].input * axes[i].stride + rest_tap % axes[i].kernel * axes[i].dilation - axes[i].pad;
        inside = inside && position >= 0 && position < axes[i].output;
        offset += position * weight;
        weight *= axes[i].output;
        rest_row /= axes[i].input;
        rest_tap /= axes[i].kernel;
      }
      if (!inside) {
        continue;
      }
      const float* from = columns + (tap * rows + row) * last.input;
      float* to = plane + offset + shift;
      for (Index x = begin; x < end; ++x) {
        to[x * last.stride] += from[x];
      }
    }
  }
}

class ConvTranspose final : public Operator {
 public:
  explicit ConvTranspose(Spec spec) : spec_(std::move(spec)), product_(1.0F, false) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(0);
    const Tensor& w = context.input(1);
    const Tensor& bias = context.input(2);
    ASSAY_TRY(check_type(x, "X", {DType::kFloat32}));
    ASSAY_TRY(check_type(w, "W", {DType::kFloat32}));
    if (!bias.empty()) {
      ASSAY_TRY(check_type(bias, "B", {DType::kFloat32}));
    }
    if (x.rank() < 3 || w.rank() != x.rank() || w.dim(0) != x.dim(1) || x.dim(1) % spec_.group != 0 ||
        (!bias.empty() && (bias.rank() != 1 || bias.size() != w.dim(1) * spec_.group))) {
      return invalid_argument("X [N, C, ...], W [C, M / group, ...] and B [M] do not fit with group " +
                              std::to_string(spec_.group) + ": found " + shape_text(x.shape()) + ", " +
                              shape_text(w.shape()) + " and " + shape_text(bias.shape()));
    }
    ASSAY_ASSIGN(const BlockVector<Axis> axes, resolve(x.shape(), w.shape()));
    Shape shape = {x.dim(0), w.dim(1) * spec_.group};
    for (const Axis& axis : axes) {
      shape.push_back(axis.output);
    }
    ASSAY_ASSIGN(Tensor y, Tensor::allocate(DType::kFloat32, shape));
    if (y.size() > 0 && x.size() > 0) {
      ASSAY_TRY(transpose(x, w, axes, y));
    }
    add_bias(bias, y);
    context.multiply_accumulates = x.size() * (w.dim(0) == 0 ? 0 : w.size() / w.dim(0));
    outputs.push_back(std::move(y));
    return {};
  }
  KernelInfo kernel() const override { return product_.kernel(); }

 private:
  Result<BlockVector<Axis>> resolve(const Shape& x, const Shape& w) const {
    const std::size_t rank = x.size() - 2;
    for (const auto* list : {&spec_.window.strides, &spec_.window.dilations, &spec_.output_padding}) {
      if (!list->empty() && list->size() != rank) {
        return invalid_argument("strides, dilations and output_padding must have " + std::to_string(rank) +
                                " values; found " + shape_text(*list));
      }
    }
    // output_shape may also state batch and channels.
    Spec spec = spec_;
    if (spec.output_shape.size() == rank + 2) {
      spec.output_shape.erase(spec.output_shape.begin(), spec.output_shape.begin() + 2);
    }
    if ((!spec.output_shape.empty() && spec.output_shape.size() != rank) ||
        (!spec.window.pads.empty() && spec.window.pads.size() != 2 * rank)) {
      return invalid_argument("output_shape must have " + std::to_string(rank) + " and pads " +
                              std::to_string(2 * rank) + " values; found " + shape_text(spec.output_shape) + " and " +
                              shape_text(spec.window.pads));
    }
    BlockVector<Axis> axes;
    for (std::size_t i = 0; i < rank; ++i) {
      ASSAY_ASSIGN(const Axis axis, resolve_axis(spec, i, x[2 + i], w[2 + i]));
      axes.push_back(axis);
    }
    return axes;
  }

  Status transpose(const Tensor& x, const Tensor& w, const BlockVector<Axis>& axes, Tensor& y) {
    const Index inputs = dims_product(x.shape(), 2, x.rank());
    const Index outputs = dims_product(y.shape(), 2, y.rank());
    const Index taps = dims_product(w.shape(), 2, w.rank());
    const Index in_channels = x.dim(1) / spec_.group;
    const Index rows = w.dim(1) * taps;
    ASSAY_TRY(columns_.reserve(rows * inputs * static_cast<Index>(sizeof(float))));
    for (Index n = 0; n < x.dim(0); ++n) {
      for (Index g = 0; g < spec_.group; ++g) {
        const float* weights = w.data<float>().data() + g * in_channels * rows;
        const float* in = x.data<float>().data() + (n * x.dim(1) + g * in_channels) * inputs;
        ASSAY_TRY(product_.run({.a = matrix_operand({in_channels, rows}, true, weights),
                                .b = matrix_operand({in_channels, inputs}, false, in),
                                .y = columns_.as<float>(),
                                .y_dims = {rows, inputs}}));
        for (Index m = 0; m < w.dim(1); ++m) {
          add_columns(axes, columns_.as<float>() + m * taps * inputs,
                      y.mutable_data<float>().data() + (n * y.dim(1) + g * w.dim(1) + m) * outputs);
        }
      }
    }
    return {};
  }

  static void add_bias(const Tensor& bias, Tensor& y) {
    if (bias.empty() || y.size() == 0) {
      return;
    }
    const Index plane = dims_product(y.shape(), 2, y.rank());
    float* out = y.mutable_data<float>().data();
    for (Index p = 0; p < y.dim(0) * y.dim(1); ++p) {
      const float value = bias.data<float>()[static_cast<std::size_t>(p % y.dim(1))];
      std::for_each(out + p * plane, out + (p + 1) * plane, [&](float& element) { element += value; });
    }
  }

  Spec spec_;
  FloatProduct product_;
  ScratchBuffer columns_;
};

}  // namespace

OperatorResult prepare_conv_transpose(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 3));
  Spec spec;
  ASSAY_ASSIGN(spec.window, read_window_spec(context.node));
  spec.output_padding = context.node.ints_attribute("output_padding");
  spec.output_shape = context.node.ints_attribute("output_shape");
  spec.group = context.node.int_attribute("group", 1);
  spec.larger_pad_begins = context.opset() >= 11;
  for (const Index padding : spec.output_padding) {
    if (padding < 0) {
      return invalid_model("output_padding must not be negative; found " + shape_text(spec.output_padding));
    }
  }
  if (spec.group < 1) {
    return invalid_model("group must be positive; found " + std::to_string(spec.group));
  }
  return onednn::call(
      [&]() -> OperatorResult { return OperatorResult(std::make_unique<ConvTranspose>(std::move(spec))); });
}

}  // namespace assay::runtime
