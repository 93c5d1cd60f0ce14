// SPDX-License-Identifier: Apache-2.0
// Q1 -> DQ1 -> Q2 -> DQ2 of one type becomes one pair. A pair shows the reals of its range
// [(qmin - zp) * scale, (qmax - zp) * scale]; two in a row show those of both ranges, so the new pair has
//   low = max(low1, low2),  high = min(high1, high2),  scale = (high - low) / (qmax - qmin),
//   zero point = round(qmin - low / scale), away from 0 at ties,
// in float32, as ONNX Runtime computes it. Equal parameters stay as they are.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/qdq_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

struct Parameters {
  float scale = 1;
  Index zero_point = 0;
};

std::optional<Parameters> intersect(const Quantization& a, const Quantization& b) {
  const IntegerRange range = dtype_integer_range(a.dtype);
  const auto real = [](Index q, const Quantization& of) {
    return static_cast<float>(q - of.zero_point_value()) * of.scale_value();
  };
  const float low = std::max(real(range.min, a), real(range.min, b));
  const float high = std::min(real(range.max, a), real(range.max, b));
  const float scale = (high - low) / static_cast<float>(range.max - range.min);
  if (!is_usable_scale(scale)) {  // the ranges share no more than a point
    return std::nullopt;
  }
  const float zero_point = std::round(static_cast<float>(range.min) - low / scale);
  if (!(zero_point >= static_cast<float>(range.min) && zero_point <= static_cast<float>(range.max))) {
    return std::nullopt;
  }
  return Parameters{.scale = scale, .zero_point = static_cast<Index>(zero_point)};
}

bool is_pair(const std::optional<Quantization>& quantize, const std::optional<Quantization>& dequantize) {
  return quantize.has_value() && dequantize.has_value() && is_8bit(quantize->dtype) &&
         same_parameters(*quantize, *dequantize);
}

void set_parameters(Graph& graph, Node& node, const Parameters& parameters, DType dtype) {
  const std::string base = node.name;
  node.inputs.resize(3);
  node.inputs[1] = add_initializer(graph, base + "_scale", Tensor::scalar(parameters.scale));
  node.inputs[2] =
      add_initializer(graph, base + "_zero_point",
                      dtype == DType::kInt8 ? Tensor::scalar(static_cast<std::int8_t>(parameters.zero_point))
                                            : Tensor::scalar(static_cast<std::uint8_t>(parameters.zero_point)));
  node.attributes.erase("output_dtype");  // the zero point has the type
  node.origin = "merge_double_qdq";
}

// The QuantizeLinear behind integers that one node reads.
std::optional<Quantization> quantize_before(const Graph& graph, const ValueIndex& index, const std::string& integers) {
  const Index maker = index.producer(integers);
  const bool alone = maker >= 0 && is_used_once(graph, index, integers);
  return alone ? match_quantize(graph, static_cast<std::size_t>(maker)) : std::nullopt;
}

// At DQ2, the last of the four.
Result<bool> merge_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  if (graph.nodes[i].op_type != "DequantizeLinear" || !graph.nodes[i].domain.empty()) {
    return false;
  }
  const auto last = match_activation(graph, index, graph.nodes[i].outputs[0]);
  const auto second = last ? quantize_before(graph, index, last->integers) : std::nullopt;
  if (!is_pair(second, last) || !is_used_once(graph, index, second->reals)) {
    return false;
  }
  const auto between = match_activation(graph, index, second->reals);
  const auto first = between ? quantize_before(graph, index, between->integers) : std::nullopt;
  if (!is_pair(first, between) || first->dtype != last->dtype || graph.constant(first->reals) != nullptr) {
    return false;
  }
  if (!same_parameters(*first, *last)) {
    const auto parameters = intersect(*first, *last);
    if (!parameters.has_value()) {
      return false;
    }
    set_parameters(graph, graph.nodes[first->node], *parameters, last->dtype);
    set_parameters(graph, graph.nodes[i], *parameters, last->dtype);
  }
  graph.nodes[i].inputs[0] = first->integers;
  return true;
}

}  // namespace

Result<Index> merge_double_qdq(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, merge_at);
}

}  // namespace assay::passes
