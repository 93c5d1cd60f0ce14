// SPDX-License-Identifier: Apache-2.0
// com.microsoft.FusedConv: Y = activation(Conv(X, W, B) + Z). Relu, LeakyRelu and Clip on float32 images are part of
// the convolution; the rest is computed as the operators it stands for, and so is what meets a NaN before it clamps.
#include <optional>
#include <utility>

#include "engine/runtime/ops/contributed_operators.h"
#include "engine/runtime/ops/conv_epilogue.h"
#include "engine/runtime/window.h"

namespace assay::runtime {
namespace {

std::optional<ConvEpilogue> read_epilogue(const Node& node) {
  ConvEpilogue epilogue{.adds = !node.input(3).empty()};
  const std::string name = node.string_attribute("activation", "");
  const auto found = node.attributes.find("activation_params");
  const auto* given = found == node.attributes.end() ? nullptr : std::get_if<std::vector<float>>(&found->second);
  const std::vector<float> parameters = given == nullptr ? std::vector<float>() : *given;
  if (name.empty()) {
    return epilogue;
  }
  if (name == "Relu" || (name == "LeakyRelu" && parameters.size() == 1)) {
    epilogue.activation = ConvEpilogue::Activation::kLeakyRelu;
    epilogue.alpha = name == "Relu" ? 0 : parameters[0];
    return epilogue;
  }
  if (name == "Clip" && parameters.size() == 2 && parameters[0] <= parameters[1]) {
    epilogue.activation = ConvEpilogue::Activation::kClip;
    epilogue.low = parameters[0];
    epilogue.high = parameters[1];
    return epilogue;
  }
  return std::nullopt;
}

class FusedConv final : public Operator {
 public:
  FusedConv(std::unique_ptr<Operator> fast, std::unique_ptr<Operator> composed, WindowSpec spec, bool adds)
      : fast_(std::move(fast)), composed_(std::move(composed)), spec_(std::move(spec)), adds_(adds) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(last_fast_, suits(context, context.input(0).shape(), context.input(3).shape()));
    last_fast_ = last_fast_ && context.input(0).dtype() == DType::kFloat32 &&
                 (!adds_ || context.input(3).dtype() == DType::kFloat32) && !std::exchange(lost_nan_, false);
    if (last_fast_) {
      ASSAY_TRY(fast_->run(context, outputs));
      if (!context.lost_nan) {
        return {};
      }
      outputs.clear();
      last_fast_ = false;
      context.multiply_accumulates = 0;
    }
    return composed_->run(context, outputs);
  }

  bool takes_blocks() const override { return fast_->takes_blocks(); }
  bool makes_blocks() const override { return fast_->makes_blocks(); }

  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const auto shape = [&](std::size_t i) {
      const bool in_blocks = i < context.blocks.size() && !context.blocks[i].empty();
      return in_blocks ? context.blocks[i].shape : context.input(i).shape();
    };
    ASSAY_ASSIGN(const bool fits, suits(context, shape(0), shape(3)));
    const bool floats = !adds_ || !context.blocks[3].empty() || context.input(3).dtype() == DType::kFloat32;
    if (!fits || !floats) {
      return ChannelBlocks();
    }
    last_fast_ = true;
    ASSAY_ASSIGN(ChannelBlocks y, fast_->run_in_blocks(context));
    lost_nan_ = context.lost_nan;  // the executor then asks for rows
    return lost_nan_ ? ChannelBlocks() : std::move(y);
  }

  bool owns_output() const override { return true; }
  KernelInfo kernel() const override { return (last_fast_ ? fast_ : composed_)->kernel(); }

 private:
  // Whether it is a convolution over one or two dimensions, with a z of its result's shape.
  Result<bool> suits(const RunContext& context, const Shape& x, const Shape& z) const {
    const Tensor& w = context.input(1);
    if ((x.size() != 3 && x.size() != 4) || w.rank() != x.size() || w.dtype() != DType::kFloat32) {
      return false;
    }
    if (!adds_) {
      return true;
    }
    ASSAY_ASSIGN(const Window window, resolve_window(spec_, x, {w.shape().begin() + 2, w.shape().end()}));
    return window.output_shape({x[0], w.dim(0)}) == z;
  }

  std::unique_ptr<Operator> fast_;
  std::unique_ptr<Operator> composed_;
  WindowSpec spec_;
  bool adds_;
  bool last_fast_ = true;
  bool lost_nan_ = false;  // in blocks, of what is now to be computed in rows
};

}  // namespace

OperatorResult prepare_fused_conv(const PrepareContext& context) {
  ASSAY_ASSIGN(auto composed, prepare_composed_conv(context));
  const std::optional<ConvEpilogue> epilogue = read_epilogue(context.node);
  const Tensor* weights = context.constant(1);
  if (!epilogue.has_value() || weights == nullptr || (weights->rank() != 3 && weights->rank() != 4)) {
    return composed;
  }
  ASSAY_ASSIGN(auto fast, prepare_conv_with(context, *epilogue));
  ASSAY_ASSIGN(WindowSpec spec, read_window_spec(context.node));
  return OperatorResult(
      std::make_unique<FusedConv>(std::move(fast), std::move(composed), std::move(spec), epilogue->adds));
}

}  // namespace assay::runtime
