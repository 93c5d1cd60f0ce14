// SPDX-License-Identifier: Apache-2.0
// Calibration samples of a case and of the command line, handed out one at a time.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "harness/spec/data/array_stream.h"
#include "harness/spec/data/file_source.h"
#include "harness/spec/data/generate.h"
#include "harness/spec/data/input_target.h"
#include "harness/spec/data/samples.h"

namespace assay::spec {
namespace {

namespace fs = std::filesystem;

// The samples of one input. Arrays in files are read sample by sample, a stacked source of another form once;
// everything else is made when its turn comes.
struct InputStream {
  Target target;
  Calibration calibration;
  std::optional<Tensor> stacked;
  std::shared_ptr<ArrayStream> file;
  SampleLayout layout;
  Index count = 0;

  Result<Tensor> sample(Index position) const;
};

Result<Tensor> InputStream::sample(Index position) const {
  if (file) {
    ASSAY_ASSIGN(Tensor row, file->row(position));
    if (calibration.stacked) {
      ASSAY_ASSIGN(row, converted(*calibration.stacked, std::move(row)));
      ASSAY_ASSIGN(row, of_target_type(*calibration.stacked, target, std::move(row)));
    }
    return row.reshaped(sample_shape(file->shape(), layout));
  }
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
  ASSAY_ASSIGN(std::optional<ArrayStream> file, open_file_source(source, whole));
  if (file) {
    // What the rows come to is said before any is read.
    ASSAY_ASSIGN(Tensor nothing, Tensor::allocate(file->dtype(), {0}));
    ASSAY_ASSIGN(nothing, converted(source, std::move(nothing)));
    ASSAY_TRY(of_target_type(source, whole, std::move(nothing)));
    stream.file = std::make_shared<ArrayStream>(std::move(*file));
  } else {
    ASSAY_ASSIGN(SourceTensor loaded, make_tensor(source, whole));
    stream.stacked = std::move(loaded.tensor);
  }
  Result<SampleLayout> layout = sample_layout(stream.file ? stream.file->shape() : stream.stacked->shape(), info);
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
  };
  auto state = std::make_shared<const State>(State{std::move(streams), std::move(names), count});
  return [state](Index position, api::NamedTensors& inputs) -> Result<bool> {
    if (position >= state->count) {
      return false;
    }
    for (std::size_t i = 0; i < state->streams.size(); ++i) {
      ASSAY_ASSIGN(Tensor sample, state->streams[i].sample(position));
      inputs.emplace(state->names[i], std::move(sample));
    }
    return true;
  };
}

// Calibration on the inputs themselves: one sample.
Result<api::CalibrationSource> calibrate_on_inputs(const Case& test_case, const Graph& graph) {
  if (test_case.inputs.empty() && test_case.test_data.empty() && !graph.inputs.empty()) {
    return test_case.element.error("the case has neither 'calibration' nor 'inputs' to calibrate with");
  }
  ASSAY_ASSIGN(LoadedInputs inputs, load_inputs(test_case, graph, true));
  return api::CalibrationSource(
      [only = std::move(inputs.tensors)](Index position, api::NamedTensors& sample) -> Result<bool> {
        if (position > 0) {
          return false;
        }
        sample = only;
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

// The samples of one input, stacked in an array of a file.
Result<InputStream> stacked_stream(const std::string& path, ArrayStream file, const ValueInfo& info) {
  if (info.dtype != DType::kUndefined && file.dtype() != info.dtype) {
    return invalid_argument(fmt::format("{}: array '{}' is {}, the graph takes {}", path, info.name,
                                        dtype_name(file.dtype()), dtype_name(info.dtype)));
  }
  InputStream stream;
  Result<SampleLayout> layout = sample_layout(file.shape(), info);
  if (!layout.ok()) {
    return invalid_argument(path + ": " + layout.error().message);
  }
  stream.file = std::make_shared<ArrayStream>(std::move(file));
  stream.layout = layout.value();
  stream.count = stream.layout.count;
  return stream;
}

Result<api::CalibrationSource> open_npz(const std::string& path, const Graph& graph) {
  std::vector<InputStream> streams;
  std::vector<std::string> names;
  CommonCount common;
  for (const ValueInfo& info : graph.inputs) {
    ASSAY_ASSIGN(ArrayStream array, ArrayStream::open_npz(path, info.name));
    ASSAY_ASSIGN(InputStream stream, stacked_stream(path, std::move(array), info));
    ASSAY_TRY(common.add(info.name, stream.count, path));
    streams.push_back(std::move(stream));
    names.push_back(info.name);
  }
  return source_of(std::move(streams), std::move(names), std::max<Index>(common.count, 0));
}

// NAME=FILE.npy: the graph's input and its file, split at the first '=' whose left side is an input.
Result<std::map<std::string, std::string>> named_files(const std::vector<std::string>& data, const Graph& graph) {
  std::map<std::string, std::string> files;
  for (const std::string& entry : data) {
    std::size_t split = entry.find('=');
    while (split != std::string::npos && !graph.is_input(entry.substr(0, split))) {
      split = entry.find('=', split + 1);
    }
    if (split == std::string::npos) {
      std::vector<std::string> names;
      for (const ValueInfo& info : graph.inputs) {
        names.push_back(info.name);
      }
      return invalid_argument(fmt::format("--calibration '{}': the model has no such input; its inputs are: {}", entry,
                                          fmt::join(names, ", ")));
    }
    const auto [place, added] = files.emplace(entry.substr(0, split), entry.substr(split + 1));
    if (!added) {
      return invalid_argument(fmt::format("--calibration: input '{}' has two files: {} and {}", place->first,
                                          place->second, entry.substr(split + 1)));
    }
  }
  return files;
}

Result<api::CalibrationSource> open_named_files(const std::vector<std::string>& data, const Graph& graph) {
  ASSAY_ASSIGN(const auto files, named_files(data, graph));
  std::vector<InputStream> streams;
  std::vector<std::string> names;
  CommonCount common;
  for (const ValueInfo& info : graph.inputs) {
    const auto file = files.find(info.name);
    if (file == files.end()) {
      return invalid_argument(
          fmt::format("--calibration: input '{0}' has no data; add --calibration {0}=FILE.npy", info.name));
    }
    ASSAY_ASSIGN(ArrayStream array, ArrayStream::open_npy(file->second));
    ASSAY_ASSIGN(InputStream stream, stacked_stream(file->second, std::move(array), info));
    ASSAY_TRY(common.add(info.name, stream.count, "--calibration"));
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
  return api::CalibrationSource(
      [paths = std::move(paths), inputs = graph.inputs](Index position, api::NamedTensors& sample) -> Result<bool> {
        if (position >= static_cast<Index>(paths.size())) {
          return false;
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          const std::string stem = paths[static_cast<std::size_t>(position)] + fmt::format("/input_{}", i);
          std::error_code code;
          ASSAY_ASSIGN(Tensor tensor, fs::exists(stem + ".npy", code) ? load_npy(stem + ".npy")
                                                                      : api::load_tensor_proto(stem + ".pb"));
          sample.emplace(inputs[i].name, std::move(tensor));
        }
        return true;
      });
}

}  // namespace

Result<api::CalibrationSource> open_calibration(const Case& test_case, const Graph& graph) {
  if (!test_case.calibration_data.empty()) {
    Result<api::CalibrationSource> source = open_calibration_data({test_case.calibration_data}, graph);
    return source.ok() ? std::move(source)
                       : Result<api::CalibrationSource>(
                             Error{source.error().kind,
                                   test_case.element.member("calibration").where() + ": " + source.error().message});
  }
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

Result<api::CalibrationSource> open_calibration_data(const std::vector<std::string>& data, const Graph& graph) {
  constexpr std::string_view kForms =
      "it takes a file .npz with an array for each input, a folder with test_data_set_N, or NAME=FILE.npy for each "
      "input";
  std::error_code code;
  const auto named = [&](const std::string& entry) {
    return !fs::exists(entry, code) && entry.find('=') != entry.npos;
  };
  if (!data.empty() && std::all_of(data.begin(), data.end(), named)) {
    return open_named_files(data, graph);
  }
  if (data.size() != 1) {
    return invalid_argument(fmt::format("--calibration: {} values do not go together; {}", data.size(), kForms));
  }
  const std::string& path = data[0];
  if (fs::is_directory(path, code)) {
    return open_data_sets(path, graph);
  }
  if (!fs::exists(path, code)) {
    return io_error(fmt::format("{}: there is no such file or folder", path));
  }
  if (!path.ends_with(".npz")) {
    return invalid_argument(fmt::format("--calibration {}: {}", path, kForms));
  }
  return open_npz(path, graph);
}

}  // namespace assay::spec
