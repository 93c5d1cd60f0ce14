// SPDX-License-Identifier: Apache-2.0
// Conv over any number of spatial dimensions by plain loops, float32 and float64, summed in double: what the one- and
// two-dimensional operator does not take.
#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/ops/layer_operators.h"
#include "engine/runtime/ops/types.h"
#include "engine/runtime/ops/window_nd.h"

namespace assay::runtime {
namespace {

struct ConvNdSpec {
  WindowSpec window;
  Index group = 1;
};

template <typename T>
Result<Tensor> conv(const RunContext& context, const ConvNdSpec& spec) {
  const Tensor& x = context.input(0);
  const Tensor& w = context.input(1);
  const Tensor& bias = context.input(2);
  if (w.rank() < 3 || x.rank() != w.rank() || x.dim(1) != w.dim(1) * spec.group || w.dim(0) % spec.group != 0 ||
      (!bias.empty() && (bias.rank() != 1 || bias.size() != w.dim(0))) || w.dtype() != x.dtype()) {
    return invalid_argument("X [N, C, ...], W [M, C / group, ...] and B [M] do not fit with group " +
                            std::to_string(spec.group) + ": found " + shape_text(x.shape()) + ", " +
                            shape_text(w.shape()) + " and " + shape_text(bias.shape()));
  }
  if (!bias.empty()) {
    ASSAY_TRY(check_type(bias, "B", {x.dtype()}));
  }
  const IndexList kernel(w.shape().begin() + 2, w.shape().end());
  ASSAY_ASSIGN(const WindowNd window, resolve_window_nd(spec.window, x.shape(), kernel));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), window.output_shape({x.dim(0), w.dim(0)})));
  T* out = y.mutable_data<T>().data();
  const Index taps = window.taps();
  const Index plane = window.inputs();
  for (Index n = 0; n < x.dim(0); ++n) {
    for (Index m = 0; m < w.dim(0); ++m) {
      const Index first = m / (w.dim(0) / spec.group) * w.dim(1);
      const T* in = x.data<T>().data() + (n * x.dim(1) + first) * plane;
      const T* weights = w.data<T>().data() + m * w.dim(1) * taps;
      const double start = bias.empty() ? 0 : static_cast<double>(bias.data<T>()[static_cast<std::size_t>(m)]);
      for (Index o = 0; o < window.outputs(); ++o) {
        double sum = start;
        for_each_tap(window, o, [&](Index tap, Index element) {
          for (Index c = 0; c < w.dim(1); ++c) {
            sum += static_cast<double>(in[c * plane + element]) * static_cast<double>(weights[c * taps + tap]);
          }
        });
        *out++ = static_cast<T>(sum);
      }
    }
  }
  return y;
}

// The one- and two-dimensional operator for float32 images, plain loops for the rest.
class AnyConv final : public Operator {
 public:
  AnyConv(std::unique_ptr<Operator> fast, ConvNdSpec spec) : fast_(std::move(fast)), spec_(std::move(spec)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(0);
    last_fast_ = x.dtype() == DType::kFloat32 && (x.rank() == 3 || x.rank() == 4);
    if (last_fast_) {
      return fast_->run(context, outputs);
    }
    ASSAY_ASSIGN(Tensor y,
                 with_type(FloatTypes(), x.dtype(), "X", [&]<typename T>() { return conv<T>(context, spec_); }));
    context.multiply_accumulates = y.dim(1) == 0 ? 0 : y.size() * (context.input(1).size() / y.dim(1));
    outputs.push_back(std::move(y));
    return {};
  }
  bool takes_blocks() const override { return fast_->takes_blocks(); }
  bool makes_blocks() const override { return fast_->makes_blocks(); }
  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const std::size_t rank = context.blocks[0].empty() ? context.input(0).rank() : context.blocks[0].shape.size();
    if (rank != 3 && rank != 4) {
      return ChannelBlocks();
    }
    last_fast_ = true;
    return fast_->run_in_blocks(context);
  }
  bool owns_output() const override { return true; }
  KernelInfo kernel() const override { return last_fast_ ? fast_->kernel() : plain_kernel("float32"); }

 private:
  std::unique_ptr<Operator> fast_;
  ConvNdSpec spec_;
  bool last_fast_ = true;
};

}  // namespace

OperatorResult prepare_any_conv(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 3));
  const Tensor* weights = context.constant(1);
  const bool plane =
      weights == nullptr || ((weights->rank() == 3 || weights->rank() == 4) && weights->dtype() == DType::kFloat32);
  if (plane) {
    ASSAY_ASSIGN(auto fast, prepare_conv(context));
    ConvNdSpec spec;
    ASSAY_ASSIGN(spec.window, read_window_spec(context.node));
    spec.group = context.node.int_attribute("group", 1);
    return OperatorResult(std::make_unique<AnyConv>(std::move(fast), std::move(spec)));
  }
  ConvNdSpec spec;
  ASSAY_ASSIGN(spec.window, read_window_spec(context.node));
  spec.group = context.node.int_attribute("group", 1);
  if (spec.group < 1) {
    return invalid_model("group must be positive; found " + std::to_string(spec.group));
  }
  return make_operator(
      [spec](const RunContext& run) {
        return with_type(FloatTypes(), run.input(0).dtype(), "X", [&]<typename T>() { return conv<T>(run, spec); });
      },
      "float32");
}

}  // namespace assay::runtime
