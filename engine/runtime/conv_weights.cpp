// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/conv_weights.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

namespace assay::runtime {

Status check_conv_weights(const Tensor& w, Index group) {
  if (w.rank() < 3 || !is_8bit(w.dtype()) || group < 1 || w.dim(0) % group != 0) {
    return invalid_argument("w is int8 or uint8 [M, C/group, kernel...] with M a multiple of group; found " +
                            std::string(dtype_name(w.dtype())) + shape_text(w.shape()) + ", group " +
                            std::to_string(group));
  }
  return {};
}

Status ConvWeights::arrange(const Tensor& w) {
  const Index outputs = w.dim(0);
  const Index channels = w.dim(1);
  const Index taps = std::accumulate(w.shape().begin() + 2, w.shape().end(), Index{1}, std::multiplies<>());
  ASSAY_TRY(bytes_.reserve(w.size()));
  const auto* from = w.bytes();
  auto* to = bytes_.as<std::byte>();
  for (Index m = 0; m < outputs; ++m) {
    for (Index c = 0; c < channels; ++c) {
      for (Index tap = 0; tap < taps; ++tap) {
        to[(m * taps + tap) * channels + c] = *from++;
      }
    }
  }
  return {};
}

Status ConvWeights::pack(const Tensor& w, Index group, const kernels::GemmKernel& kernel) {
  ASSAY_TRY(check_conv_weights(w, group));
  is_signed_ = w.dtype() == DType::kInt8;
  ASSAY_TRY(arrange(w));
  const Index outputs = w.dim(0);
  const Index contraction = w.size() / std::max(outputs, Index{1});
  witnesses_.clear();
  packed_.resize(static_cast<std::size_t>(group));
  for (PackedMatrix& packed : packed_) {
    packed.k = contraction;
    packed.n = outputs / group;
  }
  for (Index g = 0; g < group; ++g) {
    ASSAY_TRY(pack_matrix(kernel, matrix(g), packed_[static_cast<std::size_t>(g)]));
  }
  bytes_ = ScratchBuffer();
  return {};
}

Status ConvWeights::make_witnesses(const Tensor& w) {
  if (witnesses_.size() == packed_.size()) {
    return {};
  }
  ASSAY_TRY(arrange(w));
  while (witnesses_.size() < packed_.size()) {
    witnesses_.emplace_back(matrix(static_cast<Index>(witnesses_.size())));
  }
  return {};
}

ByteMatrix ConvWeights::matrix(Index group) const {
  const PackedMatrix& shape = packed(group);
  return {.data = bytes_.as<std::byte>() + group * shape.n * shape.k,
          .rows = shape.k,
          .columns = shape.n,
          .row_stride_bytes = 1,
          .column_stride_bytes = shape.k,
          .is_signed = is_signed_};
}

}  // namespace assay::runtime
