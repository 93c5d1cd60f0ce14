// SPDX-License-Identifier: Apache-2.0
// Calibration samples of a case and of the command line, handed out one at a time.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "harness/spec/data/archive.h"
#include "harness/spec/data/file_source.h"
#include "harness/spec/data/generate.h"
#include "harness/spec/data/input_target.h"
#include "harness/spec/data/samples.h"

namespace assay::spec {
namespace {

namespace fs = std::filesystem;

// The samples of one input. Files are read once; everything else is made when its turn comes.
struct InputStream {
  Target target;
  Calibration calibration;
  std::optional<Tensor> stacked;
  SampleLayout layout;
  Index count = 0;

  Result<Tensor> sample(Index position) const;
};

Result<Tensor> InputStream::sample(Index position) const {
  if (stacked) {
    return cut_sample(*stacked, layout, position);
  }
  Target own = target;
  if (calibration.stacked) {
    ASSAY_ASSIGN(SourceTensor made, generate(*calibration.stacked, own, position));
    return std::move(made.tensor);
  }
  own.what += fmt::format(", calibration sample {}", position);
  own.seed_name += fmt::format("/{}", position);
  ASSAY_ASSIGN(SourceTensor made, make_tensor(calibration.samples[static_cast<std::size_t>(position)], own));
  return std::move(made.tensor);
}

Result<InputStream> open_stream(const Case& test_case, const ValueInfo& info, const Calibration& calibration) {
  InputStream stream;
  stream.target = input_target(test_case, info, false);
  stream.target.seed_name = test_case.name + "/calibration/" + info.name;
  stream.calibration = calibration;
  if (!calibration.stacked) {
    stream.count = static_cast<Index>(calibration.samples.size());
    return stream;
  }
  const DataSource& source = *calibration.stacked;
  const Element wanted = source.element.member("samples");
  const Index limit = wanted.exists() ? static_cast<Index>(std::min(wanted.json().get<double>(), 0x1p53)) : Index{0};
  if (is_generated(source)) {
    stream.count = limit;
    return stream;
  }
  Target whole;  // any shape: the samples are checked one by one
  whole.what = stream.target.what;
  whole.dtype = info.dtype;
  ASSAY_ASSIGN(SourceTensor loaded, make_tensor(source, whole));
  stream.stacked = std::move(loaded.tensor);
  Result<SampleLayout> layout = sample_layout(*stream.stacked, info);
  if (!layout.ok()) {
    return source.element.error(layout.error().message);
  }
  stream.layout = layout.value();
  stream.count = stream.layout.count;
  if (limit > stream.count) {
    return wanted.error(
        fmt::format("{}: {} samples are wanted, the data have {}", stream.target.what, limit, stream.count));
  }
  stream.count = limit > 0 ? limit : stream.count;
  return stream;
}

api::CalibrationSource source_of(std::vector<InputStream> streams, std::vector<std::string> names, Index count) {
  struct State {
    std::vector<InputStream> streams;
    std::vector<std::string> names;
    Index count = 0;
    Index next = 0;
  };
  auto state = std::make_shared<State>(State{std::move(streams), std::move(names), count, 0});
  return [state](api::NamedTensors& inputs) -> Result<bool> {
    if (state->next >= state->count) {
      return false;
    }
    inputs.clear();
    for (std::size_t i = 0; i < state->streams.size(); ++i) {
      ASSAY_ASSIGN(Tensor sample, state->streams[i].sample(state->next));
      inputs.emplace(state->names[i], std::move(sample));
    }
    ++state->next;
    return true;
  };
}

// Calibration on the inputs themselves: one sample.
Result<api::CalibrationSource> calibrate_on_inputs(const Case& test_case, const Graph& graph) {
  if (test_case.inputs.empty() && !graph.inputs.empty()) {
    return test_case.element.error("the case has neither 'calibration' nor 'inputs' to calibrate with");
  }
  ASSAY_ASSIGN(LoadedInputs inputs, load_inputs(test_case, graph, true));
  auto state = std::make_shared<std::pair<api::NamedTensors, bool>>(std::move(inputs.tensors), false);
  return api::CalibrationSource([state](api::NamedTensors& sample) -> Result<bool> {
    if (state->second) {
      return false;
    }
    sample = state->first;
    state->second = true;
    return true;
  });
}

struct CommonCount {
  Index count = -1;
  std::string name;

