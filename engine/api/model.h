// SPDX-License-Identifier: Apache-2.0
// Loading, checking, saving and inspecting a model. Nothing here throws; every failure is an Error whose message names
// the node, operator and opset concerned.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/ir/graph.h"

namespace assay::api {

// A checked, immutable model; cheap to copy.
class Model {
 public:
  // Reads an ONNX file. Errors: kIo (missing, unreadable), kInvalidModel (not ONNX, breaks a rule, cyclic),
  // kUnsupported (an operator, opset, type or IR version this build does not have).
  static Result<Model> load(const std::string& path);
  static Result<Model> parse(std::span<const std::byte> bytes);
  // Takes a graph made in memory through the same checks as a file.
  static Result<Model> from_graph(Graph graph);

  // Tensors that one ONNX file cannot hold (2 GiB), or with `external_data` all but the smallest, go to PATH.data
  // beside it. On failure neither file is there in part.
  Status save(const std::string& path, bool external_data = false) const;
  Result<std::string> serialize() const;

  const Graph& graph() const { return *graph_; }

 private:
  explicit Model(Graph graph) : graph_(std::make_shared<const Graph>(std::move(graph))) {}
  std::shared_ptr<const Graph> graph_;
};

// One ONNX TensorProto (the .pb files of ONNX test data sets).
Result<Tensor> load_tensor_proto(const std::string& path);

// The files, relative to the model's folder, that hold its external data. Empty where the model cannot be read.
std::vector<std::string> external_data_files(const std::string& path);

// An operator this build runs, for `assay` listings and docs/operators.md.
struct OperatorInfo {
  std::string domain;
  std::string op_type;
  Index first_opset = 1;
  Index last_opset = 1;
};
std::vector<OperatorInfo> supported_operators();
// Names an attribute's ONNX type ("int", "float", "string", "ints", "floats", "strings", "tensor") for an operator this
// build knows, or "" if the operator or attribute is unknown. Case files use it to type inline attributes.
std::string attribute_type(const std::string& domain, const std::string& op_type, const std::string& attribute);

}  // namespace assay::api
