// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/operators.h"

#include <algorithm>
#include <array>

namespace assay::quantizer {
namespace {

using enum Role;

constexpr const char* kOnnx = "";
constexpr const char* kMicrosoft = "com.microsoft";

// The union of the peer's two registries, and HardSwish, Tanh, Erf and Gelu, which have integer kernels here. An
// operator outside one of the registries is kNone there.
constexpr std::array kRows = {
    OperatorRow{"Conv", kWeighted, kWeighted, "QLinearConv", kOnnx},
    OperatorRow{"ConvTranspose", kWeighted, kNone, "", kOnnx},
    OperatorRow{"Gemm", kWeighted, kWeighted, "QGemm", kMicrosoft},
    OperatorRow{"MatMul", kMatMul, kMatMul, "QLinearMatMul", kOnnx},
    OperatorRow{"BatchNormalization", kNormalization, kNone, "", kOnnx},
    OperatorRow{"InstanceNormalization", kNormalization, kNone, "", kOnnx},
    OperatorRow{"LayerNormalization", kNormalization, kNone, "", kOnnx},
    OperatorRow{"Add", kElementwise, kElementwise, "QLinearAdd", kMicrosoft},
    OperatorRow{"Mul", kElementwise, kElementwise, "QLinearMul", kMicrosoft},
    OperatorRow{"Concat", kElementwise, kElementwise, "QLinearConcat", kMicrosoft},
    OperatorRow{"Relu", kClamp, kClamp, "Clip", kOnnx},
    OperatorRow{"Clip", kClamp, kClamp, "Clip", kOnnx},
    OperatorRow{"LeakyRelu", kUnary, kUnary, "QLinearLeakyRelu", kMicrosoft},
    OperatorRow{"Sigmoid", kUnary, kUnary, "QLinearSigmoid", kMicrosoft},
    OperatorRow{"HardSwish", kUnary, kNone, "", kOnnx},
    OperatorRow{"Tanh", kUnary, kNone, "", kOnnx},
    OperatorRow{"Erf", kUnary, kNone, "", kOnnx},
    OperatorRow{"Gelu", kUnary, kNone, "", kOnnx},
    OperatorRow{"Softmax", kUnary, kUnary, "QLinearSoftmax", kMicrosoft},
    OperatorRow{"AveragePool", kShared, kUnary, "QLinearAveragePool", kMicrosoft},
    OperatorRow{"GlobalAveragePool", kUnary, kFollower, "QLinearGlobalAveragePool", kMicrosoft},
    OperatorRow{"ArgMax", kUnary, kNone, "", kOnnx},
    OperatorRow{"CumSum", kUnary, kNone, "", kOnnx},
    OperatorRow{"Where", kWhere, kNone, "", kOnnx},
    OperatorRow{"MaxPool", kShared, kShared, "MaxPool", kOnnx},
    OperatorRow{"Flatten", kShared, kShared, "Flatten", kOnnx},
    OperatorRow{"Reshape", kShared, kShared, "Reshape", kOnnx},
    OperatorRow{"Transpose", kShared, kShared, "Transpose", kOnnx},
    OperatorRow{"Squeeze", kShared, kShared, "Squeeze", kOnnx},
    OperatorRow{"Unsqueeze", kShared, kShared, "Unsqueeze", kOnnx},
    OperatorRow{"Slice", kShared, kNone, "", kOnnx},
    OperatorRow{"Resize", kShared, kShared, "Resize", kOnnx},
    OperatorRow{"TopK", kShared, kNone, "", kOnnx},
    OperatorRow{"Gather", kGather, kGather, "Gather", kOnnx},
    OperatorRow{"GatherElements", kGather, kNone, "", kOnnx},
    OperatorRow{"Split", kSplit, kSplit, "Split", kOnnx},
    OperatorRow{"Pad", kPad, kShared, "Pad", kOnnx},
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

Role role_of(const std::string& domain, const std::string& op_type, const Options& options) {
  const bool qoperator = options.format == Format::kQOperator;
  if (const OperatorRow* row = find_operator(domain, op_type); row != nullptr) {
    return qoperator ? row->qoperator : row->qdq;
  }
  const bool named = std::find(options.op_types.begin(), options.op_types.end(), op_type) != options.op_types.end();
  return named && !qoperator ? kElementwise : kNone;
}

}  // namespace assay::quantizer
