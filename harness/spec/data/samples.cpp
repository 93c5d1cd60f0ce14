// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/samples.h"

#include <cstring>

#include <fmt/format.h>

#include "harness/spec/data/target_shape.h"

namespace assay::spec {

Shape sample_shape(const Shape& stacked, const SampleLayout& layout) {
  Shape shape(stacked.begin() + 1, stacked.end());
  if (layout.keeps_axis) {
    shape.insert(shape.begin(), 1);
  }
  return shape;
}

Result<SampleLayout> sample_layout(const Shape& stacked, const ValueInfo& input) {
  if (stacked.empty()) {
    return invalid_argument(fmt::format("input '{}': a scalar has no axis of samples", input.name));
  }
  SampleLayout layout{stacked[0], false};
  if (!input.has_shape) {
    return layout;
  }
  layout.keeps_axis = stacked.size() == input.dims.size();
  Target target;
  target.has_shape = true;
  target.dims = input.dims;
  const Shape shape = sample_shape(stacked, layout);
  if (const std::string reason = misfit(shape, target); !reason.empty()) {
    return invalid_argument(
        fmt::format("input '{}': samples stacked in {}: {}", input.name, shape_text(stacked), reason));
  }
  return layout;
}

Result<Tensor> cut_sample(const Tensor& stacked, const SampleLayout& layout, Index position) {
  ASSAY_ASSIGN(Tensor sample, Tensor::allocate(stacked.dtype(), sample_shape(stacked.shape(), layout)));
  if (sample.size_bytes() > 0) {
    std::memcpy(sample.mutable_bytes(), stacked.bytes() + static_cast<std::size_t>(position) * sample.size_bytes(),
                sample.size_bytes());
  }
  return sample;
}

}  // namespace assay::spec
