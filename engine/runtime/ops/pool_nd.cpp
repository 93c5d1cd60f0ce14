// SPDX-License-Identifier: Apache-2.0
// Poolings by plain loops: MaxPool with Indices, MaxPool and AveragePool over other ranks and types than their kernels
// take, LpPool, and global poolings. Sums are accumulated in double. MaxPool's Indices count in the whole input;
// storage_order 1 counts a plane column by column.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/ops/layer_operators.h"
#include "engine/runtime/ops/types.h"
#include "engine/runtime/ops/window_nd.h"

namespace assay::runtime {
namespace {

// Position of a row-major element when the first spatial dimension runs fastest.
Index column_major(const WindowNd& window, Index element) {
  IndexList position(window.axes.size());
  for (std::size_t i = position.size(); i-- > 0;) {
    position[i] = element % window.axes[i].input;
    element /= window.axes[i].input;
  }
  Index out = 0;
  for (std::size_t i = position.size(); i-- > 0;) {
    out = out * window.axes[i].input + position[i];
  }
  return out;
}

using MaxTypes = Types<float, double, std::int8_t, std::uint8_t>;

class MaxPoolNd final : public Operator {
 public:
  MaxPoolNd(WindowSpec spec, bool column_order) : spec_(std::move(spec)), column_order_(column_order) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(0);
    ASSAY_ASSIGN(const WindowNd window, resolve_window_nd(spec_, x.shape(), spec_.kernel));
    return with_type(MaxTypes(), x.dtype(), "X", [&]<typename T>() { return pool<T>(x, window, outputs); });
  }
  KernelInfo kernel() const override { return plain_kernel("exact"); }

 private:
  template <typename T>
  Status pool(const Tensor& x, const WindowNd& window, std::vector<Tensor>& outputs) const {
    const Shape shape = window.output_shape({x.dim(0), x.dim(1)});
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), shape));
    ASSAY_ASSIGN(Tensor indices, Tensor::allocate_uninitialized(DType::kInt64, shape));
    T* out = y.mutable_data<T>().data();
    Index* index = indices.mutable_data<Index>().data();
    const Index plane = window.inputs();
    for (Index p = 0; p < x.dim(0) * x.dim(1); ++p) {
      const T* in = x.data<T>().data() + p * plane;
      for (Index o = 0; o < window.outputs(); ++o) {
        T best = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                      : std::numeric_limits<T>::lowest();
        Index at = -1;
        for_each_tap(window, o, [&](Index, Index element) {
          if (at < 0 || in[element] > best || in[element] != in[element]) {
            best = in[element];
            at = element;
          }
        });
        *out++ = best;
        *index++ = p * plane + (column_order_ ? column_major(window, at) : at);
      }
    }
    outputs.push_back(std::move(y));
    outputs.push_back(std::move(indices));
    return {};
  }

  WindowSpec spec_;
  bool column_order_;
};

// How many taps of window `o` count along one axis: those on the input, or with `include_pad` on input and pads.
Index counted(const WindowAxis& axis, Index o, bool include_pad) {
  if (!include_pad) {
    const TapRange taps = taps_inside(axis, o);
    return taps.end - taps.begin;
  }
  const Index room = axis.input + axis.pad_end + axis.pad_begin - 1 - o * axis.stride;
  return room < 0 ? 0 : std::min(axis.kernel, room / axis.dilation + 1);
}

template <typename T>
Result<Tensor> average_pool(const Tensor& x, const WindowSpec& spec, bool include_pad) {
  ASSAY_ASSIGN(const WindowNd window, resolve_window_nd(spec, x.shape(), spec.kernel));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), window.output_shape({x.dim(0), x.dim(1)})));
  T* out = y.mutable_data<T>().data();
  for (Index p = 0; p < x.dim(0) * x.dim(1); ++p) {
    const T* in = x.data<T>().data() + p * window.inputs();
    for (Index o = 0; o < window.outputs(); ++o) {
      double sum = 0;
      for_each_tap(window, o, [&](Index, Index element) { sum += static_cast<double>(in[element]); });
      Index count = 1;
      Index rest = o;
      for (std::size_t i = window.axes.size(); i-- > 0;) {
        count *= counted(window.axes[i], rest % window.axes[i].output, include_pad);
        rest /= window.axes[i].output;
      }
      *out++ = count == 0 ? T{0} : static_cast<T>(sum / static_cast<double>(count));
    }
  }
  return y;
}

template <typename T>
Result<Tensor> lp_pool(const Tensor& x, const WindowSpec& spec, Index p) {
  ASSAY_ASSIGN(const WindowNd window, resolve_window_nd(spec, x.shape(), spec.kernel));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), window.output_shape({x.dim(0), x.dim(1)})));
  T* out = y.mutable_data<T>().data();
  const auto power = static_cast<double>(p);
  for (Index plane = 0; plane < x.dim(0) * x.dim(1); ++plane) {
    const T* in = x.data<T>().data() + plane * window.inputs();
    for (Index o = 0; o < window.outputs(); ++o) {
      double sum = 0;
      for_each_tap(window, o,
                   [&](Index, Index element) { sum += std::pow(std::abs(static_cast<double>(in[element])), power); });
      *out++ = static_cast<T>(std::pow(sum, 1 / power));
    }
  }
  return y;
}

