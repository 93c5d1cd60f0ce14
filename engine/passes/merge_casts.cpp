// SPDX-License-Identifier: Apache-2.0
// A Cast that loses nothing before another Cast: the second can read what the first one reads.
#include <limits>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

enum class Kind { kNone, kBool, kInteger, kFloat };

// What a type can hold: integers of [-2^negative_bits, 2^bits) or floats with `bits` of precision.
struct TypeRange {
  Kind kind = Kind::kNone;
  int bits = 0;
  int exponent_bits = 0;
  bool is_signed = true;
};

TypeRange range_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return {.kind = Kind::kBool, .bits = 1, .is_signed = false};
    case DType::kUint8:
      return {.kind = Kind::kInteger, .bits = 8, .is_signed = false};
    case DType::kUint16:
      return {.kind = Kind::kInteger, .bits = 16, .is_signed = false};
    case DType::kUint32:
      return {.kind = Kind::kInteger, .bits = 32, .is_signed = false};
    case DType::kUint64:
      return {.kind = Kind::kInteger, .bits = 64, .is_signed = false};
    case DType::kInt8:
      return {.kind = Kind::kInteger, .bits = 7};
    case DType::kInt16:
      return {.kind = Kind::kInteger, .bits = 15};
    case DType::kInt32:
      return {.kind = Kind::kInteger, .bits = 31};
    case DType::kInt64:
      return {.kind = Kind::kInteger, .bits = 63};
    case DType::kFloat16:
      return {.kind = Kind::kFloat, .bits = 11, .exponent_bits = 5};
    case DType::kBfloat16:
      return {.kind = Kind::kFloat, .bits = 8, .exponent_bits = 8};
    case DType::kFloat32:
      return {.kind = Kind::kFloat, .bits = 24, .exponent_bits = 8};
    case DType::kFloat64:
      return {.kind = Kind::kFloat, .bits = 53, .exponent_bits = 11};
    default:
      return {};
  }
}

bool loses_nothing(DType from, DType to) {
  const TypeRange a = range_of(from);
  const TypeRange b = range_of(to);
  if (a.kind == Kind::kNone || b.kind == Kind::kNone || b.kind == Kind::kBool) {
    return from == to && a.kind != Kind::kNone;
  }
  if (a.kind == Kind::kFloat) {
    return b.kind == Kind::kFloat && b.bits >= a.bits && b.exponent_bits >= a.exponent_bits;
  }
  if (b.kind == Kind::kFloat) {
    return b.bits >= a.bits && (1 << (b.exponent_bits - 1)) > a.bits;
  }
  return b.bits >= a.bits && (b.is_signed || !a.is_signed);
}

// The second Cast gives the same from the first one's input. Integers that pass through a float may meet another rule
// for what does not fit.
bool can_skip(DType from, DType between, DType to) {
  if (!loses_nothing(from, between)) {
    return false;
  }
  const Kind first = range_of(from).kind;
  const bool same_kind = first == range_of(between).kind || first == Kind::kBool;
  return same_kind || loses_nothing(from, to);
}

}  // namespace

Result<Index> merge_casts(Graph& graph, const PassContext& context) {
  const FactTable facts(graph, context.inputs_checked);
  const auto is_cast = [](const Node& node) { return node.domain.empty() && node.op_type == "Cast"; };
  return rewrite_until_stable(graph, [&](Graph& g, const ValueIndex& index, std::size_t i) -> Result<bool> {
    const Node node = g.nodes[i];
    const Index maker = is_cast(node) ? index.producer(node.input(0)) : -1;
    if (maker < 0 || !is_cast(g.nodes[static_cast<std::size_t>(maker)])) {
      return false;
    }
    const std::string source = g.nodes[static_cast<std::size_t>(maker)].input(0);
    const DType from = facts.of(source).dtype;
    const DType to = facts.of(node.outputs[0]).dtype;
    if (to == DType::kUndefined || !can_skip(from, facts.of(node.input(0)).dtype, to)) {
      return false;
    }
    if (from == to && forward_value(g, index, node.outputs[0], source)) {
      return true;
    }
    g.nodes[i].inputs[0] = source;
    g.nodes[i].origin = "merge_casts";
    return true;
  });
}

}  // namespace assay::passes
