// SPDX-License-Identifier: Apache-2.0
#include "harness/run/new_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/run/graph_facts.h"
#include "harness/run/variant.h"
#include "harness/spec/sanitized_name.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using reports::VariantResult;
using spec::Json;

constexpr Index kCalibrationSamples = 100;
// How much worse than the best an instruction set may be to share its tolerances.
constexpr double kAlike = 2.0;

// The place of `path` seen from the folder of the case.
std::string seen_from(const std::string& file, const std::string& path) {
  std::error_code code;
  const fs::path folder = fs::absolute(file, code).lexically_normal().parent_path();
  return fs::absolute(path, code).lexically_normal().lexically_proximate(folder).generic_string();
}

// The schema of the tree that the case stands in, for editors.
std::optional<std::string> schema_path(const std::string& file) {
  std::error_code code;
  fs::path folder = fs::absolute(file, code).lexically_normal().parent_path();
  while (true) {
    const fs::path schema = folder / "schema" / "case.schema.json";
    if (fs::exists(schema, code)) {
      return seen_from(file, schema.string());
    }
    if (folder == folder.root_path() || !folder.has_parent_path()) {
      return std::nullopt;
    }
    folder = folder.parent_path();
  }
}

Json random_source(const ValueInfo& info) {
  Json source = Json::object();
  source["random"]["seed"] = 1;
  const bool open = std::ranges::any_of(info.dims, [](const Dim& dim) { return !dim.known(); });
  if (open) {
    source["shape"] = Json::array();
    for (const Dim& dim : info.dims) {
      source["shape"].push_back(dim.known() ? dim.size : 1);
    }
  }
  return source;
}

Result<Json> input_sources(const NewCaseOptions& options, const Graph& graph) {
  Json sources = Json::object();
  for (const std::string& entry : options.inputs) {
    std::size_t split = entry.find('=');
    while (split != std::string::npos && !graph.is_input(entry.substr(0, split))) {
      split = entry.find('=', split + 1);
    }
    if (split == std::string::npos) {
      std::string known;
      for (const ValueInfo& info : graph.inputs) {
        known += (known.empty() ? "" : ", ") + info.name;
      }
      return invalid_argument(
          fmt::format("--input '{}': NAME=FILE.npy is needed, where the model's inputs are {}", entry, known));
    }
    sources[entry.substr(0, split)]["npy"] = seen_from(options.file, entry.substr(split + 1));
  }
  for (const ValueInfo& info : graph.inputs) {
    if (!sources.contains(info.name)) {
      if (!options.inputs.empty()) {
        return invalid_argument(fmt::format("--input: the model's input '{}' is not given", info.name));
      }
      sources[info.name] = random_source(info);
    }
  }
  return sources;
}

bool names_folder(const NewCaseOptions& options) {
  std::error_code code;
  return options.inputs.size() == 1 && fs::is_directory(options.inputs.front(), code);
}

Status add_data(const NewCaseOptions& options, const Graph& graph, Json& json) {
  if (names_folder(options)) {
    json["inputs"] = seen_from(options.file, options.inputs.front());
    return options.labels.empty() ? Status() : invalid_argument("--labels goes with --input NAME=FILE.npy");
  }
  ASSAY_ASSIGN(Json sources, input_sources(options, graph));
  if (options.labels.empty()) {
    json["inputs"] = std::move(sources);
  } else {
    json["dataset"]["inputs"] = sources;
    json["dataset"]["labels"]["npy"] = seen_from(options.file, options.labels);
    if (options.calibration.empty()) {
      ASSAY_ASSIGN(const Tensor labels, spec::load_npy(options.labels));
      const Index samples = labels.rank() == 0 ? 1 : std::min(labels.dim(0), kCalibrationSamples);
      for (auto& [name, source] : sources.items()) {
        source["samples"] = samples;
      }
      json["calibration"] = std::move(sources);
    }
  }
  return {};
}

