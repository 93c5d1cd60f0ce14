// SPDX-License-Identifier: Apache-2.0
// TopK: the k largest or smallest elements along an axis in falling or rising order, with their positions. Equal
// elements: the lower position first.
#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/runtime/ops/reduce_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

struct TopKSpec {
  Index axis = -1;
  bool largest = true;
  std::optional<Index> k;  // of the attribute
};

class TopK final : public Operator {
 public:
  explicit TopK(TopKSpec spec) : spec_(spec) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(0);
    ASSAY_ASSIGN(const Index axis, normalize_axis(spec_.axis, x.rank(), "axis"));
    Index k = spec_.k.value_or(0);
    if (!spec_.k.has_value()) {
      ASSAY_ASSIGN(const IndexList list, index_list(context.input(1), "K"));
      if (list.size() != 1) {
        return invalid_argument("K must have one element; found " + shape_text(context.input(1).shape()));
      }
      k = list[0];
    }
    if (k < 0 || k > x.dim(static_cast<std::size_t>(axis))) {
      return invalid_argument("K must lie in [0, " + std::to_string(x.dim(static_cast<std::size_t>(axis))) +
                              "], the size of axis " + std::to_string(axis) + "; found " + std::to_string(k));
    }
    return with_type(NumberTypes(), x.dtype(), "X",
                     [&]<typename T>() { return top_k<T>(x, static_cast<std::size_t>(axis), k, outputs); });
  }
  KernelInfo kernel() const override { return plain_kernel("move"); }

 private:
  template <typename T>
  Status top_k(const Tensor& x, std::size_t axis, Index k, std::vector<Tensor>& outputs) const {
    const AxisSplit split = split_at(x.shape(), axis);
    Shape shape = x.shape();
    shape[axis] = k;
    ASSAY_ASSIGN(Tensor values, Tensor::allocate_uninitialized(x.dtype(), shape));
    ASSAY_ASSIGN(Tensor indices, Tensor::allocate_uninitialized(DType::kInt64, shape));
    const T* in = x.data<T>().data();
    T* value = values.mutable_data<T>().data();
    Index* index = indices.mutable_data<Index>().data();
    BlockVector<Index> order(static_cast<std::size_t>(split.length));
    for (Index o = 0; o < split.outer; ++o) {
      for (Index i = 0; i < split.inner; ++i) {
        const T* row = in + o * split.length * split.inner + i;
        std::iota(order.begin(), order.end(), Index{0});
        std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](Index a, Index b) {
          const T x_a = row[a * split.inner];
          const T x_b = row[b * split.inner];
          const bool before = spec_.largest ? x_a > x_b : x_a < x_b;
          const bool after = spec_.largest ? x_b > x_a : x_b < x_a;
          return before || (!after && a < b);
        });
        for (Index j = 0; j < k; ++j) {
          const Index at = (o * k + j) * split.inner + i;
          index[at] = order[static_cast<std::size_t>(j)];
          value[at] = row[index[at] * split.inner];
        }
      }
    }
    outputs.push_back(std::move(values));
    outputs.push_back(std::move(indices));
    return {};
  }

  TopKSpec spec_;
};

}  // namespace

OperatorResult prepare_top_k(const PrepareContext& context) {
  TopKSpec spec{.axis = context.node.int_attribute("axis", -1),
                .largest = context.node.int_attribute("largest", 1) != 0,
                .k = std::nullopt};
  if (context.node.has_attribute("k")) {
    spec.k = context.node.int_attribute("k", 0);
  }
  return OperatorResult(std::make_unique<TopK>(spec));
}

}  // namespace assay::runtime
