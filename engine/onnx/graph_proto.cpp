// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/graph_proto.h"

#include "engine/ir/subgraph.h"
#include "engine/onnx/attribute_proto.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"

namespace assay::onnx {
namespace {

using Folder = std::optional<std::string>;

std::string value_kind(const ::onnx::TypeProto& type) {
  switch (type.value_case()) {
    case ::onnx::TypeProto::kSequenceType:
      return "a sequence";
    case ::onnx::TypeProto::kMapType:
      return "a map";
    case ::onnx::TypeProto::kOptionalType:
      return "an optional";
    case ::onnx::TypeProto::kSparseTensorType:
      return "a sparse tensor";
    case ::onnx::TypeProto::kOpaqueType:
      return "an opaque type";
    case ::onnx::TypeProto::kTensorType:
    case ::onnx::TypeProto::VALUE_NOT_SET:
      break;
  }
  return "no tensor";
}

Result<Dim> convert_dim(const ::onnx::TensorShapeProto::Dimension& dim, const std::string& what) {
  Dim out;
  if (dim.has_dim_value()) {
    // -1 is widely written for an open dimension.
    if (dim.dim_value() < -1) {
      return invalid_model(what + " has dimension " + std::to_string(dim.dim_value()));
    }
    out.size = dim.dim_value();
  } else if (dim.has_dim_param()) {
    ASSAY_TRY(check_utf8(dim.dim_param(), what + ": dimension"));
    out.name = dim.dim_param();
  }
  return out;
}

// The value's type where it is a tensor of a type this build has; an error otherwise.
Result<ValueInfo> convert_value_info(const ::onnx::ValueInfoProto& proto, const std::string& kind) {
  ASSAY_TRY(check_utf8(proto.name(), "name of " + kind));
  const std::string what = kind + " '" + proto.name() + "'";
  ValueInfo info;
  info.name = proto.name();
  if (proto.type().value_case() == ::onnx::TypeProto::VALUE_NOT_SET) {  // exporters leave it empty in subgraphs
    return info;
  }
  if (!proto.type().has_tensor_type()) {
    return unsupported(what + " is " + value_kind(proto.type()) + "; only tensors are supported");
  }
  const auto& tensor = proto.type().tensor_type();
  info.dtype = dtype_from_proto(tensor.elem_type());
  if (info.dtype == DType::kUndefined && tensor.elem_type() != ::onnx::TensorProto::UNDEFINED) {
    return unsupported(what + ": data type " + proto_type_name(tensor.elem_type()) + " is not supported");
  }
  info.has_shape = tensor.has_shape();
  for (const auto& dim : tensor.shape().dim()) {
    ASSAY_ASSIGN(Dim converted, convert_dim(dim, what));
    info.dims.push_back(std::move(converted));
  }
  return info;
}

Result<Node> convert_node(::onnx::NodeProto& proto, int position, const Folder& folder) {
  ASSAY_TRY(check_utf8(proto.op_type(), "operator"));
  ASSAY_TRY(check_utf8(proto.domain(), "domain"));
  ASSAY_TRY(check_utf8(proto.name(), "node name"));
  Node node;
  node.name = proto.name();
  node.op_type = proto.op_type();
  node.domain = proto.domain();
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  const std::string what =
      node.op_type + " node " + (node.name.empty() ? "number " + std::to_string(position) : "'" + node.name + "'");
  for (const auto* names : {&node.inputs, &node.outputs}) {
    for (const std::string& name : *names) {
      ASSAY_TRY(check_utf8(name, what + ": value name"));
    }
  }
  for (auto& attribute : *proto.mutable_attribute()) {
    ASSAY_TRY(check_utf8(attribute.name(), what + ": attribute"));
    ASSAY_ASSIGN(Attribute value, attribute_from_proto(attribute, folder, what));
    if (!node.attributes.emplace(attribute.name(), std::move(value)).second) {
      return invalid_model(what + ": attribute '" + attribute.name() + "' is given twice");
    }
  }
  return node;
}

Status convert_initializers(::onnx::GraphProto& proto, const Folder& folder, Graph& graph) {
  if (proto.sparse_initializer_size() > 0) {
    return unsupported("sparse initializer '" + printable(proto.sparse_initializer(0).values().name()) +
                       "' is not supported");
  }
  for (auto& initializer : *proto.mutable_initializer()) {
    ASSAY_TRY(check_utf8(initializer.name(), "name of initializer"));
    ASSAY_ASSIGN(Tensor tensor, tensor_from_proto(initializer, folder, "initializer '" + initializer.name() + "'"));
    if (!graph.initializers.emplace(initializer.name(), std::move(tensor)).second) {
      return invalid_model("initializer '" + initializer.name() + "' is given twice");
    }
  }
  return {};
}

Status convert_values(const ::onnx::GraphProto& proto, Graph& graph) {
  for (const auto& input : proto.input()) {
    ASSAY_ASSIGN(ValueInfo info, convert_value_info(input, "graph input"));
    graph.inputs.push_back(std::move(info));
  }
  for (const auto& output : proto.output()) {
    ASSAY_ASSIGN(ValueInfo info, convert_value_info(output, "graph output"));
    graph.outputs.push_back(std::move(info));
  }
  for (const auto& value : proto.value_info()) {
    Result<ValueInfo> info = convert_value_info(value, "value");
    if (info.ok()) {
      const std::string name = info.value().name;
      graph.value_infos.emplace(name, std::move(info).value());
    } else if (info.error().kind != ErrorKind::kUnsupported) {  // a mere remark about a type this build lacks
      return info.error();
    }
  }
  return {};
}

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
  if (!node.origin.empty()) {
    proto.set_doc_string("made by assay's " + node.origin);
  }
  proto.mutable_input()->Add(node.inputs.begin(), node.inputs.end() - static_cast<std::ptrdiff_t>(node.captures));
  proto.mutable_output()->Add(node.outputs.begin(), node.outputs.end());
  for (const auto& [name, attribute] : node.attributes) {
    if (const GraphPtr* subgraph = std::get_if<GraphPtr>(&attribute)) {
      attribute_to_proto(name, std::make_shared<const Graph>(with_outer_names(**subgraph, node)),
                         *proto.add_attribute());
    } else {
      attribute_to_proto(name, attribute, *proto.add_attribute());
    }
  }
}

}  // namespace

Status check_utf8(const std::string& text, const std::string& what) {
  if (!is_utf8(text)) {
    return invalid_model(what + " '" + printable(text) + "' is not UTF-8");
  }
  return {};
}

Status graph_from_proto(::onnx::GraphProto& proto, const std::optional<std::string>& folder, Graph& graph) {
  ASSAY_TRY(check_utf8(proto.name(), "graph name"));
  graph.name = proto.name();
  ASSAY_TRY(convert_initializers(proto, folder, graph));
  ASSAY_TRY(convert_values(proto, graph));
  for (int i = 0; i < proto.node_size(); ++i) {
    ASSAY_ASSIGN(Node node, convert_node(*proto.mutable_node(i), i, folder));
    graph.nodes.push_back(std::move(node));
  }
  return {};
}

void graph_to_proto(const Graph& graph, ::onnx::GraphProto& proto, ExternalTensors* external) {
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
    tensor_to_proto(tensor, initializer, external);
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

}  // namespace assay::onnx
