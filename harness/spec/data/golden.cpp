// SPDX-License-Identifier: Apache-2.0
// References that are stored values.
#include <filesystem>

#include <fmt/format.h>

#include "harness/spec/data/values.h"
#include "harness/spec/data_source.h"
#include "harness/spec/nearest.h"

namespace assay::spec {

Result<api::NamedTensors> load_golden(const std::string& folder, const Graph& graph) {
  api::NamedTensors outputs;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string stem = (std::filesystem::path(folder) / fmt::format("output_{}", i)).string();
    std::error_code code;
    const bool npy = std::filesystem::exists(stem + ".npy", code);
    if (!npy && !std::filesystem::exists(stem + ".pb", code)) {
      return io_error(
          fmt::format("golden output '{}': there is neither {}.npy nor {}.pb", graph.outputs[i].name, stem, stem));
    }
    ASSAY_ASSIGN(Tensor tensor, npy ? load_npy(stem + ".npy") : api::load_tensor_proto(stem + ".pb"));
    outputs.emplace(graph.outputs[i].name, std::move(tensor));
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
