// SPDX-License-Identifier: Apache-2.0
#include "harness/run/join_rows.h"

#include <fmt/format.h>

#include <cstring>

namespace assay::run {

Result<Tensor> join_rows(const std::string& name, const std::vector<Tensor>& parts) {
  Shape shape = parts.front().shape();
  shape[0] = 0;
  for (const Tensor& part : parts) {
    Shape same = part.shape();
    same[0] = parts.front().dim(0);
    if (part.dtype() != parts.front().dtype() || same != parts.front().shape()) {
      return invalid_argument(fmt::format("output '{}' changes its shape from {} to {} between batches", name,
                                          shape_text(parts.front().shape()), shape_text(part.shape())));
    }
    shape[0] += part.dim(0);
  }
  ASSAY_ASSIGN(Tensor whole, Tensor::allocate(parts.front().dtype(), shape));
  std::size_t offset = 0;
  for (const Tensor& part : parts) {
    if (part.size_bytes() > 0) {
      std::memcpy(whole.mutable_bytes() + offset, part.bytes(), part.size_bytes());
    }
    offset += part.size_bytes();
  }
  return whole;
}

}  // namespace assay::run
