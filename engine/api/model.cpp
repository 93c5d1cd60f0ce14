// SPDX-License-Identifier: Apache-2.0
#include "engine/api/model.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/input_file.h"
#include "engine/base/output_file.h"
#include "engine/onnx/external_files.h"
#include "engine/onnx/parse_model.h"
#include "engine/onnx/schema.h"
#include "engine/onnx/serialize.h"
#include "engine/onnx/validate.h"
#include "engine/onnx/versions.h"

namespace assay::api {
namespace {

std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// Whether a regular file is there, or none yet.
bool names_regular_file(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

Error with_path(const std::string& path, const Error& error) {
  return {error.kind, "'" + path + "': " + error.message};
}

}  // namespace

Result<Model> Model::load(const std::string& path) {
  ASSAY_ASSIGN(std::string bytes, read_file(path, onnx::kMaxModelBytes));
  Result<Graph> graph = onnx::parse_model(as_bytes(bytes), std::filesystem::path(path).parent_path().string());
  bytes = {};
  if (!graph.ok()) {
    return with_path(path, graph.error());
  }
  Result<Model> model = from_graph(std::move(graph).value());
  return model.ok() ? std::move(model) : Result<Model>(with_path(path, model.error()));
}

Result<Model> Model::parse(std::span<const std::byte> bytes) {
  Result<Graph> graph = onnx::parse_model(bytes, std::nullopt);
  if (!graph.ok()) {
    return Error{graph.error().kind, "model: " + graph.error().message};
  }
  return from_graph(std::move(graph).value());
}

Result<Model> Model::from_graph(Graph graph) {
  ASSAY_TRY(onnx::validate_graph(graph));
  return Model(std::move(graph));
}

Status Model::save(const std::string& path, bool external_data) const {
  if (!external_data && !onnx::needs_external_data(*graph_)) {
    ASSAY_ASSIGN(const std::string bytes, serialize());
    return replace_file(path, bytes);
  }
  const std::string data_path = path + ".data";
  ASSAY_TRY(check_replaceable(path));
  if (!names_regular_file(path)) {
    return invalid_argument("'" + path + "': a model with external data needs a file of its own and a folder for both");
  }
  ASSAY_ASSIGN(const onnx::ExternalModel model,
               onnx::serialize_with_external_data(*graph_, std::filesystem::path(data_path).filename().string()));
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(data_path, ignored);
  ASSAY_TRY(replace_file(data_path, model.pieces));
  const Status written = replace_file(path, model.bytes);
  if (!written.ok() && is_new) {
    std::filesystem::remove(data_path, ignored);
  }
  return written;
}

Result<std::string> Model::serialize() const { return onnx::serialize_model(*graph_); }

std::vector<std::string> external_data_files(const std::string& path) {
  const Result<std::string> bytes = read_file(path, onnx::kMaxModelBytes);
  return bytes.ok() ? onnx::external_files(as_bytes(bytes.value())) : std::vector<std::string>();
}

Result<Tensor> load_tensor_proto(const std::string& path) {
  ASSAY_ASSIGN(const std::string bytes, read_file(path, onnx::kMaxModelBytes));
  Result<Tensor> tensor = onnx::parse_tensor(as_bytes(bytes));
  return tensor.ok() ? std::move(tensor) : Result<Tensor>(with_path(path, tensor.error()));
}

std::vector<OperatorInfo> supported_operators() {
  std::vector<OperatorInfo> operators;
  for (const onnx::OperatorSchema* schema : onnx::operator_schemas()) {
    const auto same = std::find_if(operators.begin(), operators.end(), [&](const OperatorInfo& info) {
      return info.domain == schema->domain && info.op_type == schema->op_type;
    });
    if (same == operators.end()) {
      operators.push_back({.domain = std::string(schema->domain),
                           .op_type = std::string(schema->op_type),
                           .first_opset = schema->first_opset,
                           .last_opset = schema->last_opset});
    } else {
      same->first_opset = std::min(same->first_opset, schema->first_opset);
      same->last_opset = std::max(same->last_opset, schema->last_opset);
    }
  }
  return operators;
}

std::string attribute_type(const std::string& domain, const std::string& op_type, const std::string& attribute) {
  for (const onnx::OperatorSchema* schema : onnx::operator_schemas()) {
    if (schema->domain != (domain == "ai.onnx" ? "" : domain) || schema->op_type != op_type) {
      continue;
    }
    for (const onnx::AttributeSchema& row : schema->attributes) {
      if (row.name == attribute) {
        return std::string(onnx::attribute_kind_name(row.kind));
      }
    }
  }
  return "";
}

}  // namespace assay::api
