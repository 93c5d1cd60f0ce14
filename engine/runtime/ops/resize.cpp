// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample, one axis after the other: nearest on any element type, linear and cubic on float32 and float64;
// integers are computed in float64 and truncated.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/resize_axis.h"
#include "engine/runtime/ops/resize_planes.h"
#include "engine/runtime/ops/structure_operators.h"
#include "engine/runtime/ops/types.h"
#include "engine/runtime/parallel.h"

namespace assay::runtime {
namespace {

constexpr Index kTaskElements = Index{1} << 14;  // that one task of a nearest Resize writes

enum class AspectRatio { kStretch, kNotLarger, kNotSmaller };

struct ResizeSpec {
  ResizeRules rules;
  std::optional<IndexList> axes;
  AspectRatio aspect_ratio = AspectRatio::kStretch;
  float extrapolation = 0;
  std::optional<std::vector<float>> scales;  // Upsample's attribute
  std::size_t roi_input = 1;                 // positions of the operands
  std::size_t scales_input = 2;
  std::size_t sizes_input = 3;
};

template <typename T>
void blend(const T* in, const AxisSplit& split, const ResizeTaps& taps, Index output, T* out) {
  BlockVector<T> weights(taps.weights.begin(), taps.weights.end());
  for (Index o = 0; o < split.outer; ++o) {
    const T* slab = in + o * split.length * split.inner;
    for (Index j = 0; j < output; ++j) {
      const Index* positions = taps.positions.data() + j * taps.taps;
      const T* weight = weights.data() + j * taps.taps;
      if (split.inner == 1) {
        T sum = 0;
        for (Index k = 0; k < taps.taps; ++k) {
          sum += weight[k] * slab[positions[k]];
        }
        *out++ = sum;
        continue;
      }
      for (Index k = 0; k < taps.taps; ++k) {
        const T* row = slab + positions[k] * split.inner;
        const T w = weight[k];
        for (Index i = 0; i < split.inner; ++i) {
          out[i] = (k == 0 ? T{0} : out[i]) + w * row[i];
        }
      }
      out += split.inner;
    }
  }
}

// The elements of one slab, that of an index of the dimensions before the axis.
template <typename T>
void pick_slab(const T* in, Index inner, const ResizeTaps& taps, T* out) {
  for (const Index position : taps.positions) {
    if (inner == 1) {
      *out++ = in[position];
    } else {
      out = std::copy_n(in + position * inner, inner, out);
    }
  }
}

Result<Tensor> pick(const Tensor& x, std::size_t axis, const ResizeTaps& taps, Shape shape, int threads) {
  const AxisSplit split = split_at(x.shape(), axis);
  const Index out_slab = shape[axis] * split.inner;
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), std::move(shape)));
  with_element_size(dtype_size_bytes(x.dtype()), [&]<typename T>() {
    const T* in = reinterpret_cast<const T*>(x.bytes());
    T* out = reinterpret_cast<T*>(y.mutable_bytes());
    const Index slabs = std::max(kTaskElements / std::max(out_slab, Index{1}), Index{1});  // of a task
    for_each_task((split.outer + slabs - 1) / slabs, threads, [&](Index task, int) {
      for (Index o = task * slabs; o < std::min((task + 1) * slabs, split.outer); ++o) {
        pick_slab(in + o * split.length * split.inner, split.inner, taps, out + o * out_slab);
      }
    });
  });
  return y;
}

// Elements whose coordinate along the axis lies outside the input.
template <typename T>
void extrapolate(Tensor& y, std::size_t axis, const ResizeTaps& taps, T value) {
  const AxisSplit split = split_at(y.shape(), axis);
  T* out = y.mutable_data<T>().data();
  for (Index row = 0; row < split.outer * split.length; ++row) {
    if (taps.outside[static_cast<std::size_t>(row % split.length)] != 0) {
      std::fill_n(out + row * split.inner, split.inner, value);
    }
  }
}

struct Target {
  InlineVector<ResizeAxis, 8> axes;  // one per dimension of X
};

