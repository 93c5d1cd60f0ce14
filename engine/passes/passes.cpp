// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/ir/subgraph.h"
#include "engine/passes/all_passes.h"

namespace assay::passes {
namespace {

constexpr std::array<Pass, 41> kPasses = {{
    {"eliminate_identity", Level::kBasic, "Removes Identity nodes. Changes no value.", eliminate_identity},
    {"eliminate_dropout", Level::kBasic,
     "Removes Dropout that drops nothing: no training_mode, or a ratio of 0, and no reader of its mask. Changes no "
     "value.",
     eliminate_dropout},
    {"merge_double_qdq", Level::kBasic,
     "QuantizeLinear -> DequantizeLinear twice in a row in one 8-bit type becomes one pair for the range that both can "
     "show, as ONNX Runtime does. Values are rounded once instead of twice, in steps no larger than the smaller of the "
     "two, and the range ends within half a step of theirs: results differ by at most the sum of both steps. Equal "
     "parameters: changes no value.",
     merge_double_qdq},
    {"shape_folding", Level::kBasic,
     "Sizes that are certain before a run become constants: Shape, Size and what computes with them, and the target of "
     "a Reshape with one open dimension. Changes no value.",
     shape_folding},
    {"constant_folding", Level::kBasic,
     "Computes nodes whose inputs are constants, with the runtime's own operators in the profile scalar/exact. "
     "DequantizeLinear stays, since later passes need the integers behind it. Changes values only as far as float "
     "operators of the host differ from plain loops.",
     constant_folding},
    {"extreme_to_clip", Level::kBasic,
     "Max or Min of a value and a float32 constant of one element, perhaps behind DequantizeLinear, becomes Clip. "
     "Changes no value.",
     extreme_to_clip},
    {"merge_casts", Level::kBasic,
     "Cast -> Cast where the first loses nothing becomes one Cast, or none. Changes no value.", merge_casts},
    {"merge_slices", Level::kBasic, "Slice -> Slice along other axes becomes one Slice. Changes no value.",
     merge_slices},
    {"fold_pad", Level::kBasic,
     "Pad with zeros before Conv or AveragePool, or with -infinity before MaxPool, becomes their own padding. Sums may "
     "be formed in another order: results differ by float32 rounding.",
     fold_pad},
    {"fold_batch_normalization", Level::kBasic,
     "Multiplies a BatchNormalization into the weights and bias of the Conv before it, in double. Results differ by "
     "float32 rounding.",
     fold_batch_normalization},
    {"fold_conv_affine", Level::kBasic,
     "Multiplies Mul and Div by a constant per output channel after Conv into its weights and bias, and adds that of "
     "Add and Sub to its bias, in double. Results differ by float32 rounding.",
     fold_conv_affine},
    {"matmul_add_to_gemm", Level::kBasic,
     "MatMul of two matrices -> Add of a constant row becomes Gemm. Changes no value.", matmul_add_to_gemm},
    {"sink_transposes", Level::kBasic,
     "Moves Transpose behind element-wise operators towards the next Transpose, and one of two equal ones behind the "
     "operator that joins them. Changes no value.",
     sink_transposes},
    {"merge_transposes", Level::kBasic, "Transpose -> Transpose becomes one Transpose, or none. Changes no value.",
     merge_transposes},
    {"transpose_to_reshape", Level::kBasic,
     "A Transpose that only moves dimensions of 1 becomes Reshape. Changes no value.", transpose_to_reshape},
    {"merge_reshapes", Level::kBasic,
     "Reshape, Flatten, Squeeze and Unsqueeze of one another become one Reshape. Changes no value.", merge_reshapes},
    {"eliminate_no_op", Level::kBasic,
     "Removes Cast to the same type, Reshape, Flatten, Squeeze, Unsqueeze, Expand and Slice that keep the shape, "
     "Transpose in order, Concat, Sum, Max and Min of one operand, Pad by nothing, Tile by 1, and multiplication by 1, "
     "division by 1 and subtraction of 0. Changes no value.",
     eliminate_no_op},
    {"common_subexpressions", Level::kBasic,
     "Nodes of one operator with equal attributes and operands become one node. Changes no value by itself; int8 "
     "activations that then fan out stay int8, as with s8_activation_to_u8.",
     common_subexpressions},
    {"s8_activation_to_u8", Level::kExtended,
     "For the profiles whose u8 x s8 product saturates (avx2 and avx512 in fast): int8 QuantizeLinear/DequantizeLinear "
     "pairs of activations become uint8 with zero point +128, as ONNX Runtime does on x86. Products of int8 weights "
     "then saturate in int16 pairs, and QLinearAdd, QLinearMul and QLinearAveragePool, whose zero point takes part in "
     "the rounding, can round a result close to a tie the other way.",
     s8_activation_to_u8},
    {"qdq_propagation", Level::kExtended,
     "Moves DequantizeLinear behind and QuantizeLinear before MaxPool, Reshape, Transpose, Flatten, Squeeze, "
     "Unsqueeze, Slice, DepthToSpace and SpaceToDepth, so that these run on integers and fusions meet. Changes no "
     "value, but for a MaxPool over NaN.",
     qdq_propagation},
    {"drop_qdq_movement", Level::kExtended,
     "DequantizeLinear -> operator -> QuantizeLinear with equal parameters on both sides: DepthToSpace, Expand, "
     "Flatten, Gather, GatherElements, MaxPool, Pad, ReduceMax, ReduceMin, Reshape, Resize (nearest, not "
     "tf_crop_and_resize), Slice, SpaceToDepth, Squeeze, Tile, Transpose and Unsqueeze run on the integers, Relu and "
     "Clip as an integer Clip. Changes no value.",
     drop_qdq_movement},
    {"drop_qdq_split", Level::kExtended,
     "DequantizeLinear -> Split -> QuantizeLinear with equal parameters on all sides: Split runs on the integers. "
     "Changes no value.",
     drop_qdq_split},
    {"drop_dq_argmax", Level::kExtended,
     "DequantizeLinear -> ArgMax or ArgMin: it runs on the integers. Changes no value.", drop_dq_argmax},
    {"fuse_qdq_conv", Level::kExtended,
     "DequantizeLinear -> Conv [-> Relu, Clip] -> QuantizeLinear becomes QLinearConv, with the clamp in its "
     "requantization where the output's range does not clamp by itself. Float sums become exact integer sums (int16 "
     "pair sums saturate in some profiles), a float bias is rounded to int32: results differ by at most one step where "
     "nothing saturates. ONNX Runtime 1.32 leaves Conv -> Relu or Clip -> QuantizeLinear in float where the Relu or "
     "Clip does more than the output's range, so that pairs saturate here alone.",
     fuse_qdq_conv},
    {"fuse_qdq_matmul", Level::kExtended,
     "DequantizeLinear -> MatMul [-> Relu, Clip] -> QuantizeLinear becomes QLinearMatMul, without QuantizeLinear "
     "MatMulIntegerToFloat, whose output is float. Numbers change as with fuse_qdq_conv.",
     fuse_qdq_matmul},
    {"fuse_qdq_gemm", Level::kExtended,
     "DequantizeLinear -> Gemm [-> Relu, Clip -> QuantizeLinear] becomes QGemm; without QuantizeLinear its output is "
     "float. Numbers change as with fuse_qdq_conv.",
     fuse_qdq_gemm},
    {"fuse_qdq_elementwise", Level::kExtended,
     "DequantizeLinear -> Add or Mul -> QuantizeLinear of one integer type becomes QLinearAdd or QLinearMul. They "
     "round once, zero point included: results differ by at most one step.",
     fuse_qdq_elementwise},
    {"fuse_qdq_pool", Level::kExtended,
     "DequantizeLinear -> AveragePool or GlobalAveragePool -> QuantizeLinear of one integer type becomes "
     "QLinearAveragePool or QLinearGlobalAveragePool. Results differ by at most one step; with ceil_mode and "
     "count_include_pad, windows that reach beyond the pads are divided by the whole kernel, as in ONNX Runtime, and "
     "differ by more.",
     fuse_qdq_pool},
    {"fuse_qdq_unary", Level::kExtended,
     "DequantizeLinear -> Sigmoid, LeakyRelu or Softmax -> QuantizeLinear of one integer type becomes QLinearSigmoid, "
     "QLinearLeakyRelu or QLinearSoftmax. Results differ by at most one step.",
     fuse_qdq_unary},
    {"fuse_qdq_lookup", Level::kExtended,
     "DequantizeLinear -> Tanh, Erf, Gelu, HardSwish, Sigmoid, LeakyRelu, Relu, Clip, Sub or Div by a scalar constant, "
     "alone or with Add, Sub, Mul and Div by scalar constants or by one another -> QuantizeLinear becomes ByteLookup, "
     "a table of the results for all 256 bytes. Changes no value.",
     fuse_qdq_lookup},
    {"fuse_qdq_concat", Level::kExtended,
     "DequantizeLinear -> Concat -> QuantizeLinear of one integer type becomes QLinearConcat. Changes no value.",
     fuse_qdq_concat},
    {"fuse_qdq_where", Level::kExtended,
     "DequantizeLinear -> Where -> QuantizeLinear of one integer type becomes QLinearWhere; one branch may be a "
     "constant of one element. Changes no value.",
     fuse_qdq_where},
    {"remove_redundant_qdq", Level::kExtended,
     "Removes DequantizeLinear -> QuantizeLinear with equal parameters. Changes no value.", remove_redundant_qdq},
    {"fuse_integer_clamp", Level::kExtended,
     "QLinearConv, QLinearMatMul or QGemm followed by Relu or Clip on its integers becomes one operator that clamps in "
     "its requantization. Changes no value.",
     fuse_integer_clamp},
    {"fold_integer_pad", Level::kExtended,
     "Pad with the zero point before QLinearConv becomes its own padding. Changes no value.", fold_integer_pad},
    {"fuse_matmul_integer_to_float", Level::kExtended,
     "MatMulInteger -> Cast -> Mul by A's and B's scale [-> Add of a row] becomes MatMulIntegerToFloat. Changes no "
     "value.",
     fuse_matmul_integer_to_float},
    {"fuse_dynamic_quantize_matmul", Level::kExtended,
     "DynamicQuantizeLinear -> MatMulIntegerToFloat becomes DynamicQuantizeMatMul. Changes no value.",
     fuse_dynamic_quantize_matmul},
    {"fuse_conv_add", Level::kExtended,
     "Conv -> Add of a value of the same shape becomes FusedConv, which adds before it writes. Results "
     "differ by float32 rounding where oneDNN chooses another implementation for it, else not at all.",
     fuse_conv_add},
    {"fuse_conv_activation", Level::kExtended,
     "Conv or FusedConv -> Relu, LeakyRelu or Clip becomes one FusedConv. Numbers change as with fuse_conv_add.",
     fuse_conv_activation},
    {"fuse_byte_functions", Level::kExtended,
     "Two or more of QLinearAdd, QLinearMul, QLinearLeakyRelu, QLinearSigmoid, ByteLookup, and Clip and Relu on "
     "integers, on one 8-bit value and constants of one element become ByteLookup, a table of the results for all 256 "
     "bytes; not in the profile sse41. Changes no value.",
     fuse_byte_functions},
    {"fuse_elementwise", Level::kExtended,
     "Two or more float32 Add, Sub, Mul, Div, Clip, Relu and LeakyRelu on one value and constants of one element "
     "become ElementwiseChain, which passes over memory once. Changes no value.",
     fuse_elementwise},
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

// A node that a pass made out of one that an earlier pass had made names both. A node keeps its name through rewrites.
class Provenance {
 public:
  explicit Provenance(const Graph& graph) {
    for (const Node& node : graph.nodes) {
      if (!node.origin.empty()) {
        before_.emplace(node.name, node.origin);
      }
    }
  }
  void add_to(Graph& graph, std::string_view pass) const {
    for (Node& node : graph.nodes) {
      const auto found = node.origin == pass ? before_.find(node.name) : before_.end();
      if (found != before_.end() && found->second != pass) {
        node.origin = found->second + ", " + std::string(pass);
      }
    }
  }

 private:
  std::unordered_map<std::string, std::string> before_;
};

// Subgraphs get the same passes, on graphs that hold the constants they use.
Status optimize_subgraphs(Graph& graph, const OptimizeOptions& options, Applied& applied) {
  OptimizeOptions inner_options = options;
  inner_options.context.inputs_checked = false;
  for (Node& node : graph.nodes) {
    bind_constant_captures(graph, node);
    for (auto& [key, attribute] : node.attributes) {
      GraphPtr* subgraph = std::get_if<GraphPtr>(&attribute);
      if (subgraph == nullptr) {
        continue;
      }
      Graph inner = **subgraph;
      ASSAY_ASSIGN(const Applied inside, optimize(inner, inner_options));
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
    const Provenance provenance(graph);
    ASSAY_ASSIGN(const Index rewrites, pass.run(graph, options.context));
    if (rewrites > 0) {
      provenance.add_to(graph, pass.name);
      add_applied(applied, std::string(pass.name), rewrites);
    }
  }
  remove_dead_nodes(graph);
  ASSAY_TRY(optimize_subgraphs(graph, options, applied));
  return applied;
}

}  // namespace assay::passes