Result<Json> case_without_checks(const NewCaseOptions& options, const Graph& graph) {
  Json json = Json::object();
  if (const auto schema = schema_path(options.file)) {
    json["$schema"] = *schema;
  }
  json["name"] =
      options.name.empty()
          ? spec::sanitized_name(fs::path(options.file.empty() ? options.model : options.file).stem().string())
          : options.name;
  json["model"]["path"] = seen_from(options.file, options.model);
  ASSAY_TRY(add_data(options, graph, json));
  if (!options.calibration.empty()) {
    json["calibration"] = seen_from(options.file, options.calibration);
  }
  json["matrix"] = Json::object();
  const bool quantized = is_qdq_model(graph) || has_quantizing_nodes(graph);
  for (const spec::Setting& setting : options.matrix.empty() ? default_matrix(quantized) : options.matrix) {
    json["matrix"][setting.axis] = setting.values.size() == 1 ? setting.values.front() : Json(setting.values);
  }
  return json;
}

Result<std::vector<VariantResult>> run_text(const NewCaseOptions& options, const std::string& text) {
  spec::CaseOrErrors parsed = spec::parse_case(options.file.empty() ? "new.json" : options.file, text);
  if (!parsed.value) {
    return invalid_argument(parsed.errors.front());
  }
  ASSAY_ASSIGN(const std::vector<spec::Variant> variants, spec::expand(*parsed.value));
  RuntimeHost host;
  Execution execution(*parsed.value, host);
  std::vector<VariantResult> results;
  for (const spec::Variant& variant : variants) {
    results.push_back(run_variant(execution, variant));
    const VariantResult& result = results.back();
    const reports::Outcome outcome = result.outcome;
    if (outcome == reports::Outcome::kInvalid || outcome == reports::Outcome::kCrash ||
        outcome == reports::Outcome::kSkip) {
      return invalid_argument(fmt::format("{} could not be measured: {}", result.name, result.reason));
    }
  }
  return results;
}

// Two significant digits, away from zero.
double rounded_up(double value) {
  if (value == 0.0 || !std::isfinite(value)) {
    return value;
  }
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  const double rounded = std::strtod(fmt::format("{:.1e}", std::ceil(value / unit) * unit).c_str(), nullptr);
  return rounded >= value ? rounded : rounded + unit;
}

double rounded_down(double value, double unit) { return std::floor(value / unit) * unit; }

const reports::Measurement* find(const VariantResult& result, const std::string& metric, const std::string& output) {
  for (const reports::Measurement& measured : result.measurements) {
    if (measured.metric == metric && measured.output == output) {
      return &measured;
    }
  }
  return nullptr;
}

// As a condition sees it: an external runtime has the default.
std::string isa_of(const VariantResult& result) {
  return result.configuration.contains("runtime.isa") ? reports::value_text(result.configuration.at("runtime.isa"))
                                                      : "auto";
}

// The noise of an output, relative to its signal: what tells instruction sets apart.
double noise_of(const VariantResult& result) {
  double noise = 0.0;
  for (const reports::Measurement& measured : result.measurements) {
    if (measured.metric == "sqnr_db") {
      noise = std::max(noise, std::pow(10.0, -measured.value / 20.0));
    }
  }
  return noise;
}

// Groups of instruction sets of like errors; one group of all where they are alike.
std::vector<std::vector<std::string>> alike_isas(const std::vector<VariantResult>& results) {
  std::vector<std::pair<std::string, double>> noises;
  for (const VariantResult& result : results) {
    const std::string isa = isa_of(result);
    auto known = std::ranges::find(noises, isa, &std::pair<std::string, double>::first);
    if (known == noises.end()) {
      known = noises.insert(noises.end(), {isa, 0.0});
    }
    known->second = std::max(known->second, noise_of(result));
  }
  std::ranges::stable_sort(noises, {}, &std::pair<std::string, double>::second);
  std::vector<std::vector<std::string>> groups;
  double best = 0.0;
  for (const auto& [isa, noise] : noises) {
    if (groups.empty() || noise > kAlike * best) {
      groups.emplace_back();
      best = noise;
    }
    groups.back().push_back(isa);
  }
  return groups;
}

