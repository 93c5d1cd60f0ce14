// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/parse_model.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <new>

#include "engine/onnx/graph_proto.h"
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
  ASSAY_TRY(graph_from_proto(proto, folder, graph));
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
