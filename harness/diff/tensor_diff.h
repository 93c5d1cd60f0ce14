// SPDX-License-Identifier: Apache-2.0
// Quantization parameters of one tensor in two models, and constants that are not quantized.
#pragma once

#include "harness/diff/model_diff.h"

namespace assay::diff {

// Nothing where they are equal within the tolerance.
std::optional<TensorDiff> compare_params(const api::StatedParams& before, const api::StatedParams& after,
                                         const Tolerance& tolerance);

// The tensors of two lists in the order of their names.
std::vector<TensorDiff> compare_tensors(const std::vector<api::StatedParams>& before,
                                        const std::vector<api::StatedParams>& after, const Tolerance& tolerance,
                                        std::size_t& compared);

std::vector<ConstantDiff> compare_constants(const std::map<std::string, Tensor>& before,
                                            const std::map<std::string, Tensor>& after, const Tolerance& tolerance);

}  // namespace assay::diff
