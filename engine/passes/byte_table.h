// SPDX-License-Identifier: Apache-2.0
// Tables of functions of one 8-bit value: each node of the function is computed for all 256 bytes at once.
#pragma once

#include <map>
#include <span>
#include <string>

#include "engine/passes/pass.h"

namespace assay::passes {

inline constexpr Index kBytes = 256;

// The values of a function's nodes for every byte of `source`, by name.
class ByteTable {
 public:
  struct Args {
    const Graph& graph;
    const Evaluator& evaluate;
    std::string source;  // the 8-bit value
    DType dtype;         // of the source: which number each byte stands for
  };
  explicit ByteTable(const Args& args);

  // Computes a node of values added before and constants. Constants among the inputs `scalars` have one element and
  // lose their dimensions, which would add some to the list of bytes. Errors: those of the operator.
  Status add(const Node& node, std::span<const std::size_t> scalars = {});

  // Of a value added before.
  const Tensor& at(const std::string& value) const { return values_.at(value); }

 private:
  const Graph& graph_;
  const Evaluator& evaluate_;
  std::map<std::string, Tensor> values_;
};

struct ByteLookupArgs {
  std::string name;
  std::string origin;  // the pass
  std::string source;
  std::string output;
  Tensor table;  // 256 elements
};

// A ByteLookup node with its table as an initializer of the graph.
Node make_byte_lookup(Graph& graph, const ByteLookupArgs& args);

}  // namespace assay::passes
