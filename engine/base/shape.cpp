// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shape.h"

#include <algorithm>

namespace assay {

Result<Index> element_count(const Shape& shape) {
  Index count = 1;
  bool has_zero = false;
  for (const Index dim : shape) {
    if (dim < 0) {
      return invalid_argument("shape " + shape_text(shape) + " has a negative dimension");
    }
    has_zero = has_zero || dim == 0;
  }
  // Also beside a dimension of 0: strides are products of the others.
  for (const Index dim : shape) {
    if (dim > kMaxElements / count) {
      return unsupported("shape " + shape_text(shape) + " has more than " + std::to_string(kMaxElements) +
                         " elements, the most a tensor may have" + (has_zero ? ", but for its dimensions of 0" : ""));
    }
    count *= std::max(dim, Index{1});
  }
  return has_zero ? Index{0} : count;
}

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  }
  return text + "]";
}

Result<Shape> broadcast_shape(const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape out(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) {
    const Index from_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const Index from_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      return invalid_argument("shapes " + shape_text(a) + " and " + shape_text(b) +
                              " do not broadcast: " + std::to_string(from_a) + " against " + std::to_string(from_b));
    }
    out[rank - 1 - i] = from_a == 1 ? from_b : from_a;
  }
  return out;
}

Result<Index> normalize_axis(Index axis, std::size_t rank, const std::string& what) {
  const auto signed_rank = static_cast<Index>(rank);
  if (rank == 0) {
    return invalid_argument(what + ": axis " + std::to_string(axis) + " of a scalar: rank 0 has no axis");
  }
  if (axis < -signed_rank || axis >= signed_rank) {
    return invalid_argument(what + ": axis " + std::to_string(axis) + " is outside [" + std::to_string(-signed_rank) +
                            ", " + std::to_string(signed_rank - 1) + "]");
  }
  return axis < 0 ? axis + signed_rank : axis;
}

}  // namespace assay
