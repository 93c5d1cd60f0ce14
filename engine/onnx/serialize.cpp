// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/serialize.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <new>

#include "engine/onnx/attribute_proto.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/versions.h"

namespace assay::onnx {
namespace {

void add_value_info(const ValueInfo& info, ::onnx::ValueInfoProto& proto) {
  proto.set_name(info.name);
  if (info.dtype == DType::kUndefined) {
    return;
  }
  auto& tensor = *proto.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(dtype_to_proto(info.dtype));
  if (!info.has_shape) {
    return;
  }
  auto& shape = *tensor.mutable_shape();
  for (const Dim& dim : info.dims) {
    auto& out = *shape.add_dim();
    if (dim.known()) {
      out.set_dim_value(dim.size);
    } else if (!dim.name.empty()) {
      out.set_dim_param(dim.name);
    }
  }
}

void add_node(const Node& node, ::onnx::NodeProto& proto) {
  proto.set_name(node.name);
  proto.set_op_type(node.op_type);
  proto.set_domain(node.domain);
  proto.mutable_input()->Add(node.inputs.begin(), node.inputs.end());
  proto.mutable_output()->Add(node.outputs.begin(), node.outputs.end());
  for (const auto& [name, attribute] : node.attributes) {
    attribute_to_proto(name, attribute, *proto.add_attribute());
  }
}

void add_graph(const Graph& graph, ::onnx::GraphProto& proto) {
  proto.set_name(graph.name.empty() ? "graph" : graph.name);  // ONNX asks for a name
  for (const ValueInfo& input : graph.inputs) {
    add_value_info(input, *proto.add_input());
  }
  for (const ValueInfo& output : graph.outputs) {
    add_value_info(output, *proto.add_output());
  }
  for (const auto& [name, info] : graph.value_infos) {
    add_value_info(info, *proto.add_value_info());
  }
  for (const auto& [name, tensor] : graph.initializers) {
    auto& initializer = *proto.add_initializer();
    initializer.set_name(name);
    tensor_to_proto(tensor, initializer);
  }
  // Up to IR 3 an initializer is also a graph input; loading takes it out again.
  if (graph.ir_version < 4) {
    for (const auto& [name, tensor] : graph.initializers) {
      ValueInfo info{.name = name, .dtype = tensor.dtype(), .has_shape = true, .dims = {}};
      for (const Index dim : tensor.shape()) {
        info.dims.push_back({.size = dim, .name = {}});
      }
      add_value_info(info, *proto.add_input());
    }
  }
  for (const Node& node : graph.nodes) {
    add_node(node, *proto.add_node());
  }
}

bool has_assay_operators(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return node.domain == kAssayDomain; });
}

// A lower bound of the message's size, known before memory is spent on it.
std::size_t tensor_bytes(const Graph& graph) {
  std::size_t total = 0;
  for (const auto& [name, tensor] : graph.initializers) {
    total += tensor.size_bytes();
  }
  return total;
}

Error too_large(std::size_t bytes) {
  return unsupported("the model needs " + std::to_string(bytes) + " bytes; the most for one ONNX file is " +
                     std::to_string(kMaxModelBytes));
}

Result<std::string> serialize(const Graph& graph) {
  constexpr auto kMaxBytes = static_cast<std::size_t>(kMaxModelBytes);
  if (tensor_bytes(graph) > kMaxBytes) {
    return too_large(tensor_bytes(graph));
  }
  ::onnx::ModelProto model;
  model.set_ir_version(graph.ir_version);
  model.set_producer_name("assay");
  if (has_assay_operators(graph)) {
    model.set_doc_string(
        "Optimised by assay. Its operators of domain ai.assay have no ONNX function body: "
        "only assay runs this model.");
  }
  for (const auto& [domain, version] : graph.opsets) {
    auto& opset = *model.add_opset_import();
    opset.set_domain(domain);
    opset.set_version(version);
  }
  for (const auto& [key, value] : graph.metadata) {
    auto& entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
  add_graph(graph, *model.mutable_graph());
  if (model.ByteSizeLong() > kMaxBytes) {
    return too_large(model.ByteSizeLong());
  }
  std::string bytes;
  if (!model.SerializeToString(&bytes)) {
    return internal_error("protobuf could not write the model");
  }
  return bytes;
}

}  // namespace

Result<std::string> serialize_model(const Graph& graph) {
  try {
    return serialize(graph);
  } catch (const std::bad_alloc&) {
    return resource_error("there is not enough memory to write the model");
  } catch (const std::exception& exception) {
    return internal_error(std::string("writing the model failed: ") + exception.what());
  }
}

}  // namespace assay::onnx
