// SPDX-License-Identifier: Apache-2.0
// The weights of a quantized convolution as right operands of matrix products, one per group, packed once.
#pragma once

#include <vector>

#include "engine/runtime/product_witness.h"
#include "engine/runtime/quantized_product.h"
#include "engine/runtime/shared_weights.h"

namespace assay::runtime {

class ConvWeights {
 public:
  // w: int8 or uint8 [M, C/group, kernel...]; rows in the order (kernel y, kernel x, channel) of channel-last patches.
  // Constant weights are shared with other sessions (shared_weights.h).
  // Error: another type or rank, or M that is no multiple of group.
  Status pack(const Tensor& w, Index group, const kernels::GemmKernel& kernel, bool is_constant = false);

  const PackedMatrix& packed(Index group) const {
    return (shared_ == nullptr ? packed_ : *shared_)[static_cast<std::size_t>(group)];
  }
  // Makes the witnesses of the groups, if there are none yet, from the w that was packed.
  Status make_witnesses(const Tensor& w);
  const WeightWitness& witness(Index group) const { return witnesses_[static_cast<std::size_t>(group)]; }

 private:
  Status arrange(const Tensor& w);
  Status pack_groups(const Tensor& w, Index group, const kernels::GemmKernel& kernel, PackedMatrices& out);
  // [contraction, M/group], not packed.
  ByteMatrix matrix(Index group) const;

  ScratchBuffer bytes_;  // [M, taps, C/group]; there while weights are packed, and kept for witnesses
  bool is_signed_ = true;
  Index groups_ = 1;
  Index group_outputs_ = 0;
  Index contraction_ = 0;
  PackedMatrices packed_;  // of weights that are no constants
  std::shared_ptr<const PackedMatrices> shared_;
  std::vector<WeightWitness> witnesses_;
};

// The error of ConvWeights::pack alone.
Status check_conv_weights(const Tensor& w, Index group);

}  // namespace assay::runtime