  Status add(const std::string& input, Index samples, const std::string& where) {
    if (count >= 0 && samples != count) {
      return invalid_argument(
          fmt::format("{}: calibration of '{}' has {} samples, that of '{}' {}", where, input, samples, name, count));
    }
    count = samples;
    name = input;
    return {};
  }
};

Result<api::CalibrationSource> open_npz(const std::string& path, const Graph& graph) {
  std::vector<InputStream> streams;
  std::vector<std::string> names;
  CommonCount common;
  for (const ValueInfo& info : graph.inputs) {
    InputStream stream;
    ASSAY_ASSIGN(stream.stacked, load_npz(path, info.name));
    if (info.dtype != DType::kUndefined && stream.stacked->dtype() != info.dtype) {
      return invalid_argument(fmt::format("{}: array '{}' is {}, the graph takes {}", path, info.name,
                                          dtype_name(stream.stacked->dtype()), dtype_name(info.dtype)));
    }
    Result<SampleLayout> layout = sample_layout(*stream.stacked, info);
    if (!layout.ok()) {
      return invalid_argument(path + ": " + layout.error().message);
    }
    stream.layout = layout.value();
    ASSAY_TRY(common.add(info.name, stream.layout.count, path));
    streams.push_back(std::move(stream));
    names.push_back(info.name);
  }
  return source_of(std::move(streams), std::move(names), std::max<Index>(common.count, 0));
}

// test_data_set_N of a folder, by N.
Result<std::vector<std::string>> data_sets(const std::string& folder) {
  constexpr std::string_view kPrefix = "test_data_set_";
  std::vector<std::pair<int, std::string>> found;
  std::error_code code;
  fs::directory_iterator entry(folder, code);
  for (const fs::directory_iterator end; !code && entry != end; entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    int number = 0;
    if (name.starts_with(kPrefix)) {
      const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
      if (error == std::errc() && rest == name.data() + name.size()) {
        found.emplace_back(number, entry->path().string());
      }
    }
  }
  if (code) {
    return io_error(fmt::format("{}: cannot be read: {}", folder, code.message()));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (auto& [number, path] : found) {
    paths.push_back(std::move(path));
  }
  if (paths.empty()) {
    return invalid_argument(fmt::format("{}: there is no test_data_set_N in this folder", folder));
  }
  return paths;
}

Result<api::CalibrationSource> open_data_sets(const std::string& folder, const Graph& graph) {
  ASSAY_ASSIGN(std::vector<std::string> paths, data_sets(folder));
  struct State {
    std::vector<std::string> paths;
    std::vector<ValueInfo> inputs;
    std::size_t next = 0;
  };
  auto state = std::make_shared<State>(State{std::move(paths), graph.inputs, 0});
  return api::CalibrationSource([state](api::NamedTensors& sample) -> Result<bool> {
    if (state->next >= state->paths.size()) {
      return false;
    }
    sample.clear();
    for (std::size_t i = 0; i < state->inputs.size(); ++i) {
      const std::string stem = state->paths[state->next] + fmt::format("/input_{}", i);
      std::error_code code;
      ASSAY_ASSIGN(Tensor tensor,
                   fs::exists(stem + ".npy", code) ? load_npy(stem + ".npy") : api::load_tensor_proto(stem + ".pb"));
      sample.emplace(state->inputs[i].name, std::move(tensor));
    }
    ++state->next;
    return true;
  });
}

}  // namespace

Result<api::CalibrationSource> open_calibration(const Case& test_case, const Graph& graph) {
  if (test_case.calibration.empty()) {
    return calibrate_on_inputs(test_case, graph);
  }
  const Element owner = test_case.element.member("calibration");
  std::vector<std::string> given;
  for (const auto& [name, calibration] : test_case.calibration) {
    given.push_back(name);
  }
  ASSAY_TRY(check_input_names(owner, given, graph));
  std::vector<InputStream> streams;
  CommonCount common;
  for (const auto& [name, calibration] : test_case.calibration) {
    const auto info = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                   [&, &wanted = name](const ValueInfo& input) { return input.name == wanted; });
    ASSAY_ASSIGN(InputStream stream, open_stream(test_case, *info, calibration));
    ASSAY_TRY(common.add(name, stream.count, owner.where()));
    streams.push_back(std::move(stream));
  }
  return source_of(std::move(streams), std::move(given), std::max<Index>(common.count, 0));
}

Result<std::map<std::pair<std::string, Index>, std::uint64_t>> calibration_seeds(const Case& test_case) {
  std::map<std::pair<std::string, Index>, std::uint64_t> seeds;
  for (const auto& [name, calibration] : test_case.calibration) {
    const std::string seed_name = test_case.name + "/calibration/" + name;
    if (calibration.stacked) {
      // The seeds of the samples follow one another: the first says all.
      if (const auto seed = seed_for(*calibration.stacked, seed_name, 0)) {
        seeds.emplace(std::pair(name, Index{0}), *seed);
      }
    }
    for (std::size_t i = 0; i < calibration.samples.size(); ++i) {
      if (const auto seed = seed_for(calibration.samples[i], fmt::format("{}/{}", seed_name, i), 0)) {
        seeds.emplace(std::pair(name, static_cast<Index>(i)), *seed);
      }
    }
  }
  return seeds;
}

Result<api::CalibrationSource> open_calibration_data(const std::string& path, const Graph& graph) {
  std::error_code code;
  if (fs::is_directory(path, code)) {
    return open_data_sets(path, graph);
  }
  if (!fs::exists(path, code)) {
    return io_error(fmt::format("{}: there is no such file or folder", path));
  }
  return open_npz(path, graph);
}

}  // namespace assay::spec
