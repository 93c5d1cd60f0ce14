// SPDX-License-Identifier: Apache-2.0
#include "reports/results_json.h"

#include <exception>
#include <optional>
#include <utility>

#include "reports/number_text.h"

namespace assay::reports {
namespace {

Json optional_json(const std::optional<double>& value) { return value ? number_json(*value) : Json(nullptr); }

void put_measurement(Json& json, const Measurement& measured) {
  json["metric"] = measured.metric;
  json["output"] = measured.output;
  json["value"] = number_json(measured.value);
  if (measured.low && measured.high) {
    json["interval"] = Json::array({number_json(*measured.low), number_json(*measured.high)});
  }
  if (measured.n > 0) {
    json["n"] = measured.n;
  }
}

Json check_json(const Check& check) {
  Json json = Json::object();
  put_measurement(json, check.measured);
  Json limit = Json::object();
  if (check.at_least) {
    limit["at_least"] = number_json(*check.at_least);
  }
  if (check.at_most) {
    limit["at_most"] = number_json(*check.at_most);
  }
  json["limit"] = limit;
  json["passed"] = check.passed;
  if (!check.parameters.empty()) {
    json["parameters"] = check.parameters;
  }
  if (!check.detail.empty()) {
    json["detail"] = check.detail;
  }
  if (check.worst) {
    json["worst"] = {{"at", check.worst->at},
                     {"actual", number_json(check.worst->actual)},
                     {"reference", number_json(check.worst->reference)}};
  }
  if (!check.would_pass.empty()) {
    json["would_pass"] = Json::object();
    for (const auto& [key, value] : check.would_pass) {
      json["would_pass"][key] = number_json(value);
    }
  }
  return json;
}

Json timing_json(const Timing& timing) {
  Json json = Json::object();
  if (timing.measured()) {
    json["median_ns"] = timing.median_ns;
    json["median_interval_ns"] = Json::array({timing.median_low_ns, timing.median_high_ns});
    json["p95_ns"] = timing.p95_ns;
    json["p99_ns"] = optional_json(timing.p99_ns);
    json["coefficient_of_variation"] = timing.variation;
    json["n"] = timing.samples_ns.size();
    json["iterations"] = timing.iterations;
    json["batch"] = timing.batch;
    json["operations"] = timing.operations;
    json["gops"] = timing.gops();
    json["samples_ns"] = timing.samples_ns;
    json["cpu_samples_ns"] = timing.cpu_samples_ns;
    json["float_median_ns"] = optional_json(timing.float_median_ns);
    json["load"] = optional_json(timing.load);
    json["mhz"] = optional_json(timing.mhz);
  }
  if (!timing.baseline.empty()) {
    json["baseline"] = timing.baseline;
    json["speedup"] = optional_json(timing.speedup);
    if (timing.speedup_low && timing.speedup_high) {
      json["speedup_interval"] = Json::array({number_json(*timing.speedup_low), number_json(*timing.speedup_high)});
    }
    json["fresh_pairs"] = timing.fresh_pairs;
  }
  if (timing.at_least_speedup) {
    json["at_least_speedup"] = *timing.at_least_speedup;
  }
  if (!timing.note.empty()) {
    json["note"] = timing.note;
  }
  return json;
}

Json kernels_json(const std::vector<Kernel>& kernels) {
  Json json = Json::array();
  for (const Kernel& k : kernels) {
    json.push_back({{"node", k.node},
                    {"op", k.op},
                    {"kernel", k.kernel},
                    {"isa", k.isa},
                    {"arithmetic", k.arithmetic},
                    {"native", k.native}});
  }
  return json;
}

Json saturation_json(const std::vector<Saturation>& saturation) {
  Json json = Json::array();
  for (const Saturation& s : saturation) {
    Json worst = Json::array();
    for (const SaturatedChannel& c : s.worst_channels) {
      worst.push_back(
          {{"channel", c.channel}, {"pairs", c.pairs}, {"saturated", c.saturated}, {"largest_loss", c.largest_loss}});
    }
    json.push_back({{"node", s.node},
                    {"pairs", s.pairs},
                    {"saturated", s.saturated},
                    {"largest_loss", s.largest_loss},
                    {"samples", s.samples},
                    {"weight_pairs", s.weight_pairs},
                    {"weight_pairs_at_risk", s.weight_pairs_at_risk},
                    {"largest_possible_loss", s.largest_possible_loss},
                    {"channels", s.channels},
                    {"channels_saturated", s.channels_saturated},
                    {"worst_channels", worst}});
  }
  return json;
}

Saturation read_saturation(const Json& json) {
  Saturation s{.node = json.at("node"),
               .pairs = json.at("pairs"),
               .saturated = json.at("saturated"),
               .largest_loss = json.at("largest_loss"),
               .samples = json.value("samples", std::int64_t{0})};
  s.weight_pairs = json.value("weight_pairs", std::uint64_t{0});
  s.weight_pairs_at_risk = json.value("weight_pairs_at_risk", std::uint64_t{0});
  s.largest_possible_loss = json.value("largest_possible_loss", std::int64_t{0});
  s.channels = json.value("channels", std::int64_t{0});
  s.channels_saturated = json.value("channels_saturated", std::int64_t{0});
  for (const Json& c : json.value("worst_channels", Json::array())) {
    s.worst_channels.push_back({c.at("channel"), c.at("pairs"), c.at("saturated"), c.at("largest_loss")});
  }
  return s;
}

// Reading. nlohmann throws on a wrong type or a missing key; parse_* below catch it.

std::optional<double> optional_number(const Json& json, const char* key) {
  return json.contains(key) ? number_from_json(json.at(key)) : std::nullopt;
}

Measurement read_measurement(const Json& json) {
  Measurement measured;
  measured.metric = json.at("metric");
  measured.output = json.value("output", "");
  measured.value = number_from_json(json.at("value")).value();
  if (json.contains("interval")) {
    measured.low = number_from_json(json.at("interval").at(0));
    measured.high = number_from_json(json.at("interval").at(1));
  }
  measured.n = json.value("n", std::int64_t{0});
  return measured;
}

Check read_check(const Json& json) {
  Check check;
  check.measured = read_measurement(json);
  check.at_least = optional_number(json.at("limit"), "at_least");
  check.at_most = optional_number(json.at("limit"), "at_most");
  check.passed = json.at("passed");
  check.parameters = json.value("parameters", Json::object());
  check.detail = json.value("detail", "");
  if (json.contains("worst")) {
    const Json& worst = json.at("worst");
    check.worst =
        WorstElement{worst.at("at").get<std::vector<std::int64_t>>(), number_from_json(worst.at("actual")).value(),
                     number_from_json(worst.at("reference")).value()};
  }
  const Json would_pass = json.value("would_pass", Json::object());
  for (const auto& [key, value] : would_pass.items()) {
    check.would_pass.emplace_back(key, number_from_json(value).value());
  }
  return check;
}

Timing read_timing(const Json& json) {
  Timing timing;
  if (json.contains("median_ns")) {
    timing.median_ns = json.at("median_ns");
    timing.median_low_ns = json.at("median_interval_ns").at(0);
    timing.median_high_ns = json.at("median_interval_ns").at(1);
    timing.p95_ns = json.at("p95_ns");
    timing.p99_ns = optional_number(json, "p99_ns");
    timing.variation = json.at("coefficient_of_variation");
    timing.iterations = json.at("iterations");
    timing.batch = json.at("batch");
    timing.operations = json.at("operations");
    timing.samples_ns = json.at("samples_ns").get<std::vector<double>>();
    timing.cpu_samples_ns = json.at("cpu_samples_ns").get<std::vector<double>>();
    timing.float_median_ns = optional_number(json, "float_median_ns");
    timing.load = optional_number(json, "load");
    timing.mhz = optional_number(json, "mhz");
  }
  timing.baseline = json.value("baseline", "");
  timing.speedup = optional_number(json, "speedup");
  if (json.contains("speedup_interval")) {
    timing.speedup_low = number_from_json(json.at("speedup_interval").at(0));
    timing.speedup_high = number_from_json(json.at("speedup_interval").at(1));
  }
  timing.fresh_pairs = json.value("fresh_pairs", std::int64_t{0});
  timing.at_least_speedup = optional_number(json, "at_least_speedup");
  timing.note = json.value("note", "");
  return timing;
}

// Moves out of `json` what is JSON in the record too.
VariantResult read_result(Json json) {
  const auto taken = [&json](const char* key) { return json.contains(key) ? std::move(json[key]) : Json::object(); };
  VariantResult result;
  result.case_name = json.at("case");
  result.case_file = json.value("case_file", "");
  result.name = json.at("name");
  result.variant = std::move(json.at("variant"));
  result.configuration = taken("configuration");
  result.outcome = outcome_from_name(json.at("outcome").get<std::string>()).value();
  result.reason = json.value("reason", "");
  result.cause = json.value("cause", "");
  for (Json& check : json.at("checks")) {
    result.checks.push_back(read_check(check));
  }
  for (const Json& measured : json.value("measurements", Json::array())) {
    result.measurements.push_back(read_measurement(measured));
  }
  for (const Json& k : json.at("kernels")) {
    result.kernels.push_back(
        {k.at("node"), k.at("op"), k.at("kernel"), k.at("isa"), k.at("arithmetic"), k.at("native")});
  }
  for (const Json& s : json.value("saturation", Json::array())) {
    result.saturation.push_back(read_saturation(s));
  }
  for (const Json& entry : json.value("ledger", Json::array())) {
    result.ledger.push_back({entry.at("part"), entry.at("output"), number_from_json(entry.at("rmse")).value(),
                             number_from_json(entry.at("max_abs_error")).value(),
                             number_from_json(entry.at("share")).value()});
  }
  if (json.contains("timing") && !json.at("timing").empty()) {
    result.timing = read_timing(json.at("timing"));
  }
  result.warnings = json.value("warnings", std::vector<std::string>{});
  result.passes = json.value("passes", std::vector<std::string>{});
  result.seeds = taken("seeds");
  result.sources = taken("sources");
  result.rerun = json.value("rerun", "");
  result.duration_s = json.value("duration_s", 0.0);
  result.shard = json.value("shard", std::size_t{0});
  return result;
}

// What the exceptions of reading say, without the marks of the library.
std::string reason_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_optional_access*>(&error) != nullptr) {
    return "an unknown outcome, or a value that is no number";
  }
  const std::string text = error.what();
  const std::size_t mark = text.find("] ");
  return text.starts_with("[json.exception.") && mark != std::string::npos ? text.substr(mark + 2) : text;
}

