// SPDX-License-Identifier: Apache-2.0
// What is certain about the values of a graph before it runs: element types, dimensions, and the elements of the small
// integer tensors that shapes are computed with. Taken from the graph's inputs, which every run checks, from constants
// and from the operators; what a file merely remarks about inner values is not believed.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::passes {

struct ValueFacts {
  DType dtype = DType::kUndefined;
  // Null where the rank is not known. An open dimension of a graph input has a name; the same name is the same size.
  std::optional<std::vector<Dim>> dims;
  // Of an int64 or int32 tensor of rank 0 or 1. A known or named element is that size, any other is not known.
  std::optional<std::vector<Dim>> elements;

  std::optional<Index> rank() const;
  bool all_dims_known() const;
};

bool same_dim(const Dim& a, const Dim& b);
bool same_dims(const ValueFacts& a, const ValueFacts& b);

// A list of sizes as a Reshape's target: all of them, or -1 for the only one that is open where no other is 0. Null
// where that cannot be said.
std::optional<std::vector<Index>> reshape_target(const std::vector<Dim>& dims);

class FactTable {
 public:
  // `inputs_checked`: runs refuse graph inputs that do not fit their declaration; not so for subgraphs.
  FactTable(const Graph& graph, bool inputs_checked);
  // Of a value as the graph was; nothing is known of values made since.
  const ValueFacts& of(const std::string& value) const;
  bool is_float(const std::string& value) const { return of(value).dtype == DType::kFloat32; }

 private:
  std::unordered_map<std::string, ValueFacts> facts_;
};

}  // namespace assay::passes
