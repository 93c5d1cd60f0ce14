// SPDX-License-Identifier: Apache-2.0
// A dense tensor: element type, shape, row-major data. Copies share the data; only the maker of a tensor writes it,
// before handing it on.
#pragma once

#include <cassert>
#include <cstring>
#include <span>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/base/result.h"
#include "engine/base/shape.h"
#include "engine/base/shared_buffer.h"

namespace assay {

class Tensor {
 public:
  Tensor() = default;

  // Zeroed; an error for negative dimensions, more than kMaxElements elements, or more memory than there is.
  static Result<Tensor> allocate(DType dtype, Shape shape);
  // The same without zeroing, for tensors whose maker writes every element.
  static Result<Tensor> allocate_uninitialized(DType dtype, Shape shape);

  // `values` in row-major order; their number must be the product of `shape` (asserted).
  template <typename T>
  static Tensor from(const Shape& shape, const std::vector<T>& values);
  template <typename T>
  static Tensor scalar(T value) {
    Tensor tensor = allocate_uninitialized(DTypeOf<T>::value, {}).value();
    std::memcpy(tensor.mutable_bytes(), &value, sizeof(T));
    return tensor;
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::size_t rank() const { return shape_.size(); }
  Index dim(std::size_t axis) const { return shape_[axis]; }
  Index size() const { return size_; }  // elements
  std::size_t size_bytes() const { return static_cast<std::size_t>(size_) * dtype_size_bytes(dtype_); }
  bool empty() const { return dtype_ == DType::kUndefined; }  // no tensor at all (an omitted optional input)

  template <typename T>
  std::span<const T> data() const {
    assert(DTypeOf<T>::value == dtype_);
    return {reinterpret_cast<const T*>(bytes()), static_cast<std::size_t>(size_)};
  }
  template <typename T>
  std::span<T> mutable_data() {
    assert(DTypeOf<T>::value == dtype_);
    return {reinterpret_cast<T*>(mutable_bytes()), static_cast<std::size_t>(size_)};
  }
  const std::byte* bytes() const { return buffer_.data(); }
  std::byte* mutable_bytes() { return buffer_.data(); }

  // The same data under another shape with the same number of elements (asserted).
  Tensor reshaped(Shape shape) const;

  // Integer and float elements read as double/int64 whatever the type; for parameters and small tensors.
  std::vector<double> to_doubles() const;
  std::vector<Index> to_indices() const;

 private:
  static Result<Tensor> make(DType dtype, Shape shape, Result<SharedBuffer> (*allocate_buffer)(std::size_t));

  DType dtype_ = DType::kUndefined;
  Shape shape_;
  Index size_ = 0;
  SharedBuffer buffer_;
};

template <typename T>
Tensor Tensor::from(const Shape& shape, const std::vector<T>& values) {
  Tensor tensor = allocate(DTypeOf<T>::value, shape).value();
  assert(static_cast<std::size_t>(tensor.size()) == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {  // a loop: vector<bool> has no contiguous data
    const T value = values[i];
    std::memcpy(tensor.mutable_bytes() + i * sizeof(T), &value, sizeof(T));
  }
  return tensor;
}

// Half-precision bits to float32, exactly.
float float16_to_float(std::uint16_t bits);
float bfloat16_to_float(std::uint16_t bits);
// float32 to half-precision bits, ties to even.
std::uint16_t float_to_float16(float value);
std::uint16_t float_to_bfloat16(float value);

// Same type, shape and bytes.
bool bytes_equal(const Tensor& a, const Tensor& b);

}  // namespace assay
