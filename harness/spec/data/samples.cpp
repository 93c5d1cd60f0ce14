// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/samples.h"

#include <cstring>

#include <fmt/format.h>

#include "harness/spec/data/target_shape.h"

namespace assay::spec {
namespace {

Shape sample_shape(const Tensor& stacked, bool keeps_axis) {
  Shape shape(stacked.shape().begin() + 1, stacked.shape().end());
  if (keeps_axis) {
    shape.insert(shape.begin(), 1);
  }
  return shape;
}

}  // namespace

Result<SampleLayout> sample_layout(const Tensor& stacked, const ValueInfo& input) {
  if (stacked.rank() == 0) {
    return invalid_argument(fmt::format("input '{}': a scalar has no axis of samples", input.name));
  }
  SampleLayout layout{stacked.dim(0), false};
  if (!input.has_shape) {
    return layout;
  }
  layout.keeps_axis = stacked.rank() == input.dims.size();
  Target target;
  target.has_shape = true;
  target.dims = input.dims;
  const Shape shape = sample_shape(stacked, layout.keeps_axis);
  if (const std::string reason = misfit(shape, target); !reason.empty()) {
    return invalid_argument(
        fmt::format("input '{}': samples stacked in {}: {}", input.name, shape_text(stacked.shape()), reason));
  }
  return layout;
}

Result<Tensor> cut_sample(const Tensor& stacked, const SampleLayout& layout, Index position) {
  ASSAY_ASSIGN(Tensor sample, Tensor::allocate(stacked.dtype(), sample_shape(stacked, layout.keeps_axis)));
  if (sample.size_bytes() > 0) {
    std::memcpy(sample.mutable_bytes(), stacked.bytes() + static_cast<std::size_t>(position) * sample.size_bytes(),
                sample.size_bytes());
  }
  return sample;
}

}  // namespace assay::spec