// The whole plane as one window.
template <typename T, typename F>
Result<Tensor> global_pool(const Tensor& x, const F& f) {
  if (x.rank() < 3) {
    return invalid_argument("X must be [N, C, spatial...]; found " + shape_text(x.shape()));
  }
  Shape shape(x.rank(), 1);
  shape[0] = x.dim(0);
  shape[1] = x.dim(1);
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), shape));
  const Index plane = dims_product(x.shape(), 2, x.rank());
  if (plane == 0) {
    return invalid_argument("X has no elements to pool: " + shape_text(x.shape()));
  }
  for (Index p = 0; p < y.size(); ++p) {
    y.mutable_data<T>()[static_cast<std::size_t>(p)] = f(x.data<T>().data() + p * plane, plane);
  }
  return y;
}

// The kernels' operator where it takes the input, else plain loops.
class ByRank final : public Operator {
 public:
  ByRank(std::unique_ptr<Operator> fast, std::unique_ptr<Operator> general, std::vector<DType> fast_types)
      : fast_(std::move(fast)), general_(std::move(general)), fast_types_(std::move(fast_types)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(0);
    const bool typed = std::find(fast_types_.begin(), fast_types_.end(), x.dtype()) != fast_types_.end();
    last_fast_ = typed && (x.rank() == 3 || x.rank() == 4);
    return (last_fast_ ? fast_ : general_)->run(context, outputs);
  }
  bool takes_blocks() const override { return fast_->takes_blocks(); }
  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const std::size_t rank = context.blocks[0].shape.size();
    if (rank != 3 && rank != 4) {
      return ChannelBlocks();
    }
    last_fast_ = true;
    return fast_->run_in_blocks(context);
  }
  KernelInfo kernel() const override { return last_fast_ ? fast_->kernel() : general_->kernel(); }

 private:
  std::unique_ptr<Operator> fast_;
  std::unique_ptr<Operator> general_;
  std::vector<DType> fast_types_;
  bool last_fast_ = true;
};

}  // namespace

OperatorResult prepare_any_max_pool(const PrepareContext& context) {
  ASSAY_ASSIGN(WindowSpec spec, read_pool_spec(context.node));
  const bool wants_indices = context.node.outputs.size() > 1 && !context.node.outputs[1].empty();
  auto general = std::make_unique<MaxPoolNd>(spec, context.node.int_attribute("storage_order", 0) != 0);
  if (wants_indices) {
    return OperatorResult(std::move(general));
  }
  ASSAY_ASSIGN(auto fast, prepare_max_pool(context));
  return OperatorResult(std::make_unique<ByRank>(std::move(fast), std::move(general),
                                                 std::vector<DType>{DType::kFloat32, DType::kInt8, DType::kUint8}));
}

OperatorResult prepare_any_average_pool(const PrepareContext& context) {
  ASSAY_ASSIGN(const WindowSpec spec, read_pool_spec(context.node));
  const bool include_pad = context.node.int_attribute("count_include_pad", 0) != 0;
  ASSAY_ASSIGN(auto general, make_operator(
                                 [spec, include_pad](const RunContext& run) {
                                   return with_type(FloatTypes(), run.input(0).dtype(), "X", [&]<typename T>() {
                                     return average_pool<T>(run.input(0), spec, include_pad);
                                   });
                                 },
                                 "float32"));
  ASSAY_ASSIGN(auto fast, prepare_average_pool(context));
  return OperatorResult(
      std::make_unique<ByRank>(std::move(fast), std::move(general), std::vector<DType>{DType::kFloat32}));
}

OperatorResult prepare_lp_pool(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  ASSAY_ASSIGN(const WindowSpec spec, read_pool_spec(context.node));
  const Index p = context.node.int_attribute("p", 2);
  if (p < 1) {
    return invalid_model("p must be positive; found " + std::to_string(p));
  }
  return make_operator(
      [spec, p](const RunContext& run) {
        return with_type(FloatTypes(), run.input(0).dtype(), "X",
                         [&]<typename T>() { return lp_pool<T>(run.input(0), spec, p); });
      },
      "float32");
}

OperatorResult prepare_global_lp_pool(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const auto power = static_cast<double>(context.node.int_attribute("p", 2));
  return make_operator(
      [power](const RunContext& run) {
        return with_type(FloatTypes(), run.input(0).dtype(), "X", [&]<typename T>() {
          return global_pool<T>(run.input(0), [&](const T* in, Index count) {
            double sum = 0;
            for (Index i = 0; i < count; ++i) {
              sum += std::pow(std::abs(static_cast<double>(in[i])), power);
            }
            return static_cast<T>(std::pow(sum, 1 / power));
          });
        });
      },
      "float32");
}

OperatorResult prepare_global_max_pool(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  return make_operator(
      [](const RunContext& run) {
        return with_type(MaxTypes(), run.input(0).dtype(), "X", [&]<typename T>() {
          return global_pool<T>(run.input(0),
                                [](const T* in, Index count) { return *std::max_element(in, in + count); });
        });
      },
      "float32");
}

}  // namespace assay::runtime