// The worst value of a metric over the results; nothing where a result lacks it.
std::optional<double> worst(const std::vector<const VariantResult*>& results, const std::string& metric,
                            const std::string& output, bool higher_is_better) {
  std::optional<double> value;
  for (const VariantResult* result : results) {
    const reports::Measurement* measured = find(*result, metric, output);
    if (measured == nullptr || std::isnan(measured->value)) {
      return std::nullopt;
    }
    const double own = higher_is_better && measured->low ? *measured->low : measured->value;
    value = !value ? own : higher_is_better ? std::min(*value, own) : std::max(*value, own);
  }
  return value;
}

struct Limit {
  const char* metric;
  const char* key;
  double value;
};

std::vector<Limit> limits_of(const std::vector<const VariantResult*>& results, const std::string& output,
                             double headroom) {
  std::vector<Limit> limits;
  for (const char* metric : {"top1_accuracy", "top1_agreement"}) {
    if (const auto share = worst(results, metric, output, true)) {
      limits.push_back({metric, "at_least", std::max(0.0, rounded_down(*share, 0.001))});
    }
  }
  if (const auto error = worst(results, "max_abs_error", output, false); error && std::isfinite(*error)) {
    limits.push_back({"max_abs_error", "at_most", rounded_up(*error * headroom)});
  }
  if (const auto ratio = worst(results, "sqnr_db", output, true); ratio && std::isfinite(*ratio)) {
    limits.push_back({"sqnr_db", "at_least", rounded_down(*ratio - 20.0 * std::log10(headroom), 0.5)});
  }
  return limits;
}

std::vector<std::string> measured_outputs(const std::vector<VariantResult>& results) {
  std::vector<std::string> outputs;
  for (const VariantResult& result : results) {
    for (const reports::Measurement& measured : result.measurements) {
      if (!measured.output.empty() && std::ranges::find(outputs, measured.output) == outputs.end()) {
        outputs.push_back(measured.output);
      }
    }
  }
  return outputs;
}

}  // namespace

std::vector<spec::Setting> default_matrix(bool quantized) {
  return {{"quantizer.format", {quantized ? "none" : "qdq"}},
          {"runtime.optimization", {"none", "all"}},
          {"runtime.isa", {"scalar", "avx2", "avx512_vnni"}}};
}

Json measured_expectations(const std::vector<VariantResult>& results, double headroom) {
  const std::vector<std::string> outputs = measured_outputs(results);
  const std::vector<std::vector<std::string>> groups = alike_isas(results);
  Json expect = Json::array();
  for (const std::vector<std::string>& isas : groups) {
    std::vector<const VariantResult*> members;
    for (const VariantResult& result : results) {
      if (std::ranges::find(isas, isa_of(result)) != isas.end()) {
        members.push_back(&result);
      }
    }
    for (const std::string& output : outputs) {
      for (const Limit& limit : limits_of(members, output, headroom)) {
        Json check = Json::object();
        check["metric"] = limit.metric;
        if (outputs.size() > 1) {
          check["output"] = output;
        }
        check[limit.key] = limit.value;
        if (groups.size() > 1) {
          check["when"]["runtime.isa"] = isas.size() == 1 ? Json(isas.front()) : Json(isas);
        }
        expect.push_back(std::move(check));
      }
    }
  }
  return expect;
}

Result<NewCase> make_case(const NewCaseOptions& options) {
  ASSAY_ASSIGN(const api::Model model, api::Model::load(options.model));
  ASSAY_ASSIGN(Json json, case_without_checks(options, model.graph()));
  const auto text_of = [](const Json& value) {
    return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  };
  ASSAY_ASSIGN(const std::vector<VariantResult> measured, run_text(options, text_of(json)));
  json["expect"] = measured_expectations(measured, options.headroom);
  NewCase made;
  made.text = text_of(json);
  ASSAY_ASSIGN(made.results, run_text(options, made.text));
  return made;
}

}  // namespace assay::run
