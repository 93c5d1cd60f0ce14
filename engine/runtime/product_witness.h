// SPDX-License-Identifier: Apache-2.0
// The saturation witness of quantized products: per channel, what the weights alone allow and what was seen.
#pragma once

#include <vector>

#include "engine/kernels/gemm/gemm_witness.h"
#include "engine/runtime/quantized_product.h"

namespace assay::runtime {

// A right operand of weights, a channel per column, examined once.
class WeightWitness {
 public:
  // b: s8, must outlive this.
  explicit WeightWitness(const ByteMatrix& b);

  // Adds what B alone allows to `info`, whose channels from first_channel on are B's columns: once per matrix and run.
  // The columns of every matrix of a stack have the same channels.
  void add_bounds(Index first_channel, SaturationInfo& info) const;
  // Adds the pair statistics of A (rows) x B to the same channels.
  void add(const ProductRows& rows, Index first_channel, SaturationInfo& info) const;

 private:
  kernels::PairRisks risks_;
  std::vector<kernels::PairBound> bounds_;  // per column
};

// The same where the weights are the rows of A (u8), a channel each, and B is computed. Blocks of rows with the same
// first_channel have the same weights.
void witness_weight_rows(const ProductRows& weights, const ByteMatrix& b, Index first_channel, SaturationInfo& info);

}  // namespace assay::runtime
