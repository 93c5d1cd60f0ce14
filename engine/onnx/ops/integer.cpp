// SPDX-License-Identifier: Apache-2.0
// Integer products of ai.onnx.
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

// conv_attributes() is in another file, so these rows are joined at the first call and not at compile time.
std::array<OperatorSchema, 4> make_rows() {
  return {{
      // x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B?
      {.domain = "",
       .op_type = "QLinearConv",
       .first_opset = 10,
       .last_opset = kNewestOpset,
       .min_inputs = 8,
       .max_inputs = 9,
       .attributes = conv_attributes()},
      // a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point
      {.domain = "",
       .op_type = "QLinearMatMul",
       .first_opset = 10,
       .last_opset = kNewestOpset,
       .min_inputs = 8,
       .max_inputs = 8},
      // x, w, x_zero_point?, w_zero_point?
      {.domain = "",
       .op_type = "ConvInteger",
       .first_opset = 10,
       .last_opset = kNewestOpset,
       .min_inputs = 2,
       .max_inputs = 4,
       .attributes = conv_attributes()},
      // A, B, a_zero_point?, b_zero_point?
      {.domain = "",
       .op_type = "MatMulInteger",
       .first_opset = 10,
       .last_opset = kNewestOpset,
       .min_inputs = 2,
       .max_inputs = 4},
  }};
}

}  // namespace

std::span<const OperatorSchema> integer_schemas() {
  static const std::array<OperatorSchema, 4> kRows = make_rows();
  return kRows;
}

}  // namespace assay::onnx
