// SPDX-License-Identifier: Apache-2.0
#include "harness/run/new_case.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/run/graph_facts.h"
#include "harness/run/survey.h"
#include "harness/spec/sanitized_name.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using reports::VariantResult;
using spec::Json;

constexpr Index kCalibrationSamples = 100;

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
  json["description"] = "";  // its place; said when all is measured
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

// The case as it will be read, with its variants.
struct ParsedCase {
  spec::Case test_case;
  std::vector<spec::Variant> variants;
};

Result<ParsedCase> parse(const NewCaseOptions& options, const std::string& text) {
  spec::CaseOrErrors parsed = spec::parse_case(options.file.empty() ? "new.json" : options.file, text);
  if (!parsed.value) {
    return invalid_argument(parsed.errors.front());
  }
  ASSAY_ASSIGN(std::vector<spec::Variant> variants, spec::expand(*parsed.value));
  return ParsedCase{std::move(*parsed.value), std::move(variants)};
}

Result<std::vector<VariantResult>> run_all(const ParsedCase& parsed, const std::function<void()>& on_done) {
  RuntimeHost host;
  Execution execution(parsed.test_case, host);
  std::vector<VariantResult> results;
  for (const spec::Variant& variant : parsed.variants) {
    ASSAY_ASSIGN(VariantResult result, run_measurable(execution, variant));
    results.push_back(std::move(result));
    on_done();
  }
  return results;
}

}  // namespace

std::vector<spec::Setting> default_matrix(bool quantized) {
  return {{"quantizer.format", {quantized ? "none" : "qdq"}},
          {"runtime.optimization", {"none", "all"}},
          {"runtime.isa", {"scalar", "avx2", "avx512_vnni"}}};
}

Result<NewCase> make_case(const NewCaseOptions& options) {
  ASSAY_ASSIGN(const api::Model model, api::Model::load(options.model));
  ASSAY_ASSIGN(Json json, case_without_checks(options, model.graph()));
  const auto text_of = [](const Json& value) {
    return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  };
  ASSAY_ASSIGN(const ParsedCase plain, parse(options, text_of(json)));
  std::size_t done = 0;
  const std::function<void()> on_done = [&] { options.on_progress(++done, 2 * plain.variants.size()); };
  Survey survey(plain.test_case);
  for (const spec::Variant& variant : plain.variants) {
    ASSAY_TRY(survey.measure(variant));
    on_done();
  }
  MeasuredChecks checks = survey.checks(options.headroom);
  NewCase made;
  if (checks.findings.empty()) {
    json.erase("description");
  } else {
    json["description"] = fmt::format("As measured: {}", fmt::join(checks.findings, ". "));
  }
  json["expect"] = std::move(checks.expect);
  made.findings = std::move(checks.findings);
  made.text = text_of(json);
  ASSAY_ASSIGN(const ParsedCase judged, parse(options, made.text));
  ASSAY_ASSIGN(made.results, run_all(judged, on_done));
  return made;
}

}  // namespace assay::run
