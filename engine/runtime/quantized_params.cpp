// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/quantized_params.h"

#include <algorithm>

namespace assay::runtime {
namespace {

std::string found_text(const Tensor& tensor) {
  if (tensor.empty()) {
    return "nothing";
  }
  return std::string(dtype_name(tensor.dtype())) + shape_text(tensor.shape());
}

template <typename T>
void widen(const Tensor& tensor, std::span<std::int32_t> out) {
  const auto data = tensor.data<T>();
  std::transform(data.begin(), data.end(), out.begin(), [](T value) { return static_cast<std::int32_t>(value); });
}

template <typename Byte>
void widen_bytes(const Tensor& tensor, std::span<std::int32_t> out) {
  const auto* data = reinterpret_cast<const Byte*>(tensor.bytes());
  std::transform(data, data + tensor.size(), out.begin(), [](Byte value) { return static_cast<std::int32_t>(value); });
}

}  // namespace

Status expect_channels(const Tensor& tensor, Index channels, const std::string& what) {
  const bool per_tensor = tensor.size() == 1;
  const bool per_channel = tensor.rank() == 1 && tensor.size() == channels;
  if (!per_tensor && !per_channel) {
    return invalid_argument(what + " has one element or [" + std::to_string(channels) + "], found " +
                            found_text(tensor));
  }
  return {};
}

std::optional<DType> known_dtype(const PrepareContext& context, std::initializer_list<std::size_t> inputs) {
  for (const std::size_t i : inputs) {
    const std::string& value = context.node.input(i);
    if (const Tensor* constant = context.graph.constant(value); constant != nullptr) {
      return constant->dtype();
    }
    for (const ValueInfo& info : context.graph.inputs) {
      if (info.name == value && info.dtype != DType::kUndefined) {
        return info.dtype;
      }
    }
    const auto info = context.graph.value_infos.find(value);
    if (info != context.graph.value_infos.end() && info->second.dtype != DType::kUndefined) {
      return info->second.dtype;
    }
  }
  return std::nullopt;
}

void widen_integers(const Tensor& tensor, std::span<std::int32_t> out) {
  switch (tensor.dtype()) {
    case DType::kInt4:  // an element a byte
      widen_bytes<std::int8_t>(tensor, out);
      break;
    case DType::kUint4:
      widen_bytes<std::uint8_t>(tensor, out);
      break;
    case DType::kInt8:
      widen<std::int8_t>(tensor, out);
      break;
    case DType::kUint8:
      widen<std::uint8_t>(tensor, out);
      break;
    case DType::kInt16:
      widen<std::int16_t>(tensor, out);
      break;
    case DType::kUint16:
      widen<std::uint16_t>(tensor, out);
      break;
    default:
      widen<std::int32_t>(tensor, out);
      break;
  }
}

Status expect_dtype(const Tensor& tensor, DType dtype, const std::string& what) {
  if (tensor.dtype() != dtype) {
    return invalid_argument(what + " is " + std::string(dtype_name(dtype)) + ", found " + found_text(tensor));
  }
  return {};
}

Status expect_8bit(const Tensor& tensor, const std::string& what) {
  if (!is_8bit(tensor.dtype())) {
    return invalid_argument(what + " is int8 or uint8, found " + found_text(tensor));
  }
  return {};
}

Result<float> read_scale(const Tensor& tensor, const std::string& what) {
  ASSAY_TRY(expect_dtype(tensor, DType::kFloat32, what));
  if (tensor.size() != 1) {
    return invalid_argument(what + " has one element, found " + found_text(tensor));
  }
  return tensor.data<float>()[0];
}

Result<std::int32_t> read_zero_point(const Tensor& tensor, DType dtype, const std::string& what) {
  if (tensor.empty()) {
    return std::int32_t{0};
  }
  ASSAY_TRY(expect_dtype(tensor, dtype, what));
  if (tensor.size() != 1) {
    return invalid_argument(what + " has one element, found " + found_text(tensor));
  }
  std::int32_t value = 0;
  widen_integers(tensor, {&value, 1});
  return value;
}

}  // namespace assay::runtime
