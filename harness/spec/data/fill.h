// SPDX-License-Identifier: Apache-2.0
// Values chosen to hurt. `low` and `high` are the float range that is meant to be calibrated, `step` a quantization
// step. 8-bit integer tensors get raw values instead: low and high are then the ends of the type. i counts elements in
// row-major order.
//
//   saturating_pairs   high, and low at every i with i mod 8 = 7. Nearly all neighbours along any axis then quantize to
//                      the byte 255 (with the range [low, high] calibrated and uint8 activations), so that two products
//                      with weights of one sign exceed int16.
//   rounding_ties      float: -128 step, 127 step, then (k + 1/2) step with k = -128, -127, ..., 126 and again from the
//                      beginning. Min-max calibration of an asymmetric 8-bit type gives exactly `step` (a power of two
//                      is best; default 1/32), and every value but the first two is a tie. Not for integer tensors.
//   extremes           low, high, 0, low / 2, high / 2, repeated. Integer: least, largest, 0, least + 1, largest - 1.
//   one_hot            0, and `high` at element s mod m of sample s, where the first axis counts samples of m elements.
//                      Integer: least and largest value of the type.
//   zero_point_edges   0, step/2, -step/2, step, -step, 3/2 step, -3/2 step, low, high, repeated; step is
//                      (high - low) / 255 unless given. Integer: 0, 1, 127, 128, 129, 254, 255 for uint8 and
//                      -128, -127, -1, 0, 1, 126, 127 for int8, repeated.
#pragma once

#include <optional>
#include <string>

#include "engine/ir/tensor.h"

namespace assay::spec {

struct FillOptions {
  double low = -1;
  double high = 1;
  std::optional<double> step;
};

// Returns "" or why this fill is none for the tensor. Integer tensors of more than 8 bits are refused.
std::string fill_adversarial(const std::string& name, const FillOptions& options, Tensor& tensor);

}  // namespace assay::spec
