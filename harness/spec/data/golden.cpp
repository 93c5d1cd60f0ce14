// SPDX-License-Identifier: Apache-2.0
// References that are stored values.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/spec/data/archive.h"
#include "harness/spec/data/values.h"
#include "harness/spec/data_source.h"
#include "harness/spec/nearest.h"
#include "harness/spec/sanitized_name.h"

namespace assay::spec {

Result<Tensor> as_declared(const Tensor& tensor, const ValueInfo& info) {
  if (info.dtype != DType::kBfloat16 || tensor.dtype() != DType::kUint16) {
    return tensor;
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(DType::kBfloat16, tensor.shape()));
  if (tensor.size() > 0) {
    std::memcpy(out.mutable_bytes(), tensor.bytes(), tensor.size_bytes());
  }
  return out;
}

namespace {

namespace fs = std::filesystem;

Result<Tensor> load_tensor_file(const std::string& path, const ValueInfo& output) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".npy") {
    return load_npy(path);
  }
  if (extension == ".pb") {
    ASSAY_ASSIGN(const Tensor tensor, api::load_tensor_proto(path));
    return as_declared(tensor, output);
  }
  return invalid_argument(fmt::format("golden output '{}': {} is neither .npy nor .pb", output.name, path));
}

Result<api::NamedTensors> of_folder(const std::string& folder, const Graph& graph) {
  api::NamedTensors outputs;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string& name = graph.outputs[i].name;
    const fs::path place(folder);
    const std::string numbered = (place / fmt::format("output_{}", i)).string();
    const std::string named = (place / (sanitized_name(name) + ".npy")).string();  // as `assay infer` writes it
    std::string file;
    for (const std::string& candidate : {numbered + ".npy", numbered + ".pb", named}) {
      std::error_code code;
      if (file.empty() && fs::exists(candidate, code)) {
        file = candidate;
      }
    }
    if (file.empty()) {
      return io_error(
          fmt::format("golden output '{}': there is none of {}.npy, {}.pb and {}", name, numbered, numbered, named));
    }
    ASSAY_ASSIGN(outputs[name], load_tensor_file(file, graph.outputs[i]));
  }
  return outputs;
}

Result<api::NamedTensors> of_archive(const std::string& path, const Graph& graph) {
  ASSAY_ASSIGN(const std::vector<std::string> keys, npz_keys(path));
  api::NamedTensors outputs;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string& name = graph.outputs[i].name;
    const std::string numbered = fmt::format("output_{}", i);
    const bool has_name = std::find(keys.begin(), keys.end(), name) != keys.end();
    if (!has_name && std::find(keys.begin(), keys.end(), numbered) == keys.end()) {
      return invalid_argument(fmt::format("golden output '{}': {} has neither '{}' nor '{}', only {}", name, path, name,
                                          numbered, fmt::join(keys, ", ")));
    }
    ASSAY_ASSIGN(outputs[name], load_npz(path, has_name ? name : numbered));
  }
  return outputs;
}

Result<api::NamedTensors> of_files(const std::vector<std::pair<std::string, std::string>>& files, const Graph& graph) {
  api::NamedTensors outputs;
  for (const auto& [name, file] : files) {
    const auto output = std::find_if(graph.outputs.begin(), graph.outputs.end(),
                                     [&, &wanted = name](const ValueInfo& info) { return info.name == wanted; });
    if (output == graph.outputs.end()) {
      std::vector<std::string> known;
      for (const ValueInfo& info : graph.outputs) {
        known.push_back(info.name);
      }
      return invalid_argument(fmt::format("golden: the model has no output '{}'; nearest known output is '{}'",
                                          shortened(name), nearest(name, known)));
    }
    ASSAY_ASSIGN(outputs[name], load_tensor_file(file, *output));
  }
  return outputs;
}

}  // namespace

Result<api::NamedTensors> load_golden(const GoldenReference& golden, const Graph& graph) {
  if (!golden.files.empty()) {
    return of_files(golden.files, graph);
  }
  const std::string extension = fs::path(golden.path).extension().string();
  std::error_code code;
  if (fs::is_directory(golden.path, code) || extension.empty()) {
    return of_folder(golden.path, graph);
  }
  if (extension == ".npz") {
    return of_archive(golden.path, graph);
  }
  if (graph.outputs.size() != 1) {
    return invalid_argument(fmt::format("golden: {} is one tensor, the model has {} outputs: name a file for each",
                                        golden.path, graph.outputs.size()));
  }
  return of_files({{graph.outputs.front().name, golden.path}}, graph);
}

bool has_golden_outputs(const std::string& folder) {
  std::error_code code;
  return fs::exists(fs::path(folder) / "output_0.pb", code) || fs::exists(fs::path(folder) / "output_0.npy", code);
}

Result<api::NamedTensors> reference_values(const ValuesReference& reference, const api::NamedTensors& actual) {
  api::NamedTensors outputs;
  for (const auto& [name, element] : reference.outputs) {
    const auto output = actual.find(name);
    if (output == actual.end()) {
      std::vector<std::string> known;
      for (const auto& [known_name, tensor] : actual) {
        known.push_back(known_name);
      }
      return element.key_error(fmt::format("the model has no output '{}'; nearest known output is '{}'",
                                           shortened(name), nearest(name, known)));
    }
    ASSAY_ASSIGN(const JsonValues values, read_values(element));
    const Shape& shape = values.nested_shape ? *values.nested_shape : output->second.shape();
    ASSAY_ASSIGN(Tensor tensor, tensor_of_values(element, values, output->second.dtype(), shape));
    outputs.emplace(name, std::move(tensor));
  }
  return outputs;
}

}  // namespace assay::spec
