// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "engine/api/quantize.h"
#include "harness/bench/family.h"
#include "harness/bench/session_row.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr int kCalibrationSamples = 8;

bool is_quantized(const api::Model& model) {
  return std::ranges::any_of(model.graph().nodes, [](const Node& node) { return node.op_type == "DequantizeLinear"; });
}

// Calibrated on noise: the accuracy is no matter here, the arithmetic is that of a real network.
Result<api::Model> quantized(const std::string& path) {
  ASSAY_ASSIGN(api::Model model, api::Model::load(path));
  if (is_quantized(model)) {
    return model;
  }
  const api::CalibrationSource source = [&](Index sample, api::NamedTensors& inputs) -> Result<bool> {
    for (const ValueInfo& info : model.graph().inputs) {
      Shape shape;
      std::ranges::transform(info.dims, std::back_inserter(shape),
                             [](const Dim& dim) { return dim.known() ? dim.size : 1; });
      ASSAY_ASSIGN(inputs[info.name], Tensor::allocate(DType::kFloat32, shape));
      fill_floats(inputs[info.name].mutable_data<float>(), static_cast<std::uint64_t>(sample), 0, 1);
    }
    return sample < kCalibrationSamples;
  };
  quantizer::Options options;
  options.per_channel = true;
  ASSAY_ASSIGN(api::QuantizeResult result, api::quantize(model, source, options));
  return std::move(result.model);
}

std::vector<std::filesystem::path> model_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".onnx") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

BenchmarkRows network_rows(const FamilyOptions& options) {
  BenchmarkRows rows;
  for (const std::filesystem::path& file : model_files(options.models_folder)) {
    const std::string path = file.string();
    const std::string name = file.stem().string();
    const ModelRun as_float{fmt::format("networks/{}/float", name), [path] { return api::Model::load(path); },
                            Compared::kRounding};
    const ModelRun as_int8{fmt::format("networks/{}/int8", name), [path] { return quantized(path); }, Compared::kBytes};
    for (const int threads : options.threads) {
      const Result<api::Model> model = api::Model::load(path);
      if (model.ok() && !is_quantized(model.value())) {
        rows.push_back(session_row(as_float, {best_isa(host_features()), Precision::kFast}, threads));
      }
      for (const Profile& profile : native_profiles()) {
        rows.push_back(session_row(as_int8, profile, threads));
      }
    }
  }
  return rows;
}

}  // namespace assay::bench
