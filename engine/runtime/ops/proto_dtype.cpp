// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/proto_dtype.h"

#include <array>

namespace assay::runtime {
namespace {

// By the number in TensorProto.DataType; the standard has fixed these for good.
constexpr std::array<DType, 17> kTypes = {
    DType::kUndefined, DType::kFloat32, DType::kUint8,     DType::kInt8,      DType::kUint16,  DType::kInt16,
    DType::kInt32,     DType::kInt64,   DType::kUndefined, DType::kBool,      DType::kFloat16, DType::kFloat64,
    DType::kUint32,    DType::kUint64,  DType::kUndefined, DType::kUndefined, DType::kBfloat16};

}  // namespace

Result<DType> dtype_attribute(const Node& node, const std::string& key) {
  const Index number = node.int_attribute(key, 0);
  const bool known = number >= 0 && number < static_cast<Index>(kTypes.size());
  const DType dtype = known ? kTypes[static_cast<std::size_t>(number)] : DType::kUndefined;
  if (dtype == DType::kUndefined) {
    return unsupported(key + " " + std::to_string(number) + " is no supported element type");
  }
  return dtype;
}

}  // namespace assay::runtime
