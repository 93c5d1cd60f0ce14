// SPDX-License-Identifier: Apache-2.0
// Graphs of a node or two for tests of the harness.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::run::test {

// y = Relu(x), float32, in the shape given.
inline Graph relu_graph(const std::vector<Dim>& dims) {
  Graph graph;
  graph.name = "relu";
  graph.opsets[""] = 13;
  graph.inputs = {{.name = "x", .dtype = DType::kFloat32, .has_shape = true, .dims = dims}};
  graph.outputs = {{.name = "y", .dtype = DType::kFloat32, .has_shape = true, .dims = dims}};
  graph.nodes = {{.name = "relu",
                  .op_type = "Relu",
                  .domain = "",
                  .inputs = {"x"},
                  .outputs = {"y"},
                  .attributes = {},
                  .origin = ""}};
  return graph;
}

// y = DequantizeLinear(QuantizeLinear(x)) with scale 0.5, then Flatten.
inline Graph qdq_graph() {
  Graph graph = relu_graph({{2, ""}, {3, ""}});
  graph.initializers["scale"] = Tensor::scalar(0.5F);
  graph.initializers["zero"] = Tensor::scalar(std::uint8_t{128});
  graph.nodes = {{.name = "q",
                  .op_type = "QuantizeLinear",
                  .domain = "",
                  .inputs = {"x", "scale", "zero"},
                  .outputs = {"xq"},
                  .attributes = {},
                  .origin = ""},
                 {.name = "dq",
                  .op_type = "DequantizeLinear",
                  .domain = "",
                  .inputs = {"xq", "scale", "zero"},
                  .outputs = {"xd"},
                  .attributes = {},
                  .origin = ""},
                 {.name = "flat",
                  .op_type = "Flatten",
                  .domain = "",
                  .inputs = {"xd"},
                  .outputs = {"y"},
                  .attributes = {},
                  .origin = ""}};
  return graph;
}

}  // namespace assay::run::test
