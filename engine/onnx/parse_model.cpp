// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/parse_model.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>
#include <new>

#include "engine/onnx/attribute_proto.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"
#include "engine/onnx/validate.h"
#include "engine/onnx/versions.h"

namespace assay::onnx {
namespace {

using Folder = std::optional<std::string>;

// protobuf reports what it dislikes on stderr; the engine reports it in its Result.
void silence_protobuf() {
  static const bool kDone = [] {
    google::protobuf::SetLogHandler(nullptr);
    return true;
  }();
  static_cast<void>(kDone);
}

template <typename Message>
Status parse_bytes(std::span<const std::byte> bytes, Message& message, const std::string& kind) {
  silence_protobuf();
  if (bytes.empty()) {
    return invalid_model("is empty, not an ONNX " + kind);
  }
  if (bytes.size() > static_cast<std::size_t>(kMaxModelBytes)) {
    return unsupported("has " + std::to_string(bytes.size()) + " bytes; the most for one ONNX file is " +
                       std::to_string(kMaxModelBytes));
  }
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return invalid_model("is not an ONNX " + kind + ": its " + std::to_string(bytes.size()) +
                         " bytes are not a whole protobuf message");
  }
  return {};
}

Status check_utf8(const std::string& text, const std::string& what) {
  if (!is_utf8(text)) {
    return invalid_model(what + " '" + printable(text) + "' is not UTF-8");
  }
  return {};
}

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
  if (!proto.has_type()) {
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

Status convert_opsets(const ::onnx::ModelProto& model, Graph& graph) {
  for (const auto& opset : model.opset_import()) {
    ASSAY_TRY(check_utf8(opset.domain(), "domain"));
    const std::string domain = opset.domain() == "ai.onnx" ? "" : opset.domain();
    const auto [entry, added] = graph.opsets.emplace(domain, opset.version());
    if (!added && entry->second != opset.version()) {
      return invalid_model("domain '" + opset.domain() + "' is imported as version " + std::to_string(entry->second) +
                           " and as version " + std::to_string(opset.version()));
    }
  }
  return {};
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

Status check_model_parts(const ::onnx::ModelProto& model) {
  if (!model.has_ir_version() && !model.has_graph()) {
    return invalid_model("is not an ONNX model: it has neither an IR version nor a graph");
  }
  if (!model.has_graph() || !model.has_ir_version()) {
    return invalid_model(std::string("has no ") + (model.has_graph() ? "IR version" : "graph"));
  }
  if (model.functions_size() > 0) {
    return unsupported("function '" + printable(model.functions(0).name()) + "': model functions are not supported");
  }
  if (model.training_info_size() > 0) {
    return unsupported("training information is not supported");
  }
  return {};
}

Result<Graph> convert_model(::onnx::ModelProto& model, const Folder& folder) {
  ASSAY_TRY(check_model_parts(model));
  Graph graph;
  graph.ir_version = model.ir_version();
  ASSAY_TRY(check_ir_version(graph));  // first: a file of another version may have other parts
  ASSAY_TRY(convert_opsets(model, graph));
  for (const auto& entry : model.metadata_props()) {
    ASSAY_TRY(check_utf8(entry.key(), "metadata key"));
    ASSAY_TRY(check_utf8(entry.value(), "metadata value"));
    graph.metadata.emplace(entry.key(), entry.value());
  }
  ::onnx::GraphProto& proto = *model.mutable_graph();
  ASSAY_TRY(check_utf8(proto.name(), "graph name"));
  graph.name = proto.name();
  ASSAY_TRY(convert_initializers(proto, folder, graph));
  ASSAY_TRY(convert_values(proto, graph));
  for (int i = 0; i < proto.node_size(); ++i) {
    ASSAY_ASSIGN(Node node, convert_node(*proto.mutable_node(i), i, folder));
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

}  // namespace

Result<Graph> parse_model(std::span<const std::byte> bytes, const std::optional<std::string>& folder) {
  try {
    ::onnx::ModelProto model;
    ASSAY_TRY(parse_bytes(bytes, model, "model"));
    return convert_model(model, folder);
  } catch (const std::bad_alloc&) {
    return resource_error("there is not enough memory for the model");
  } catch (const std::exception& exception) {
    return internal_error(std::string("reading the model failed: ") + exception.what());
  }
}

Result<Tensor> parse_tensor(std::span<const std::byte> bytes) {
  try {
    ::onnx::TensorProto tensor;
    ASSAY_TRY(parse_bytes(bytes, tensor, "tensor"));
    return tensor_from_proto(tensor, std::nullopt, "tensor '" + printable(tensor.name()) + "'");
  } catch (const std::bad_alloc&) {
    return resource_error("there is not enough memory for the tensor");
  } catch (const std::exception& exception) {
    return internal_error(std::string("reading the tensor failed: ") + exception.what());
  }
}

}  // namespace assay::onnx
