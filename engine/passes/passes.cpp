// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/ir/subgraph.h"
#include "engine/passes/all_passes.h"

namespace assay::passes {
namespace {

constexpr std::array<Pass, 16> kPasses = {{
    {"eliminate_identity", Level::kBasic, "Removes Identity nodes. Changes no value.", eliminate_identity},
    {"constant_folding", Level::kBasic,
     "Computes nodes whose inputs are constants, with the runtime's own operators in the profile scalar/exact. "
     "DequantizeLinear stays, since later passes need the integers behind it. Changes values only as far as float "
     "operators of the host differ from plain loops.",
     constant_folding},
    {"fold_batch_normalization", Level::kBasic,
     "Multiplies a BatchNormalization into the weights and bias of the Conv before it, in double. Results differ by "
     "float32 rounding.",
     fold_batch_normalization},
    {"s8_activation_to_u8", Level::kExtended,
     "For the profiles whose u8 x s8 product saturates (avx2 and avx512 in fast): int8 QuantizeLinear/DequantizeLinear "
     "pairs of activations become uint8 with zero point +128, as ONNX Runtime does on x86. Products of int8 weights "
     "then "
     "saturate in int16 pairs, and QLinearAdd, QLinearMul and QLinearAveragePool, whose zero point takes part in the "
     "rounding, can round a result close to a tie the other way.",
     s8_activation_to_u8},
    {"qdq_propagation", Level::kExtended,
     "Moves DequantizeLinear behind and QuantizeLinear before MaxPool, Reshape, Transpose, Flatten, Squeeze and "
     "Unsqueeze, so that these run on integers and fusions meet. Changes no value, but for a MaxPool over NaN.",
     qdq_propagation},
    {"drop_qdq_movement", Level::kExtended,
     "DequantizeLinear -> MaxPool, Reshape, Transpose, Flatten, Squeeze, Unsqueeze, Relu or Clip -> QuantizeLinear "
     "with "
     "equal parameters on both sides: the node runs on the integers, Relu and Clip as an integer Clip. Changes no "
     "value.",
     drop_qdq_movement},
    {"fuse_qdq_conv", Level::kExtended,
     "DequantizeLinear -> Conv [-> Relu, Clip] -> QuantizeLinear becomes QLinearConv, with the clamp in its "
     "requantization where the output's range does not clamp by itself. Float sums become exact integer sums (int16 "
     "pair sums saturate in some profiles), a float bias is rounded to int32: results differ by at most one step where "
     "nothing saturates.",
     fuse_qdq_conv},
    {"fuse_qdq_matmul", Level::kExtended,
     "DequantizeLinear -> MatMul [-> Relu, Clip] -> QuantizeLinear becomes QLinearMatMul. Numbers change as with "
     "fuse_qdq_conv.",
     fuse_qdq_matmul},
    {"fuse_qdq_gemm", Level::kExtended,
     "DequantizeLinear -> Gemm [-> Relu, Clip -> QuantizeLinear] becomes QGemm; without QuantizeLinear its output is "
     "float. Numbers change as with fuse_qdq_conv.",
     fuse_qdq_gemm},
    {"fuse_qdq_elementwise", Level::kExtended,
     "DequantizeLinear -> Add or Mul -> QuantizeLinear of one integer type becomes QLinearAdd or QLinearMul. They "
     "round "
     "once, zero point included: results differ by at most one step.",
     fuse_qdq_elementwise},
    {"fuse_qdq_pool", Level::kExtended,
     "DequantizeLinear -> AveragePool or GlobalAveragePool -> QuantizeLinear of one integer type becomes "
     "QLinearAveragePool or QLinearGlobalAveragePool. Results differ by at most one step.",
     fuse_qdq_pool},
    {"fuse_qdq_unary", Level::kExtended,
     "DequantizeLinear -> Sigmoid, LeakyRelu or Softmax -> QuantizeLinear of one integer type becomes QLinearSigmoid, "
     "QLinearLeakyRelu or QLinearSoftmax. Results differ by at most one step.",
     fuse_qdq_unary},
    {"fuse_qdq_lookup", Level::kExtended,
     "DequantizeLinear -> Tanh, Erf, Gelu, HardSwish, Sigmoid, LeakyRelu, alone or with Relu, Clip, Add, Sub, Mul and "
     "Div "
     "by scalar constants or by one another -> QuantizeLinear becomes ByteLookup, a table of the results for all 256 "
     "bytes. Changes no value.",
     fuse_qdq_lookup},
    {"fuse_qdq_concat", Level::kExtended,
     "DequantizeLinear -> Concat -> QuantizeLinear of one integer type becomes QLinearConcat. Changes no value.",
     fuse_qdq_concat},
    {"remove_redundant_qdq", Level::kExtended,
     "Removes DequantizeLinear -> QuantizeLinear with equal parameters. Changes no value.", remove_redundant_qdq},
    {"fuse_integer_clamp", Level::kExtended,
     "QLinearConv, QLinearMatMul or QGemm followed by Relu or Clip on its integers becomes one operator that clamps in "
     "its requantization. Changes no value.",
     fuse_integer_clamp},
}};

Status check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::none_of(kPasses.begin(), kPasses.end(), [&](const Pass& pass) { return pass.name == name; })) {
      std::string known;
      for (const Pass& pass : kPasses) {
        known += (known.empty() ? "" : ", ") + std::string(pass.name);
      }
      return invalid_argument("'" + name + "' is no optimisation pass; the passes are " + known);
    }
  }
  return {};
}

}  // namespace

std::span<const Pass> passes() { return kPasses; }

namespace {

using Applied = std::vector<std::pair<std::string, Index>>;

void add_applied(Applied& applied, const std::string& name, Index rewrites) {
  const auto found =
      std::find_if(applied.begin(), applied.end(), [&](const auto& entry) { return entry.first == name; });
  if (found == applied.end()) {
    applied.emplace_back(name, rewrites);
  } else {
    found->second += rewrites;
  }
}

// Subgraphs get the same passes, on graphs that hold the constants they use.
Status optimize_subgraphs(Graph& graph, const OptimizeOptions& options, Applied& applied) {
  for (Node& node : graph.nodes) {
    bind_constant_captures(graph, node);
    for (auto& [key, attribute] : node.attributes) {
      GraphPtr* subgraph = std::get_if<GraphPtr>(&attribute);
      if (subgraph == nullptr) {
        continue;
      }
      Graph inner = **subgraph;
      ASSAY_ASSIGN(const Applied inside, optimize(inner, options));
      for (const auto& [name, rewrites] : inside) {
        add_applied(applied, name, rewrites);
      }
      *subgraph = std::make_shared<const Graph>(std::move(inner));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::pair<std::string, Index>>> optimize(Graph& graph, const OptimizeOptions& options) {
  ASSAY_TRY(check_names(options.disabled));
  std::vector<std::pair<std::string, Index>> applied;
  if (options.level == Level::kNone) {
    return applied;
  }
  ASSAY_TRY(topological_sort(graph));
  remove_dead_nodes(graph);
  for (const Pass& pass : kPasses) {
    const bool disabled =
        std::find(options.disabled.begin(), options.disabled.end(), pass.name) != options.disabled.end();
    if (disabled || pass.first_level > options.level) {
      continue;
    }
    ASSAY_ASSIGN(const Index rewrites, pass.run(graph, options.context));
    if (rewrites > 0) {
      add_applied(applied, std::string(pass.name), rewrites);
    }
  }
  remove_dead_nodes(graph);
  ASSAY_TRY(optimize_subgraphs(graph, options, applied));
  return applied;
}

}  // namespace assay::passes
