// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/window.h"

#include <algorithm>
#include <limits>
#include <string>

namespace assay::runtime {
namespace {

// Products and sums of values up to this fit an Index.
constexpr Index kMaxValue = std::numeric_limits<std::int32_t>::max();

Result<IndexList> read_list(const Node& node, const char* name, Index lowest) {
  IndexList values = node.ints_attribute(name);
  for (const Index value : values) {
    if (value < lowest || value > kMaxValue) {
      return invalid_model(std::string(name) + " must lie in [" + std::to_string(lowest) + ", " +
                           std::to_string(kMaxValue) + "]; found " + shape_text(values));
    }
  }
  return values;
}

Result<AutoPad> read_auto_pad(const Node& node) {
  const std::string text = node.string_attribute("auto_pad", "NOTSET");
  if (text == "NOTSET") {
    return AutoPad::kNotSet;
  }
  if (text == "SAME_UPPER") {
    return AutoPad::kSameUpper;
  }
  if (text == "SAME_LOWER") {
    return AutoPad::kSameLower;
  }
  if (text == "VALID") {
    return AutoPad::kValid;
  }
  return invalid_model("auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID; found '" + text + "'");
}

Status check_length(const char* name, const IndexList& values, std::size_t length) {
  if (values.empty() || values.size() == length) {
    return {};
  }
  return invalid_argument(std::string(name) + " must have " + std::to_string(length) + " values; found " +
                          shape_text(values));
}

std::string axis_text(const WindowAxis& axis) {
  return "input " + std::to_string(axis.input) + ", kernel " + std::to_string(axis.kernel) + ", dilation " +
         std::to_string(axis.dilation) + ", pads " + std::to_string(axis.pad_begin) + " and " +
         std::to_string(axis.pad_end);
}

Status resolve_same(WindowAxis& axis, AutoPad auto_pad) {
  axis.output = (axis.input + axis.stride - 1) / axis.stride;
  const Index total = std::max<Index>((axis.output - 1) * axis.stride + axis.span() - axis.input, 0);
  const Index smaller = total / 2;
  axis.pad_begin = auto_pad == AutoPad::kSameUpper ? smaller : total - smaller;
  axis.pad_end = total - axis.pad_begin;
  return {};
}

Status resolve_explicit(WindowAxis& axis, bool ceil_mode) {
  const Index room = axis.input + axis.pad_begin + axis.pad_end - axis.span();
  // Rounded up, the one window may reach beyond the padded input.
  const bool reaches_beyond = ceil_mode && room < 0 && room > -axis.stride;
  if (room < 0 && !reaches_beyond) {
    return invalid_argument("the window spans " + std::to_string(axis.span()) +
                            " elements, more than the padded input has: " + axis_text(axis));
  }
  axis.output = room / axis.stride + 1;
  if (ceil_mode && !reaches_beyond) {
    axis.output += room % axis.stride == 0 ? 0 : 1;
    axis.output -= (axis.output - 1) * axis.stride >= axis.input + axis.pad_begin ? 1 : 0;
  }
  return {};
}

Result<WindowAxis> resolve_axis(const WindowSpec& spec, std::size_t i, Index input, Index kernel) {
  const std::size_t rank = spec.pads.size() / 2;
  WindowAxis axis{.input = input,
                  .kernel = kernel,
                  .stride = spec.strides.empty() ? 1 : spec.strides[i],
                  .dilation = spec.dilations.empty() ? 1 : spec.dilations[i],
                  .pad_begin = spec.pads.empty() ? 0 : spec.pads[i],
                  .pad_end = spec.pads.empty() ? 0 : spec.pads[i + rank]};
  if (kernel < 1 || kernel > kMaxValue) {
    return invalid_argument("the kernel must lie in [1, " + std::to_string(kMaxValue) + "]; found " +
                            std::to_string(kernel));
  }
  const bool same = spec.auto_pad == AutoPad::kSameUpper || spec.auto_pad == AutoPad::kSameLower;
  ASSAY_TRY(same ? resolve_same(axis, spec.auto_pad) : resolve_explicit(axis, spec.ceil_mode));
  return axis;
}

}  // namespace

Result<WindowSpec> read_window_spec(const Node& node) {
  WindowSpec spec;
  ASSAY_ASSIGN(spec.kernel, read_list(node, "kernel_shape", 1));
  ASSAY_ASSIGN(spec.strides, read_list(node, "strides", 1));
  ASSAY_ASSIGN(spec.dilations, read_list(node, "dilations", 1));
  ASSAY_ASSIGN(spec.pads, read_list(node, "pads", 0));
  ASSAY_ASSIGN(spec.auto_pad, read_auto_pad(node));
  spec.ceil_mode = node.int_attribute("ceil_mode", 0) != 0;
  if (spec.auto_pad != AutoPad::kNotSet) {
    if (std::any_of(spec.pads.begin(), spec.pads.end(), [](Index pad) { return pad != 0; })) {
      return invalid_model("pads must not be given with auto_pad " + node.string_attribute("auto_pad", "") +
                           "; found " + shape_text(spec.pads));
    }
    spec.pads.clear();
  }
  if (spec.pads.size() % 2 != 0) {
    return invalid_model("pads must have a begin and an end per dimension; found " + shape_text(spec.pads));
  }
  return spec;
}

Shape Window::output_shape(Shape leading) const {
  if (rank == 2) {
    leading.push_back(h.output);
  }
  leading.push_back(w.output);
  return leading;
}

Result<Window> resolve_window(const WindowSpec& spec, const Shape& x, const IndexList& kernel) {
  if (x.size() != 3 && x.size() != 4) {
    return unsupported("X must have the shape [N,C,W] or [N,C,H,W]; found " + shape_text(x));
  }
  Window window;
  window.rank = x.size() - 2;
  if (kernel.size() != window.rank) {
    return invalid_argument("the kernel must have " + std::to_string(window.rank) +
                            " dimensions, as many as the spatial dimensions of X " + shape_text(x) + "; found " +
                            shape_text(kernel));
  }
  if (!spec.kernel.empty() && spec.kernel != kernel) {
    return invalid_argument("kernel_shape must equal the spatial dimensions of the weights, " + shape_text(kernel) +
                            "; found " + shape_text(spec.kernel));
  }
  ASSAY_TRY(check_length("strides", spec.strides, window.rank));
  ASSAY_TRY(check_length("dilations", spec.dilations, window.rank));
  ASSAY_TRY(check_length("pads", spec.pads, 2 * window.rank));
  const std::size_t last = window.rank - 1;
  ASSAY_ASSIGN(window.w, resolve_axis(spec, last, x[2 + last], kernel[last]));
  if (window.rank == 2) {
    ASSAY_ASSIGN(window.h, resolve_axis(spec, 0, x[2], kernel[0]));
  }
  return window;
}

TapRange taps_inside(const WindowAxis& axis, Index o) {
  const Index start = o * axis.stride - axis.pad_begin;
  TapRange range;
  range.begin = start >= 0 ? 0 : (-start + axis.dilation - 1) / axis.dilation;
  const Index last_room = axis.input - 1 - start;  // distance from the start to the last input
  range.end = last_room < 0 ? 0 : std::min(axis.kernel, last_room / axis.dilation + 1);
  range.end = std::max(range.begin, range.end);
  range.first_input = start + range.begin * axis.dilation;
  return range;
}

OutputRange outputs_reading(const WindowAxis& axis, Index k) {
  const Index shift = axis.pad_begin - k * axis.dilation;  // output o reads input o * stride - shift
  OutputRange range;
  range.begin = shift <= 0 ? 0 : (shift + axis.stride - 1) / axis.stride;
  const Index room = axis.input - 1 + shift;
  range.end = room < 0 ? 0 : std::min(axis.output, room / axis.stride + 1);
  if (range.end <= range.begin) {
    return {};
  }
  range.first_input = range.begin * axis.stride - shift;
  return range;
}

Result<WindowSpec> read_pool_spec(const Node& node) {
  ASSAY_ASSIGN(WindowSpec spec, read_window_spec(node));
  if (spec.kernel.empty()) {
    return invalid_model("the attribute kernel_shape is missing");
  }
  return spec;
}

Status check_pool_window(const Window& window) {
  for (const WindowAxis& axis : {window.h, window.w}) {
    if (axis.pad_begin >= axis.span() || axis.pad_end >= axis.span()) {
      return invalid_argument("pads must be smaller than the window's span of " + std::to_string(axis.span()) +
                              "; found " + axis_text(axis));
    }
  }
  return {};
}

}  // namespace assay::runtime
