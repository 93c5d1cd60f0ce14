// SPDX-License-Identifier: Apache-2.0
// Constant float32 weights in the layout of a oneDNN primitive, laid out once for all sessions of the process.
#pragma once

#include <memory>

#include "engine/ir/tensor.h"
#include "engine/runtime/onednn.h"

namespace assay::runtime::onednn {

// Weights at `data`, inside of the constant `source`.
struct ConstantWeights {
  const Tensor& source;
  const float* data = nullptr;
  dnnl::memory::desc at_hand;
};

// Laid out as another session has it, or by `stream`, which has ended it then. Not for weights that lie as they are
// wanted. Throws what oneDNN throws.
class SharedLayout {
 public:
  SharedLayout() = default;
  SharedLayout(dnnl::stream& stream, const ConstantWeights& weights, const dnnl::memory::desc& wanted);
  // Valid as long as this or a copy lives.
  const dnnl::memory& memory() const { return memory_; }

 private:
  std::shared_ptr<const dnnl::memory> held_;
  dnnl::memory memory_;  // on the bytes that are held
};

// How many somebody holds.
std::size_t shared_layout_count();

}  // namespace assay::runtime::onednn
