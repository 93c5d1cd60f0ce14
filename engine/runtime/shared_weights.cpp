// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/shared_weights.h"

#include "engine/runtime/weight_cache.h"

namespace assay::runtime {
namespace {

// Never destroyed: sessions of static storage may end after any static destructor.
WeightCache<WeightLayout, PackedMatrices>& cache() {
  static auto* const kCache = new WeightCache<WeightLayout, PackedMatrices>;
  return *kCache;
}

}  // namespace

Result<std::shared_ptr<const PackedMatrices>> shared_weights(const Tensor& source, const WeightLayout& layout,
                                                             const std::function<Result<PackedMatrices>()>& pack) {
  return cache().get(source, layout, pack);
}

std::size_t shared_weight_count() { return cache().count(); }

}  // namespace assay::runtime
