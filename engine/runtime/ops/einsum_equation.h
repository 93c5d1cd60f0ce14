// SPDX-License-Identifier: Apache-2.0
// The equation of Einsum: one list of labels per operand and one for the output. The dimensions of an ellipsis get
// labels of their own, so that only labels remain.
#pragma once

#include <string>
#include <vector>

#include "engine/base/shape.h"

namespace assay::runtime {

struct EinsumEquation {
  std::vector<std::string> inputs;  // labels a-z, A-Z and '.' for an ellipsis
  std::string output;
  bool explicit_output = false;
};

// Errors: kInvalidModel for anything but labels, ",", "..." and one "->".
Result<EinsumEquation> parse_einsum(const std::string& equation);

// The equation for operands of given ranks: label numbers, one per dimension, and the size of each label.
struct EinsumPlan {
  std::vector<std::vector<std::size_t>> inputs;
  std::vector<std::size_t> output;
  std::vector<Index> sizes;  // by label number
};

// Without an explicit output, it holds the ellipsis and then the labels that occur once, in alphabetical order.
Result<EinsumPlan> plan_einsum(const EinsumEquation& equation, const std::vector<Shape>& shapes);

}  // namespace assay::runtime
