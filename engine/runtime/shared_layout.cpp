// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/shared_layout.h"

#include "engine/runtime/weight_cache.h"

namespace assay::runtime::onednn {
namespace {

struct Layout {
  std::ptrdiff_t offset = 0;  // in elements from the source's first
  dnnl::memory::desc at_hand;
  dnnl::memory::desc wanted;
  bool operator==(const Layout& other) const {
    return offset == other.offset && at_hand == other.at_hand && wanted == other.wanted;
  }
};

// Never destroyed: sessions of static storage may end after any static destructor.
WeightCache<Layout, dnnl::memory>& cache() {
  static auto* const kCache = new WeightCache<Layout, dnnl::memory>;
  return *kCache;
}

}  // namespace

SharedLayout::SharedLayout(dnnl::stream& stream, const ConstantWeights& weights, const dnnl::memory::desc& wanted) {
  const auto lay_out = [&]() -> Result<dnnl::memory> {
    dnnl::memory source = unbound(weights.at_hand);
    bind(source, weights.data);
    dnnl::memory made = LayoutChange::before(weights.at_hand, wanted).convert(stream, source);
    stream.wait();
    return made;
  };
  const Layout layout{
      .offset = weights.data - weights.source.data<float>().data(), .at_hand = weights.at_hand, .wanted = wanted};
  held_ = cache().get(weights.source, layout, lay_out).value();
  memory_ = dnnl::memory(wanted, engine(), held_->get_data_handle());
}

std::size_t shared_layout_count() { return cache().count(); }

}  // namespace assay::runtime::onednn
