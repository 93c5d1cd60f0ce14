// SPDX-License-Identifier: Apache-2.0
// Single samples out of an array whose first axis counts them.
#pragma once

#include "engine/ir/graph.h"

namespace assay::spec {

// How samples are cut: the first axis is the samples' own (new) axis where the tensor has one dimension more than the
// input, else it is the input's first dimension and stays, with length 1.
struct SampleLayout {
  Index count = 0;
  bool keeps_axis = false;
};

// An error if the rank is neither that of the input nor one more, or if a sample's shape does not fit the input.
Result<SampleLayout> sample_layout(const Shape& stacked, const ValueInfo& input);

// A sample of a stacked array in its shape.
Shape sample_shape(const Shape& stacked, const SampleLayout& layout);

Result<Tensor> cut_sample(const Tensor& stacked, const SampleLayout& layout, Index position);

}  // namespace assay::spec