// Bytes that are not UTF-8 (file names, model strings) must not make writing fail.
std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Json result_to_json(const VariantResult& result) {
  Json json = Json::object();
  json["case"] = result.case_name;
  json["case_file"] = result.case_file;
  json["variant"] = result.variant;
  json["name"] = result.name;
  json["configuration"] = result.configuration;
  json["outcome"] = outcome_name(result.outcome);
  json["reason"] = result.reason;
  json["cause"] = result.cause;
  json["checks"] = Json::array();
  for (const Check& check : result.checks) {
    json["checks"].push_back(check_json(check));
  }
  json["measurements"] = Json::array();
  for (const Measurement& measured : result.measurements) {
    Json entry = Json::object();
    put_measurement(entry, measured);
    json["measurements"].push_back(entry);
  }
  json["kernels"] = kernels_json(result.kernels);
  json["saturation"] = saturation_json(result.saturation);
  if (!result.ledger.empty()) {
    json["ledger"] = Json::array();
    for (const LedgerEntry& entry : result.ledger) {
      json["ledger"].push_back({{"part", entry.part},
                                {"output", entry.output},
                                {"rmse", number_json(entry.rmse)},
                                {"max_abs_error", number_json(entry.max_abs_error)},
                                {"share", number_json(entry.share)}});
    }
  }
  json["timing"] = result.timing ? timing_json(*result.timing) : Json::object();
  json["warnings"] = result.warnings;
  json["passes"] = result.passes;
  json["seeds"] = result.seeds;
  json["sources"] = result.sources;
  json["rerun"] = result.rerun;
  json["duration_s"] = result.duration_s;
  if (result.shard > 0) {
    json["shard"] = result.shard;
  }
  return json;
}

