// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <oneapi/dnnl/dnnl.hpp>

#include "engine/base/cpu_features.h"
#include "harness/cli/flags.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/host.h"
#include "reports/exit_code.h"
#include "reports/record.h"
#include "reports/text_table.h"

namespace assay::cli {
namespace {

using reports::Json;

Json library_versions() {
  const dnnl_version_t* dnnl = dnnl_version();
  return {{"oneDNN", fmt::format("{}.{}.{}", dnnl->major, dnnl->minor, dnnl->patch)},
          {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                        NLOHMANN_JSON_VERSION_PATCH)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
          {"CLI11", CLI11_VERSION},
          {"onnx", ASSAY_ONNX_VERSION},
          {"protobuf", ASSAY_PROTOBUF_VERSION},
          {"google_benchmark", ASSAY_BENCHMARK_VERSION}};
}

// Each arithmetic profile, and whether this CPU runs its instructions.
reports::TextTable profile_table() {
  reports::TextTable table;
  table.columns = {{"runtime.isa", reports::Align::kLeft},
                   {"u8 x s8, fast", reports::Align::kLeft},
                   {"exact", reports::Align::kLeft},
                   {"here", reports::Align::kLeft}};
  for (const Isa isa : all_isas()) {
    table.rows.push_back({std::string(isa_name(isa)),
                          std::string(arithmetic_name(u8s8_arithmetic({isa, Precision::kFast}))),
                          std::string(arithmetic_name(u8s8_arithmetic({isa, Precision::kExact}))),
                          can_run(host_features(), isa) ? "native" : "emulated"});
  }
  return table;
}

// The private environment that scripts/setup-peers makes, looked for where the program was built and started.
Json peers() {
  Json found = Json::object();
  for (const char* environment : {"build/peers", ASSAY_PEERS_DIR}) {
    const std::filesystem::path folder(environment);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "lib", error)) {
      std::error_code inner;
      for (const auto& package : std::filesystem::directory_iterator(entry.path() / "site-packages", inner)) {
        const std::string name = package.path().filename().string();
        if (name.starts_with("onnxruntime-") && name.ends_with(".dist-info")) {
          found["onnxruntime"] = name.substr(12, name.size() - 12 - 10);
        }
      }
    }
  }
  return found;
}

std::string value_text(const Json& value) {
  if (!value.is_array()) {
    return reports::value_text(value);
  }
  std::string text;
  for (const Json& item : value) {
    text += (text.empty() ? "" : ", ") + reports::value_text(item);
  }
  return text;
}

int doctor_action(const OutputFlags& output) {
  Json facts = run::host_facts();
  facts["libraries"] = library_versions();
  facts["peers"] = peers();
  const std::string json = facts.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  reports::TextTable table;
  table.columns = {{"what", reports::Align::kLeft}, {"found", reports::Align::kLeft}};
  for (const auto& [name, value] : facts.items()) {
    if (!value.is_object()) {
      table.rows.push_back({name, value_text(value)});
      continue;
    }
    for (const auto& [part, version] : value.items()) {
      table.rows.push_back({name == "libraries" ? part : fmt::format("{}: {}", name, part), value_text(version)});
    }
  }
  if (facts["peers"].empty()) {
    table.rows.push_back({"peers", "none (scripts/setup-peers fetches ONNX Runtime)"});
  }
  int code = output.write_json(json);
  if (const Status status = host_isa_override_error(); !status.ok()) {
    code = complain(status.error().message, reports::kExitUsage);
  }
  const std::string text = reports::render_plain(table) + "\n" + reports::render_plain(profile_table());
  return print_data(output.json_to_stdout() ? json : text, code);
}

}  // namespace

void define_doctor(CLI::App& command, Action& action) {
  auto output = std::make_shared<OutputFlags>();
  output->define(command);
  command.callback([output, &action] { action = [output] { return doctor_action(*output); }; });
}

}  // namespace assay::cli
