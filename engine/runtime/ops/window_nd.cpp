// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/window_nd.h"

#include <string>

namespace assay::runtime {
namespace {

Status check_length(const char* name, std::size_t found, std::size_t wanted) {
  if (found == 0 || found == wanted) {
    return {};
  }
  return invalid_argument(std::string(name) + " must have " + std::to_string(wanted) + " values; found " +
                          std::to_string(found));
}

IndexList entry(const IndexList& list, std::size_t i) { return list.empty() ? IndexList() : IndexList{list[i]}; }

}  // namespace

Index WindowNd::taps() const {
  Index product = 1;
  for (const WindowAxis& axis : axes) {
    product *= axis.kernel;
  }
  return product;
}
Index WindowNd::outputs() const {
  Index product = 1;
  for (const WindowAxis& axis : axes) {
    product *= axis.output;
  }
  return product;
}
Index WindowNd::inputs() const {
  Index product = 1;
  for (const WindowAxis& axis : axes) {
    product *= axis.input;
  }
  return product;
}
Shape WindowNd::output_shape(Shape leading) const {
  for (const WindowAxis& axis : axes) {
    leading.push_back(axis.output);
  }
  return leading;
}

Result<WindowNd> resolve_window_nd(const WindowSpec& spec, const Shape& x, const IndexList& kernel) {
  if (x.size() != kernel.size() + 2) {
    return invalid_argument("X must be [N, C] and " + std::to_string(kernel.size()) +
                            " spatial dimensions, as many as the kernel has; found " + shape_text(x));
  }
  ASSAY_TRY(check_length("kernel_shape", spec.kernel.size(), kernel.size()));
  ASSAY_TRY(check_length("strides", spec.strides.size(), kernel.size()));
  ASSAY_TRY(check_length("dilations", spec.dilations.size(), kernel.size()));
  ASSAY_TRY(check_length("pads", spec.pads.size(), 2 * kernel.size()));
  WindowNd out;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    WindowSpec axis = spec;  // one dimension at a time
    axis.kernel = entry(spec.kernel, i);
    axis.strides = entry(spec.strides, i);
    axis.dilations = entry(spec.dilations, i);
    if (!spec.pads.empty()) {
      axis.pads = {spec.pads[i], spec.pads[i + kernel.size()]};
    }
    ASSAY_ASSIGN(const Window window, resolve_window(axis, {x[0], x[1], x[2 + i]}, {kernel[i]}));
    out.axes.push_back(window.w);
  }
  return out;
}

}  // namespace assay::runtime