// A size rounded down. Errors: one that no tensor may have.
Result<Index> whole_size(double size) {
  if (!(size <= static_cast<double>(kMaxElements))) {
    return unsupported("a dimension of " + std::to_string(size) + " elements is too large");
  }
  return static_cast<Index>(std::floor(size));
}

// The sizes that `sizes` ask for under the aspect-ratio policy, with their scales.
Status fit_sizes(Target& target, const InlineVector<std::size_t, 8>& axes, const IndexList& sizes, AspectRatio policy) {
  std::optional<double> common;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = target.axes[axes[i]];
    axis.output = sizes[i];
    axis.scale = static_cast<double>(sizes[i]) / static_cast<double>(axis.input);
    const bool tighter = policy == AspectRatio::kNotLarger ? axis.scale < common.value_or(axis.scale + 1)
                                                           : axis.scale > common.value_or(axis.scale - 1);
    common = tighter ? axis.scale : *common;
  }
  if (policy == AspectRatio::kStretch || !common.has_value()) {
    return {};
  }
  for (const std::size_t i : axes) {
    ResizeAxis& axis = target.axes[i];
    axis.scale = *common;
    ASSAY_ASSIGN(axis.output, whole_size(*common * static_cast<double>(axis.input) + 0.5));
  }
  return {};
}

Result<Target> resolve(const RunContext& context, const ResizeSpec& spec) {
  const Tensor& x = context.input(0);
  Target target;
  for (const Index size : x.shape()) {
    target.axes.push_back({.input = size, .output = size});
  }
  InlineVector<std::size_t, 8> axes;
  if (spec.axes.has_value()) {
    ASSAY_ASSIGN(const IndexList normal, normalize_axes(*spec.axes, x.rank()));
    axes.assign(normal.begin(), normal.end());
  } else {
    for (std::size_t i = 0; i < x.rank(); ++i) {
      axes.push_back(i);
    }
  }
  BlockVector<float> scales;
  if (spec.scales.has_value()) {
    scales.assign(spec.scales->begin(), spec.scales->end());
  }
  const Tensor& given = context.input(spec.scales_input);
  if (scales.empty() && given.size() > 0 && !given.empty()) {
    ASSAY_TRY(check_type(given, "scales", {DType::kFloat32}));
    scales.assign(given.data<float>().begin(), given.data<float>().end());
  }
  const Tensor& sizes_tensor = context.input(spec.sizes_input);
  IndexList sizes;
  if (scales.empty() && !sizes_tensor.empty()) {
    ASSAY_ASSIGN(sizes, index_list(sizes_tensor, "sizes"));
  }
  if (std::max(scales.size(), sizes.size()) != axes.size()) {
    return invalid_argument("scales or sizes must have one value for each of " + std::to_string(axes.size()) +
                            " dimensions; found " + std::to_string(scales.size()) + " scales and " +
                            std::to_string(sizes.size()) + " sizes");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = target.axes[axes[i]];
    if (axis.input == 0 || (!sizes.empty() && sizes[i] < 0) || (!scales.empty() && !(scales[i] > 0))) {
      return invalid_argument("X " + shape_text(x.shape()) + " cannot be resized in dimension " +
                              std::to_string(axes[i]) + ": sizes must not be negative and scales must be positive");
    }
    if (!scales.empty()) {
      axis.scale = static_cast<double>(scales[i]);
      ASSAY_ASSIGN(axis.output, whole_size(static_cast<double>(scales[i] * static_cast<float>(axis.input))));
    }
  }
  if (!sizes.empty()) {
    ASSAY_TRY(fit_sizes(target, axes, sizes, spec.aspect_ratio));
  }
  Shape shape;  // before anything is made for each element of an axis
  for (const ResizeAxis& axis : target.axes) {
    shape.push_back(axis.output);
  }
  ASSAY_TRY(element_count(shape));
  if (spec.rules.coordinates == "tf_crop_and_resize") {
    const std::vector<double> roi = context.input(spec.roi_input).to_doubles();
    if (roi.size() != 2 * axes.size()) {
      return invalid_argument("roi must have " + std::to_string(2 * axes.size()) + " values; found " +
                              std::to_string(roi.size()));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      target.axes[axes[i]].roi_start = roi[i];
      target.axes[axes[i]].roi_end = roi[axes.size() + i];
    }
  }
  return target;
}