// All but the results.
Json head_to_json(const RunRecord& run) {
  Json json = Json::object();
  json["schema_version"] = kSchemaVersion;
  json["host"] = run.host;
  json["command"] = run.command;
  json["started"] = run.started;
  json["duration_s"] = run.duration_s;
  json["interrupted"] = run.interrupted;
  json["harness_error"] = run.harness_error;
  if (run.shard) {
    json["shard"] = {{"index", run.shard->index},
                     {"count", run.shard->count},
                     {"total", run.shard->total},
                     {"selection", run.shard->selection}};
  }
  if (!run.merged_from.empty()) {
    json["merged_from"] = run.merged_from;
  }
  return json;
}

namespace {

// The text behind every line break indented: in JSON a line break is never within a string.
void sink_indented(std::string_view text, std::string_view indent, const Sink& sink) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  while (true) {
    const std::size_t end = text.find('\n');
    out += indent;
    out += text.substr(0, end);
    if (end == std::string_view::npos) {
      break;
    }
    out += '\n';
    text.remove_prefix(end + 1);
  }
  sink(out);
}

class ResultsJson : public Renderer {
 public:
  ResultsJson(const RunRecord& run, const Sink& sink) : sink_(sink) {
    std::string head = dump(head_to_json(run), 1);
    head.resize(head.size() - 2);  // "\n}"
    sink_(head + ",\n \"results\": [");
  }
  void take(const CaseGroup& group) override {
    for (const VariantResult* result : group.results) {
      sink_(first_ ? "\n" : ",\n");
      first_ = false;
      sink_indented(dump(result_to_json(*result), 1), "  ", sink_);
    }
  }
  void finish() override { sink_(first_ ? "]\n}\n" : "\n ]\n}\n"); }

