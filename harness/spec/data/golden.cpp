// SPDX-License-Identifier: Apache-2.0
// References that are stored values.
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

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

Result<api::NamedTensors> load_golden(const std::string& folder, const Graph& graph) {
  api::NamedTensors outputs;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string& name = graph.outputs[i].name;
    const std::filesystem::path place(folder);
    const std::string numbered = (place / fmt::format("output_{}", i)).string();
    const std::string named = (place / (sanitized_name(name) + ".npy")).string();  // as `assay infer` writes it
    std::error_code code;
    if (std::filesystem::exists(numbered + ".npy", code)) {
      ASSAY_ASSIGN(outputs[name], load_npy(numbered + ".npy"));
    } else if (std::filesystem::exists(numbered + ".pb", code)) {
      ASSAY_ASSIGN(const Tensor tensor, api::load_tensor_proto(numbered + ".pb"));
      ASSAY_ASSIGN(outputs[name], as_declared(tensor, graph.outputs[i]));
    } else if (std::filesystem::exists(named, code)) {
      ASSAY_ASSIGN(outputs[name], load_npy(named));
    } else {
      return io_error(
          fmt::format("golden output '{}': there is none of {}.npy, {}.pb and {}", name, numbered, numbered, named));
    }
  }
  return outputs;
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
