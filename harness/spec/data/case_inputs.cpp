// SPDX-License-Identifier: Apache-2.0
// The inputs and the data set of a case, matched with the inputs of the graph.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "harness/spec/data/input_target.h"
#include "harness/spec/nearest.h"

namespace assay::spec {

Target input_target(const Case& test_case, const ValueInfo& info, bool first_axis_free) {
  Target target;
  target.what = fmt::format("input '{}'", info.name);
  target.dtype = info.dtype;
  target.has_shape = info.has_shape;
  target.dims = info.dims;
  target.first_axis_free = first_axis_free && !info.dims.empty();
  target.seed_name = test_case.name + "/" + info.name;
  return target;
}

Status check_input_names(const Element& owner, const std::vector<std::string>& given, const Graph& graph) {
  std::vector<std::string> known;
  for (const ValueInfo& info : graph.inputs) {
    known.push_back(info.name);
  }
  for (const std::string& name : given) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string hint =
          known.empty() ? "it has none" : fmt::format("nearest known input is '{}'", nearest(name, known));
      return owner.member(name).key_error(fmt::format("the model has no input '{}'; {}", shortened(name), hint));
    }
  }
  for (const std::string& name : known) {
    if (std::find(given.begin(), given.end(), name) == given.end()) {
      return owner.error(fmt::format("input '{}' of the model is not given", name));
    }
  }
  return {};
}

namespace {

using Sources = std::vector<std::pair<std::string, DataSource>>;

Result<LoadedInputs> load_sources(const Case& test_case, const Element& owner, const Sources& sources,
                                  const Graph& graph, bool first_axis_free) {
  std::vector<std::string> given;
  for (const auto& [name, source] : sources) {
    given.push_back(name);
  }
  ASSAY_TRY(check_input_names(owner, given, graph));
  LoadedInputs loaded;
  for (const ValueInfo& info : graph.inputs) {
    const auto source =
        std::find_if(sources.begin(), sources.end(), [&](const auto& entry) { return entry.first == info.name; });
    ASSAY_ASSIGN(SourceTensor made, make_tensor(source->second, input_target(test_case, info, first_axis_free)));
    loaded.tensors.emplace(info.name, std::move(made.tensor));
    if (made.seed) {
      loaded.seeds.emplace(info.name, *made.seed);
    }
  }
  return loaded;
}

// The member, or the whole case where it is missing: somewhere for a message to point to.
Element owner_of(const Case& test_case, const std::string& key) {
  const Element member = test_case.element.member(key);
  return member.exists() ? member : test_case.element;
}

}  // namespace

Result<LoadedInputs> load_inputs(const Case& test_case, const Graph& graph, bool batched) {
  if (!test_case.test_data.empty()) {
    LoadedInputs loaded;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const ValueInfo& input = graph.inputs[i];
      const std::string stem = (std::filesystem::path(test_case.test_data) / fmt::format("input_{}", i)).string();
      std::error_code code;
      const bool numpy = std::filesystem::exists(stem + ".npy", code);
      ASSAY_ASSIGN(const Tensor tensor, numpy ? load_npy(stem + ".npy") : api::load_tensor_proto(stem + ".pb"));
      ASSAY_ASSIGN(loaded.tensors[input.name], as_declared(tensor, input));
    }
    return loaded;
  }
  return load_sources(test_case, owner_of(test_case, "inputs"), test_case.inputs, graph, batched);
}

Result<LoadedDataset> load_dataset(const Case& test_case, const Graph& graph) {
  const Element owner = owner_of(test_case, "dataset");
  if (!test_case.dataset) {
    return owner.error("the case has no data set");
  }
  ASSAY_ASSIGN(LoadedInputs inputs,
               load_sources(test_case, owner.member("inputs"), test_case.dataset->inputs, graph, true));
  LoadedDataset dataset;
  dataset.inputs = std::move(inputs.tensors);
  dataset.seeds = std::move(inputs.seeds);
  std::string first;
  for (const auto& [name, tensor] : dataset.inputs) {
    if (tensor.rank() == 0) {
      return owner.error(fmt::format("input '{}' is a scalar: there is no axis of samples", name));
    }
    if (first.empty()) {
      first = name;
      dataset.samples = tensor.dim(0);
    } else if (tensor.dim(0) != dataset.samples) {
      return owner.error(
          fmt::format("input '{}' has {} samples, input '{}' has {}", name, tensor.dim(0), first, dataset.samples));
    }
  }
  Target target;
  target.what = "labels";
  target.dtype = DType::kInt64;
  target.has_shape = true;
  target.dims = {Dim{dataset.samples, ""}};
  target.seed_name = test_case.name + "/labels";
  ASSAY_ASSIGN(SourceTensor labels, make_tensor(test_case.dataset->labels, target));
  dataset.labels = std::move(labels.tensor);
  return dataset;
}

}  // namespace assay::spec
