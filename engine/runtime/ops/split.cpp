// SPDX-License-Identifier: Apache-2.0
// Split along an axis: sizes by attribute (before opset 13), by input, or equal parts, the last one smaller where they
// do not come out even.
#include <algorithm>
#include <numeric>

#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

class Split final : public Operator {
 public:
  Split(Index axis, IndexList sizes, std::size_t outputs) : axis_(axis), sizes_(std::move(sizes)), outputs_(outputs) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& data = context.input(0);
    ASSAY_ASSIGN(const Index axis, normalize_axis(axis_, data.rank(), "axis"));
    const auto at = static_cast<std::size_t>(axis);
    ASSAY_ASSIGN(const IndexList sizes, part_sizes(context, data.dim(at)));
    const AxisSplit split = split_at(data.shape(), at);
    const std::size_t element = static_cast<std::size_t>(split.inner) * dtype_size_bytes(data.dtype());
    Index begin = 0;
    for (const Index size : sizes) {
      Shape shape = data.shape();
      shape[at] = size;
      ASSAY_ASSIGN(Tensor part, Tensor::allocate_uninitialized(data.dtype(), shape));
      const std::size_t chunk = static_cast<std::size_t>(size) * element;
      for (Index o = 0; o < split.outer && chunk > 0; ++o) {
        std::memcpy(part.mutable_bytes() + static_cast<std::size_t>(o) * chunk,
                    data.bytes() + static_cast<std::size_t>(o * split.length + begin) * element, chunk);
      }
      begin += size;
      outputs.push_back(std::move(part));
    }
    return {};
  }
  KernelInfo kernel() const override { return plain_kernel("move"); }

 private:
  Result<IndexList> part_sizes(const RunContext& context, Index length) const {
    IndexList sizes = sizes_;
    if (!context.input(1).empty()) {
      ASSAY_ASSIGN(sizes, index_list(context.input(1), "split"));
    }
    const auto parts = static_cast<Index>(outputs_);
    if (sizes.empty()) {
      const Index size = (length + parts - 1) / parts;
      for (Index i = 0; i < parts; ++i) {
        sizes.push_back(std::clamp(length - i * size, Index{0}, size));
      }
    }
    const bool negative = std::any_of(sizes.begin(), sizes.end(), [](Index size) { return size < 0; });
    if (negative || static_cast<Index>(sizes.size()) != parts ||
        std::accumulate(sizes.begin(), sizes.end(), Index{0}) != length) {
      return invalid_argument("split must hold " + std::to_string(parts) + " sizes that add up to " +
                              std::to_string(length) + "; found " + shape_text(sizes));
    }
    return sizes;
  }

  Index axis_;
  IndexList sizes_;
  std::size_t outputs_;
};

}  // namespace

OperatorResult prepare_split(const PrepareContext& context) {
  return OperatorResult(std::make_unique<Split>(context.node.int_attribute("axis", 0),
                                                context.node.ints_attribute("split"), context.node.outputs.size()));
}

}  // namespace assay::runtime
