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

}  // namespace assay::reports
