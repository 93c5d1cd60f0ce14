// SPDX-License-Identifier: Apache-2.0
// What will be quantized and how: the decisions, made once for both formats.
//
// 1. In the order of the graph: compute nodes (Conv, Add, ...) that are asked for and can be quantized are; their
//    activation inputs and outputs are then quantized values. Nodes that move or clamp (MaxPool, Reshape, Relu, ...)
//    follow where their input is a quantized value by then.
// 2. A value that a shared-parameter node makes takes the parameters of that node's input, unless it has an override.
// 3. ReluPolicy decides about clamps. A value that only a quantized clamp uses has the range of the clamp's output.
//
// A value that a float node (or the caller) makes stays float for float consumers; one that a quantized node makes is
// seen by everyone as its quantized self.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/quantizer/clamp.h"
#include "engine/quantizer/eligibility.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/range_arithmetic.h"
#include "engine/quantizer/range_table.h"

namespace assay::quantizer {

enum class Treatment {
  kFloat,        // left as it is
  kQuantized,    // quantized inputs, quantized output
  kFoldedClamp,  // vanishes: the producer's quantization takes its output's parameters
  kFusedClamp,   // between a quantized node and the quantization of its result, with no quantization in front
};

// A chain of fused clamps behind a quantized node.
struct FusedClamp {
  ClampBounds bounds;  // of the whole chain
  std::string output;  // the value behind the last of them, which is quantized
};

struct NodePlan {
  Treatment treatment = Treatment::kFloat;
  std::string reason;               // why it is float, or what became of its clamp
  std::optional<FusedClamp> clamp;  // of a quantized node
  Operands operands;                // of a quantized node or clamp
};

struct ActivationPlan {
  QuantParams params;
  ValueRange range;
  std::string source;  // the value whose parameters these are: itself, or the one it shares with
};

struct Plan {
  std::vector<NodePlan> nodes;                        // as graph.nodes
  std::map<std::string, ActivationPlan> activations;  // by value; constants that are quantized like activations too
  std::map<std::string, std::string> merged;          // values in front of a folded clamp -> the value behind it
  std::vector<std::string> warnings;
  ValueTypes types;

  // The value that stands for `value` once folded clamps are gone.
  const std::string& carrier(const std::string& value) const;
};

// The graph is sorted, float and of opset 13 or later. Errors (kInvalidArgument): a value that is quantized has no
// usable range, named with the reason; an override on an activation that only a weight can have.
Result<Plan> make_plan(const Graph& graph, const RangeTable& ranges, const Options& options);

// The values whose ranges make_plan() needs: all that decide a scale. The graph is as there; null where its options
// are wrong.
std::optional<std::set<std::string>> asked_ranges(const Graph& graph, const Options& options);

}  // namespace assay::quantizer
