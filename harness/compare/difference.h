// SPDX-License-Identifier: Apache-2.0
// Differences of elements. int64 and uint64 have values that double has not, and are subtracted as integers.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/tensor.h"

namespace assay::compare {

// Whether elements of the type have more digits than double.
bool is_wide_integer(DType dtype);

// a - b of every element of two tensors of one type and shape. 0 where both are NaN or equal, infinities too; NaN where
// one is NaN. A difference that double has not is rounded away from 0, so that it lies within no limit that it exceeds.
std::vector<double> differences(const Tensor& a, const Tensor& b);

// Doubles that are ordered as the elements are: the elements, or their ranks where double has not all of them.
std::vector<double> ordered_doubles(const Tensor& tensor);

// The element as text, with all digits of an integer.
std::string element_digits(const Tensor& tensor, std::size_t position);

}  // namespace assay::compare
