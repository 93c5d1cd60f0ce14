// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/serialize.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <new>

#include "engine/onnx/external_tensors.h"
#include "engine/onnx/graph_proto.h"
#include "engine/onnx/versions.h"

namespace assay::onnx {
namespace {

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

constexpr auto kMaxBytes = static_cast<std::size_t>(kMaxModelBytes);

Result<std::string> serialize(const Graph& graph, ExternalTensors* external) {
  if (external == nullptr && needs_external_data(graph)) {
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
  graph_to_proto(graph, *model.mutable_graph(), external);
  if (model.ByteSizeLong() > kMaxBytes) {
    return too_large(model.ByteSizeLong());
  }
  std::string bytes;
  if (!model.SerializeToString(&bytes)) {
    return internal_error("protobuf could not write the model");
  }
  return bytes;
}

// No exception of protobuf or of the allocator leaves here.
template <typename Write>
auto guarded(Write write) -> decltype(write()) {
  try {
    return write();
  } catch (const std::bad_alloc&) {
    return resource_error("there is not enough memory to write the model");
  } catch (const std::exception& exception) {
    return internal_error(std::string("writing the model failed: ") + exception.what());
  }
}

}  // namespace

Result<std::string> serialize_model(const Graph& graph) {
  return guarded([&] { return serialize(graph, nullptr); });
}

bool needs_external_data(const Graph& graph) { return tensor_bytes(graph) > kMaxBytes; }

Result<ExternalModel> serialize_with_external_data(const Graph& graph, const std::string& location) {
  return guarded([&]() -> Result<ExternalModel> {
    const auto tensors = std::make_shared<ExternalTensors>(location);
    ExternalModel model;
    ASSAY_ASSIGN(model.bytes, serialize(graph, tensors.get()));
    model.pieces = tensors->pieces();
    model.storage = tensors;
    return model;
  });
}

}  // namespace assay::onnx
