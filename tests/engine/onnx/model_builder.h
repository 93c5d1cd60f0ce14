// SPDX-License-Identifier: Apache-2.0
// Small ModelProtos to be spoilt by tests.
#pragma once

#include <onnx/onnx_pb.h>

#include <span>
#include <string>
#include <vector>

#include "engine/onnx/parse_model.h"
#include "engine/onnx/validate.h"

namespace assay::test {

inline void add_value(::onnx::ValueInfoProto& info, const std::string& name, int type, std::vector<Index> dims) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  auto& shape = *tensor.mutable_shape();
  for (const Index dim : dims) {
    shape.add_dim()->set_dim_value(dim);
  }
}

inline ::onnx::NodeProto& add_node(::onnx::ModelProto& model, const std::string& op_type,
                                   const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  ::onnx::NodeProto& node = *model.mutable_graph()->add_node();
  node.set_op_type(op_type);
  for (const std::string& input : inputs) {
    node.add_input(input);
  }
  for (const std::string& output : outputs) {
    node.add_output(output);
  }
  return node;
}

inline ::onnx::TensorProto& add_initializer(::onnx::ModelProto& model, const std::string& name, int type,
                                            const std::vector<Index>& dims) {
  ::onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const Index dim : dims) {
    tensor.add_dims(dim);
  }
  return tensor;
}

inline ::onnx::AttributeProto& add_attribute(::onnx::NodeProto& node, const std::string& name,
                                             ::onnx::AttributeProto::AttributeType type) {
  ::onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

inline void add_ints(::onnx::NodeProto& node, const std::string& name, const std::vector<Index>& values) {
  ::onnx::AttributeProto& attribute = add_attribute(node, name, ::onnx::AttributeProto::INTS);
  for (const Index value : values) {
    attribute.add_ints(value);
  }
}

// x[1,2,3,3] -> Conv 'conv' with w[2,2,1,1] -> y
inline ::onnx::ModelProto conv_model() {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  add_value(*graph.add_input(), "x", ::onnx::TensorProto::FLOAT, {1, 2, 3, 3});
  add_value(*graph.add_output(), "y", ::onnx::TensorProto::FLOAT, {1, 2, 3, 3});
  ::onnx::TensorProto& weight = add_initializer(model, "w", ::onnx::TensorProto::FLOAT, {2, 2, 1, 1});
  for (const float value : {1.0F, -2.0F, 0.5F, 3.0F}) {
    weight.add_float_data(value);
  }
  ::onnx::NodeProto& node = add_node(model, "Conv", {"x", "w"}, {"y"});
  node.set_name("conv");
  add_ints(node, "strides", {1, 1});
  return model;
}

// Parses and validates, as a load does.
inline Result<Graph> load_bytes(std::string_view bytes, const std::optional<std::string>& folder = std::nullopt) {
  ASSAY_ASSIGN(Graph graph, onnx::parse_model(std::as_bytes(std::span(bytes)), folder));
  ASSAY_TRY(onnx::validate_graph(graph));
  return graph;
}

inline Result<Graph> load_model(const ::onnx::ModelProto& model,
                                const std::optional<std::string>& folder = std::nullopt) {
  return load_bytes(model.SerializeAsString(), folder);
}

}  // namespace assay::test
