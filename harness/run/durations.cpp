// SPDX-License-Identifier: Apache-2.0
#include "harness/run/durations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/fnv.h"
#include "engine/base/input_file.h"
#include "harness/measure/statistics.h"
#include "reports/json_text.h"

namespace assay::run {
namespace {

using nlohmann::json;

double median_of(const std::vector<float>& values) {
  return measure::median(std::vector<double>(values.begin(), values.end()));
}

// Errors name the file.
Result<Durations> parse_text_of(const std::string& file, const std::string& text) {
  Result<Durations> durations = Durations::parse(text);
  return durations.ok() ? std::move(durations) : invalid_argument(file + ": " + durations.error().message);
}

}  // namespace

Result<Durations> Durations::read(const std::string& path) {
  std::error_code error;
  const std::string file =
      std::filesystem::is_directory(path, error) ? (std::filesystem::path(path) / kDurationsName).string() : path;
  ASSAY_ASSIGN(const std::string text, read_file(file));
  return parse_text_of(file, text);
}

Result<Durations> Durations::parse(const std::string& text) {
  const json document = reports::parse_json<json>(text);
  const json version = document.is_object() ? document.value("schema_version", json()) : json();
  if (version.is_number() && version != json(1)) {
    return invalid_argument("schema_version is " + version.dump() + "; this assay reads version 1");
  }
  if (!document.is_object() || version != json(1) || !document.contains("durations_s") ||
      !document["durations_s"].is_object()) {
    return invalid_argument(R"(no durations: {"schema_version": 1, "durations_s": {name: [seconds, ...]}} is needed)");
  }
  Durations durations;
  std::vector<double> medians;
  for (const auto& [name, values] : document["durations_s"].items()) {
    std::vector<float> seconds;
    for (const json& value : values.is_array() ? values : json::array({values})) {
      if (!value.is_number() || value.get<double>() < 0) {
        return invalid_argument(fmt::format("the durations of '{}' are numbers from 0 on, found {}", name,
                                            value.dump(-1, ' ', false, json::error_handler_t::replace)));
      }
      seconds.push_back(value.get<float>());
    }
    if (!seconds.empty()) {
      medians.push_back(median_of(seconds));
      durations.seconds_[fnv1a(name)] = std::move(seconds);
    }
  }
  if (!medians.empty()) {
    durations.typical_s_ = measure::median(medians);
  }
  return durations;
}

const std::vector<float>& Durations::of(const std::string& name) const {
  static const std::vector<float> kNone;
  const auto found = seconds_.find(fnv1a(name));
  return found == seconds_.end() ? kNone : found->second;
}

double Durations::cost_s(const std::string& name) const {
  const std::vector<float>& known = of(name);
  return known.empty() ? typical_s_ : median_of(known);
}

double Durations::timeout_s(const std::string& name, double factor, double floor_s, double ceiling_s) const {
  const std::vector<float>& known = of(name);
  return known.empty() ? ceiling_s : std::min(ceiling_s, std::max(floor_s, factor * median_of(known)));
}

Result<std::string> joined_durations(const std::vector<std::string>& folders) {
  json all = {{"schema_version", 1}, {"durations_s", json::object()}};
  for (const std::string& folder : folders) {
    const std::string file = (std::filesystem::path(folder) / kDurationsName).string();
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
      continue;
    }
    ASSAY_ASSIGN(const std::string text, read_file(file));
    ASSAY_TRY(parse_text_of(file, text));
    all["durations_s"].update(reports::parse_json<json>(text)["durations_s"]);
  }
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

void write_durations(const Durations& known, const std::function<void(const DurationVisitor&)>& visit,
                     const std::function<void(std::string_view)>& sink) {
  sink("{\n \"schema_version\": 1,\n \"durations_s\": {");
  bool first = true;
  visit([&](const std::string& name, double seconds) {
    std::vector<float> all = known.of(name);
    if (seconds >= 0) {
      all.push_back(static_cast<float>(seconds));
    }
    if (all.empty()) {
      return;
    }
    const std::size_t drop = all.size() - std::min(all.size(), kKeptDurations);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(drop));
    sink(fmt::format("{}\n  {}: [{:.4g}]", first ? "" : ",",
                     json(name).dump(-1, ' ', false, json::error_handler_t::replace), fmt::join(all, ", ")));
    first = false;
  });
  sink(first ? "}\n}\n" : "\n }\n}\n");
}

}  // namespace assay::run
