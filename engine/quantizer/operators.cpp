// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/operators.h"

#include <algorithm>
#include <array>

namespace assay::quantizer {
namespace {

constexpr const char* kOnnx = "";
constexpr const char* kMicrosoft = "com.microsoft";

constexpr std::array kRows = {
    OperatorRow{"Conv", Role::kWeighted, "QLinearConv", kOnnx},
    OperatorRow{"Gemm", Role::kWeighted, "QGemm", kMicrosoft},
    OperatorRow{"MatMul", Role::kMatMul, "QLinearMatMul", kOnnx},
    OperatorRow{"Add", Role::kElementwise, "QLinearAdd", kMicrosoft},
    OperatorRow{"Mul", Role::kElementwise, "QLinearMul", kMicrosoft},
    OperatorRow{"Concat", Role::kElementwise, "QLinearConcat", kMicrosoft},
    OperatorRow{"Relu", Role::kClamp, "Clip", kOnnx},
    OperatorRow{"Clip", Role::kClamp, "Clip", kOnnx},
    OperatorRow{"LeakyRelu", Role::kUnary, "QLinearLeakyRelu", kMicrosoft},
    OperatorRow{"Sigmoid", Role::kUnary, "QLinearSigmoid", kMicrosoft},
    OperatorRow{"HardSwish", Role::kUnary, "", kOnnx},
    OperatorRow{"Tanh", Role::kUnary, "", kOnnx},
    OperatorRow{"Erf", Role::kUnary, "", kOnnx},
    OperatorRow{"Gelu", Role::kUnary, "", kOnnx},
    OperatorRow{"Softmax", Role::kUnary, "QLinearSoftmax", kMicrosoft},
    OperatorRow{"AveragePool", Role::kUnary, "QLinearAveragePool", kMicrosoft},
    OperatorRow{"GlobalAveragePool", Role::kUnary, "QLinearGlobalAveragePool", kMicrosoft},
    OperatorRow{"MaxPool", Role::kShared, "MaxPool", kOnnx},
    OperatorRow{"Flatten", Role::kShared, "Flatten", kOnnx},
    OperatorRow{"Reshape", Role::kShared, "Reshape", kOnnx},
    OperatorRow{"Transpose", Role::kShared, "Transpose", kOnnx},
    OperatorRow{"Squeeze", Role::kShared, "Squeeze", kOnnx},
    OperatorRow{"Unsqueeze", Role::kShared, "Unsqueeze", kOnnx},
    OperatorRow{"Pad", Role::kShared, "Pad", kOnnx},
};

}  // namespace

std::span<const OperatorRow> operator_rows() { return kRows; }

const OperatorRow* find_operator(const std::string& domain, const std::string& op_type) {
  if (!domain.empty() && domain != "ai.onnx") {
    return nullptr;
  }
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const OperatorRow& r) { return op_type == r.op_type; });
  return row == kRows.end() ? nullptr : row;
}

}  // namespace assay::quantizer
