// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/conv_shape.h"

#include <string>

namespace assay::runtime {
bool ConvShape::pointwise() const {
  const auto plain = [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.input == axis.output && axis.stride == 1;
  };
  return plain(window.h) && plain(window.w) && window.h.pad_begin == 0 && window.w.pad_begin == 0;
}

Result<ConvShape> resolve_conv_shape(const WindowSpec& spec, Index group, const Shape& x, const Shape& w) {
  const std::string found = "; found x " + shape_text(x) + ", w " + shape_text(w) + ", group " + std::to_string(group);
  if (w.size() < 3) {
    return invalid_argument("w has the shape [M, C/group, kernel...]" + found);
  }
  ASSAY_ASSIGN(const Window window, resolve_window(spec, x, IndexList(w.begin() + 2, w.end())));
  if (group < 1 || w[0] % group != 0) {
    return invalid_argument("group is at least 1 and divides the outputs M of w" + found);
  }
  if (w[1] * group != x[1]) {
    return invalid_argument("w has C/group input channels" + found);
  }
  return ConvShape{
      .batch = x[0], .group = group, .group_channels = w[1], .group_outputs = w[0] / group, .window = window};
}

}  // namespace assay::runtime