template <typename T>
Result<Tensor> blend_along(const Tensor& x, std::size_t axis, const ResizeTaps& taps, const Shape& shape) {
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), shape));
  blend(x.data<T>().data(), split_at(x.shape(), axis), taps, shape[axis], y.mutable_data<T>().data());
  return y;
}

bool is_kept(const ResizeAxis& axis, const ResizeSpec& spec) {
  const bool cropped = spec.rules.coordinates == "tf_crop_and_resize" && (axis.roi_start != 0 || axis.roi_end != 1);
  return axis.output == axis.input && axis.scale == 1 && !cropped;
}

// The last two axes at once; nothing where they are not both to be blended from two elements inside the input.
template <typename T>
Result<Tensor> resize_planes(const Tensor& x, const Target& target, const ResizeSpec& spec, int threads) {
  const std::size_t rank = target.axes.size();
  if (spec.rules.mode != ResizeMode::kLinear || rank < 2 || is_kept(target.axes[rank - 2], spec) ||
      is_kept(target.axes[rank - 1], spec)) {
    return Tensor();
  }
  const ResizeAxis& height = target.axes[rank - 2];
  const ResizeAxis& width = target.axes[rank - 1];
  const ResizeTaps rows = resize_taps(height, spec.rules);
  const ResizeTaps columns = resize_taps(width, spec.rules);
  if (rows.taps != 2 || columns.taps != 2 || rows.any_outside || columns.any_outside) {
    return Tensor();
  }
  Shape shape = x.shape();
  shape[rank - 2] = height.output;
  shape[rank - 1] = width.output;
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), std::move(shape)));
  blend_planes({.rows = rows,
                .columns = columns,
                .planes = dims_product(x.shape(), 0, rank - 2),
                .height = height.input,
                .width = width.input,
                .out_height = height.output,
                .out_width = width.output,
                .threads = threads},
               x.data<T>().data(), y.mutable_data<T>().data());
  return y;
}

template <typename T>
Result<Tensor> resize_floats(const Tensor& x, const Target& target, const ResizeSpec& spec, int threads) {
  Tensor y = x;
  BlockVector<std::pair<std::size_t, ResizeTaps>> outside;
  const std::size_t rank = target.axes.size();
  for (std::size_t i = 0; i < rank; ++i) {
    // Where elements only move, the innermost axis first: the others then copy whole rows.
    const std::size_t axis = spec.rules.mode == ResizeMode::kNearest ? rank - 1 - i : i;
    const ResizeAxis& part = target.axes[axis];
    if (is_kept(part, spec)) {
      continue;
    }
    if (axis + 2 == rank) {
      ASSAY_ASSIGN(Tensor planes, resize_planes<T>(y, target, spec, threads));
      if (!planes.empty()) {
        y = std::move(planes);
        break;
      }
    }
    ResizeTaps taps = resize_taps(part, spec.rules);
    Shape shape = y.shape();
    shape[axis] = part.output;
    if (spec.rules.mode == ResizeMode::kNearest) {
      ASSAY_ASSIGN(y, pick(y, axis, taps, std::move(shape), threads));
    } else {
      ASSAY_ASSIGN(y, blend_along<T>(y, axis, taps, shape));
    }
    if (taps.any_outside) {
      outside.emplace_back(axis, std::move(taps));
    }
  }
  for (const auto& [axis, taps] : outside) {
    extrapolate(y, axis, taps, static_cast<T>(spec.extrapolation));
  }
  return y;
}

