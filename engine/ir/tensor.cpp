// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/tensor.h"

#include <bit>
#include <cmath>

#include "engine/ir/memory_limit.h"

namespace assay {
namespace {

template <typename To, typename From>
std::vector<To> convert(const Tensor& tensor) {
  const auto values = tensor.data<From>();
  std::vector<To> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i] = static_cast<To>(values[i]);  // NOLINT(bugprone-signed-char-misuse): int8 is a number here
  }
  return out;
}

template <typename To>
std::vector<To> convert_half(const Tensor& tensor, float (*to_float)(std::uint16_t)) {
  std::vector<To> out(static_cast<std::size_t>(tensor.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, tensor.bytes() + i * sizeof(bits), sizeof(bits));
    out[i] = static_cast<To>(to_float(bits));
  }
  return out;
}

template <typename To, typename Byte>
std::vector<To> convert_4bit(const Tensor& tensor) {
  std::vector<To> out(static_cast<std::size_t>(tensor.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<To>(static_cast<Byte>(tensor.bytes()[i]));
  }
  return out;
}

template <typename To>
std::vector<To> convert_any(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kUndefined:
      return {};
    case DType::kFloat32:
      return convert<To, float>(tensor);
    case DType::kFloat64:
      return convert<To, double>(tensor);
    case DType::kFloat16:
      return convert_half<To>(tensor, float16_to_float);
    case DType::kBfloat16:
      return convert_half<To>(tensor, bfloat16_to_float);
    case DType::kInt8:
      return convert<To, std::int8_t>(tensor);
    case DType::kUint8:
      return convert<To, std::uint8_t>(tensor);
    case DType::kInt16:
      return convert<To, std::int16_t>(tensor);
    case DType::kUint16:
      return convert<To, std::uint16_t>(tensor);
    case DType::kInt32:
      return convert<To, std::int32_t>(tensor);
    case DType::kUint32:
      return convert<To, std::uint32_t>(tensor);
    case DType::kInt64:
      return convert<To, std::int64_t>(tensor);
    case DType::kUint64:
      return convert<To, std::uint64_t>(tensor);
    case DType::kBool:
      return convert<To, bool>(tensor);
    case DType::kInt4:
      return convert_4bit<To, std::int8_t>(tensor);
    case DType::kUint4:
      return convert_4bit<To, std::uint8_t>(tensor);
  }
  return {};
}

}  // namespace

Result<Tensor> Tensor::make(DType dtype, Shape shape, Result<SharedBuffer> (*allocate_buffer)(std::size_t)) {
  ASSAY_ASSIGN(const Index count, element_count(shape));
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.size_ = count;
  tensor.shape_ = std::move(shape);
  if (const Status memory = check_memory(tensor.size_bytes()); !memory.ok()) {
    return resource_error("a " + std::string(dtype_name(dtype)) + " tensor of shape " + shape_text(tensor.shape_) +
                          ": " + memory.error().message);
  }
  ASSAY_ASSIGN(tensor.buffer_, allocate_buffer(tensor.size_bytes()));
  return tensor;
}

Result<Tensor> Tensor::allocate(DType dtype, Shape shape) {
  return make(dtype, std::move(shape), SharedBuffer::allocate);
}

Result<Tensor> Tensor::allocate_uninitialized(DType dtype, Shape shape) {
  return make(dtype, std::move(shape), SharedBuffer::allocate_uninitialized);
}

Tensor Tensor::reshaped(Shape shape) const {
  assert(element_count(shape).ok() && element_count(shape).value() == size_);
  Tensor out = *this;
  out.shape_ = std::move(shape);
  return out;
}

std::vector<double> Tensor::to_doubles() const { return convert_any<double>(*this); }

std::vector<Index> Tensor::to_indices() const { return convert_any<Index>(*this); }

float float16_to_float(std::uint16_t bits) {
  const int exponent = (bits >> 10U) & 0x1F;
  const int mantissa = bits & 0x3FF;
  const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1F) {
    return mantissa == 0 ? sign * INFINITY : NAN;
  }
  if (exponent == 0) {
    return sign * std::ldexp(static_cast<float>(mantissa), -24);
  }
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

float bfloat16_to_float(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }

std::uint16_t float_to_float16(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | 0x7E00U);
  }
  if (magnitude >= 65520.0F) {  // halfway above the largest finite value rounds to infinity
    return static_cast<std::uint16_t>(sign | 0x7C00U);
  }
  if (magnitude == 0.0F) {
    return sign;
  }
  int exponent = 0;
  std::frexp(magnitude, &exponent);               // magnitude in [2^(exponent-1), 2^exponent)
  const int unit = std::max(exponent - 11, -24);  // the weight of the last bit
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // For a normal number the hidden bit 1024 falls out; a carry to 2048 moves into the exponent by itself.
  const int biased = unit == -24 ? steps : ((unit + 24) << 10) + steps;
  return static_cast<std::uint16_t>(sign | static_cast<unsigned>(biased));
}

std::uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);  // quiet: the low half may have held all of the mantissa
  }
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

bool bytes_equal(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.size_bytes() == 0 || std::memcmp(a.bytes(), b.bytes(), a.size_bytes()) == 0);
}

}  // namespace assay
