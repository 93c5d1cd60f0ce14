// SPDX-License-Identifier: Apache-2.0
// An array in a .npy or .npz file whose rows are read one after the other, so that only one is in memory.
//
// Arrays in Fortran order, whose rows lie apart, are read whole.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/ir/tensor.h"
#include "harness/spec/data/byte_reader.h"
#include "harness/spec/data/npy.h"

namespace assay::spec {

class ArrayStream {
 public:
  // Errors: those of load_npy and load_npz, as far as header and sizes show them.
  static Result<ArrayStream> open_npy(const std::string& path);
  static Result<ArrayStream> open_npz(const std::string& path, const std::string& key);

  DType dtype() const { return header_.dtype; }
  const Shape& shape() const { return header_.shape; }
  // Row `position` along the first dimension, in shape()[1...]. Cheap in rising order; going back begins anew. Errors:
  // the file's own, where it cannot be read or ends.
  Result<Tensor> row(Index position);

 private:
  using Open = std::function<Result<std::unique_ptr<ByteReader>>()>;
  static Result<ArrayStream> make(const Open& open, const std::function<Result<Tensor>()>& load);
  Status rewind();
  Status read(std::span<std::byte> into);

  Open open_;
  std::unique_ptr<ByteReader> reader_;
  NpyHeader header_;
  Tensor whole_;    // Fortran order
  Index next_ = 0;  // the row that the reader is at
};

}  // namespace assay::spec