Result<Tensor> resize(const RunContext& context, const ResizeSpec& spec) {
  const Tensor& x = context.input(0);
  ASSAY_ASSIGN(const Target target, resolve(context, spec));
  if (x.dtype() == DType::kFloat32) {
    return resize_floats<float>(x, target, spec, context.threads);
  }
  if (x.dtype() == DType::kFloat64) {
    return resize_floats<double>(x, target, spec, context.threads);
  }
  if (spec.rules.mode == ResizeMode::kNearest && spec.rules.coordinates != "tf_crop_and_resize") {
    return resize_floats<float>(x, target, spec, context.threads);  // only moves elements
  }
  const Tensor wide = Tensor::from(x.shape(), x.to_doubles());
  ASSAY_ASSIGN(const Tensor y, resize_floats<double>(wide, target, spec, context.threads));
  return with_type(IntegerTypes(), x.dtype(), "X", [&]<typename T>() -> Result<Tensor> {
    ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(x.dtype(), y.shape()));
    const auto from = y.data<double>();
    std::transform(from.begin(), from.end(), out.mutable_data<T>().begin(), [](double value) {
      return static_cast<T>(std::clamp(value, static_cast<double>(std::numeric_limits<T>::lowest()),
                                       static_cast<double>(std::numeric_limits<T>::max() / 2) * 2));
    });
    return out;
  });
}

Result<ResizeMode> read_mode(const Node& node) {
  const std::string mode = node.string_attribute("mode", "nearest");
  if (mode == "nearest") {
    return ResizeMode::kNearest;
  }
  if (mode == "linear" || mode == "bilinear") {
    return ResizeMode::kLinear;
  }
  if (mode == "cubic") {
    return ResizeMode::kCubic;
  }
  return invalid_model("mode must be nearest, linear or cubic; found '" + mode + "'");
}

OperatorResult make_resize(ResizeSpec spec) {
  return make_operator([spec](const RunContext& run) { return resize(run, spec); }, "float32");
}

}  // namespace

OperatorResult prepare_resize(const PrepareContext& context) {
  const Node& node = context.node;
  ASSAY_TRY(check_arity(context, 1, 4));
  ResizeSpec spec;
  ASSAY_ASSIGN(spec.rules.mode, read_mode(node));
  if (context.opset() < 11) {  // X, scales
    spec.rules.coordinates = "asymmetric";
    spec.rules.nearest = "floor";
    spec.scales_input = 1;
    spec.roi_input = 3;
    return make_resize(std::move(spec));
  }
  spec.rules.coordinates = node.string_attribute("coordinate_transformation_mode", "half_pixel");
  spec.rules.nearest = node.string_attribute("nearest_mode", "round_prefer_floor");
  spec.rules.cubic_a = static_cast<double>(node.float_attribute("cubic_coeff_a", -0.75F));
  spec.rules.exclude_outside = node.int_attribute("exclude_outside", 0) != 0;
  spec.rules.antialias = node.int_attribute("antialias", 0) != 0;
  ASSAY_TRY(check_resize_rules(spec.rules));
  spec.extrapolation = node.float_attribute("extrapolation_value", 0.0F);
  if (node.has_attribute("axes")) {
    spec.axes = node.ints_attribute("axes");
  }
  const std::string policy = node.string_attribute("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller") {
    return invalid_model("keep_aspect_ratio_policy must be stretch, not_larger or not_smaller; found '" + policy + "'");
  }
  spec.aspect_ratio = policy == "stretch"      ? AspectRatio::kStretch
                      : policy == "not_larger" ? AspectRatio::kNotLarger
                                               : AspectRatio::kNotSmaller;
  return make_resize(std::move(spec));
}

OperatorResult prepare_upsample(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 2));
  ResizeSpec spec;
  ASSAY_ASSIGN(spec.rules.mode, read_mode(context.node));
  spec.rules.coordinates = "asymmetric";
  spec.rules.nearest = "floor";
  spec.scales_input = 1;
  spec.roi_input = 3;
  if (const auto found = context.node.attributes.find("scales"); found != context.node.attributes.end()) {
    if (const auto* scales = std::get_if<std::vector<float>>(&found->second)) {
      spec.scales = *scales;
    }
  }
  return make_resize(std::move(spec));
}

}  // namespace assay::runtime
