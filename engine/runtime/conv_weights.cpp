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

Status ConvWeights::pack(const Tensor& w, Index group, const kernels::GemmKernel& kernel, bool is_constant) {
  ASSAY_TRY(check_conv_weights(w, group));
  is_signed_ = w.dtype() == DType::kInt8;
  groups_ = group;
  group_outputs_ = w.dim(0) / group;
  contraction_ = w.size() / std::max(w.dim(0), Index{1});
  witnesses_.clear();
  shared_ = nullptr;
  if (!is_constant) {
    return pack_groups(w, group, kernel, packed_);
  }
  const auto pack_new = [&]() -> Result<PackedMatrices> {
    PackedMatrices made;
    ASSAY_TRY(pack_groups(w, group, kernel, made));
    return made;
  };
  ASSAY_ASSIGN(shared_,
               shared_weights(w, {.kernel = &kernel, .order = WeightOrder::kConvolution, .groups = group}, pack_new));
  return {};
}

Status ConvWeights::pack_groups(const Tensor& w, Index group, const kernels::GemmKernel& kernel, PackedMatrices& out) {
  ASSAY_TRY(arrange(w));
  out.resize(static_cast<std::size_t>(group));
  for (Index g = 0; g < group; ++g) {
    ASSAY_TRY(pack_matrix(kernel, matrix(g), out[static_cast<std::size_t>(g)]));
  }
  bytes_ = ScratchBuffer();
  return {};
}

Status ConvWeights::make_witnesses(const Tensor& w) {
  if (!witnesses_.empty()) {
    return {};
  }
  ASSAY_TRY(arrange(w));
  for (Index g = 0; g < groups_; ++g) {
    witnesses_.emplace_back(matrix(g));
  }
  return {};
}

ByteMatrix ConvWeights::matrix(Index group) const {
  return {.data = bytes_.as<std::byte>() + group * group_outputs_ * contraction_,
          .rows = contraction_,
          .columns = group_outputs_,
          .row_stride_bytes = 1,
          .column_stride_bytes = contraction_,
          .is_signed = is_signed_};
}

}  // namespace assay::runtime
