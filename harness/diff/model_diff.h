// SPDX-License-Identifier: Apache-2.0
// What differs between two models: quantization parameters by tensor, nodes, constants.
//
// Tensors and nodes are paired by their names in the float model (engine/quantizer/inspect.h), so that models of two
// tools or formats can be compared, and a float model with its quantized one. A node without a namesake is paired by
// its first output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/inspect.h"

namespace assay::diff {

struct Tolerance {
  // Of scales and float constants: |b - a| <= scale * |a|, constants against their largest magnitude. Zero points and
  // types are exact. What is not finite equals only itself.
  double scale = 1e-6;
  Index steps = 0;  // of quantized constants: |b - a| of each integer
};

enum class Change { kChanged, kAdded, kRemoved };

// The largest relative difference of two lists of scales of equal length, and where.
struct ScaleChange {
  double largest = 0;  // (b - a) / a
  std::size_t at = 0;
  std::size_t count = 0;  // entries beyond the tolerance
};

struct Range {
  double min = 0;
  double max = 0;
};
// The real numbers that the type holds under entry `at` of the parameters: scale * (q - zero point) over all q. Empty
// for int32 and where no scale is stated.
std::optional<Range> stated_range(const api::StatedParams& params, std::size_t at);

struct TensorDiff {
  std::string tensor;
  Change change = Change::kChanged;
  std::optional<api::StatedParams> before;
  std::optional<api::StatedParams> after;
  bool type = false;       // differs
  bool layout = false;     // axis, number of scales, block size, computed at run time or not
  ScaleChange scale;       // count 0: equal
  ScaleChange zero_point;  // `largest` in steps
  Index values = 0;        // quantized constants that differ by more than the tolerance
  Index largest_step = 0;
  bool shape = false;  // of the quantized constants
  // For sorting: 1 is a change as large as the value itself; added, removed and another type come first.
  double weight = 0;
};

struct NodeDiff {
  std::string node;
  Change change = Change::kChanged;
  std::string op_before = {};  // "" where there is none
  std::string op_after = {};
  api::NodeArithmetic arithmetic_before = api::NodeArithmetic::kFloat;
  api::NodeArithmetic arithmetic_after = api::NodeArithmetic::kFloat;
  std::vector<std::string> details = {};  // "attribute strides: [1, 1] -> [2, 2]"
};

struct ConstantDiff {
  std::string name;
  Change change = Change::kChanged;
  std::string detail;
  double weight = 0;
};

struct ModelDiff {
  bool quantized_before = false;
  bool quantized_after = false;
  std::size_t tensors_compared = 0;  // with parameters in both
  std::size_t nodes_compared = 0;
  std::vector<TensorDiff> tensors;  // largest first
  std::vector<NodeDiff> nodes;      // in the order of the first model, added ones behind
  std::vector<ConstantDiff> constants;
  std::vector<std::string> interface;  // "input 'x': float32 [1, 3] -> ...", opsets
  // One is a float model and the other is quantized: every node of the float model, with what it became.
  std::vector<NodeDiff> became;
  bool equal() const { return tensors.empty() && nodes.empty() && constants.empty() && interface.empty(); }
};

ModelDiff compare_models(const api::Model& before, const api::Model& after, const Tolerance& tolerance);

std::string_view change_name(Change change);                       // "changed", "added", "removed"
std::string_view arithmetic_name(api::NodeArithmetic arithmetic);  // "integers", "float", "float, integer weights"

}  // namespace assay::diff