 private:
  Sink sink_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Renderer> start_results_json(const RunRecord& run, const Sink& sink) {
  return std::make_unique<ResultsJson>(run, sink);
}

std::string journal_line(const VariantResult& result) { return dump(result_to_json(result), -1) + "\n"; }

ParsedResult parse_result(Json json) {
  try {
    return {read_result(std::move(json)), ""};
  } catch (const std::exception& error) {  // bad_optional_access: an unknown outcome or a value that is no number
    return {std::nullopt, reason_of(error)};
  }
}

ParsedRun parse_results_json(std::string_view text) {
  try {
    Json json = Json::parse(text);
    const int version = json.at("schema_version");
    if (version != kSchemaVersion) {
      return {std::nullopt,
              "schema_version is " + std::to_string(version) + ", this build reads " + std::to_string(kSchemaVersion)};
    }
    RunRecord run;
    run.host = json.at("host");
    run.command = json.value("command", "");
    run.started = json.value("started", "");
    run.duration_s = json.value("duration_s", 0.0);
    run.interrupted = json.value("interrupted", false);
    run.harness_error = json.value("harness_error", "");
    if (json.contains("shard")) {
      const Json& shard = json.at("shard");
      run.shard = ShardInfo{shard.at("index"), shard.at("count"), shard.at("total"), shard.at("selection")};
    }
    run.merged_from = json.value("merged_from", Json::array());
    for (Json& result : json.at("results")) {
      ParsedResult parsed = parse_result(std::move(result));
      if (!parsed.result) {
        return {std::nullopt, "result " + std::to_string(run.results.size()) + ": " + parsed.error};
      }
      run.results.push_back(std::move(*parsed.result));
    }
    return {std::move(run), ""};
  } catch (const std::exception& error) {
    return {std::nullopt, reason_of(error)};
  }
}

std::vector<VariantResult> parse_journal(std::string_view text) {
  std::vector<VariantResult> results;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      break;  // a line without its end was cut off while it was written
    }
    Json json = Json::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(end + 1);
    if (ParsedResult parsed = parse_result(std::move(json)); parsed.result) {
      results.push_back(std::move(*parsed.result));
    }
  }
  return results;
}

}  // namespace assay::reports
