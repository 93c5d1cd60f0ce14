// SPDX-License-Identifier: Apache-2.0
// Reading of results.json and the journal. A wrong type or a missing key is a FieldError; the functions that others
// call give it as text.
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "reports/json_field.h"
#include "reports/json_text.h"
#include "reports/number_text.h"
#include "reports/results_json.h"

namespace assay::reports {
namespace {

SaturatedChannel read_channel(const Json& json) {
  SaturatedChannel channel;
  read_field(json, "channel", channel.channel);
  read_field(json, "pairs", channel.pairs);
  read_field(json, "saturated", channel.saturated);
  read_field(json, "largest_loss", channel.largest_loss);
  return channel;
}

Saturation read_saturation(const Json& json) {
  Saturation s;
  read_field(json, "node", s.node);
  read_field(json, "pairs", s.pairs);
  read_field(json, "saturated", s.saturated);
  read_field(json, "largest_loss", s.largest_loss);
  read_optional_field(json, "samples", s.samples);
  read_optional_field(json, "weight_pairs", s.weight_pairs);
  read_optional_field(json, "weight_pairs_at_risk", s.weight_pairs_at_risk);
  read_optional_field(json, "largest_possible_loss", s.largest_possible_loss);
  read_optional_field(json, "channels", s.channels);
  read_optional_field(json, "channels_saturated", s.channels_saturated);
  read_items(json, "worst_channels", [&](const Json& item) { s.worst_channels.push_back(read_channel(item)); });
  return s;
}

Measurement read_measurement(const Json& json) {
  Measurement measured;
  read_field(json, "metric", measured.metric);
  read_optional_field(json, "output", measured.output);
  read_number_field(json, "value", measured.value);
  read_pair_field(json, "interval", measured.low, measured.high);
  read_optional_field(json, "n", measured.n);
  return measured;
}

WorstElement read_worst(const Json& json) {
  WorstElement worst;
  read_field(json, "at", worst.at);
  read_number_field(json, "actual", worst.actual);
  read_number_field(json, "reference", worst.reference);
  return worst;
}

Check read_check(const Json& json) {
  Check check;
  check.measured = read_measurement(json);
  read_placed(member(json, "limit"), "limit", [&](const Json& limit) {
    read_number_field(limit, "at_least", check.at_least);
    read_number_field(limit, "at_most", check.at_most);
  });
  read_field(json, "passed", check.passed);
  read_optional_field(json, "parameters", check.parameters);
  read_optional_field(json, "detail", check.detail);
  if (const Json* worst = find_member(json, "worst")) {
    check.worst = read_placed(*worst, "worst", read_worst);
  }
  if (const Json* would_pass = find_member(json, "would_pass")) {
    for (const auto& [key, value] : would_pass->items()) {
      double number = 0;
      read_placed(*would_pass, "would_pass",
                  [&, &name = key](const Json& all) { read_number_field(all, name.c_str(), number); });
      check.would_pass.emplace_back(key, number);
    }
  }
  return check;
}

Timing read_timing(const Json& json) {
  Timing timing;
  if (json.contains("median_ns")) {
    read_field(json, "median_ns", timing.median_ns);
    std::optional<double> low;
    std::optional<double> high;
    read_pair_field(json, "median_interval_ns", low, high);
    timing.median_low_ns = low.value_or(timing.median_ns);
    timing.median_high_ns = high.value_or(timing.median_ns);
    read_field(json, "p95_ns", timing.p95_ns);
    read_number_field(json, "p99_ns", timing.p99_ns);
    read_field(json, "coefficient_of_variation", timing.variation);
    read_field(json, "iterations", timing.iterations);
    read_field(json, "batch", timing.batch);
    read_field(json, "operations", timing.operations);
    read_field(json, "samples_ns", timing.samples_ns);
    read_field(json, "cpu_samples_ns", timing.cpu_samples_ns);
    read_number_field(json, "float_median_ns", timing.float_median_ns);
    read_number_field(json, "load", timing.load);
    read_number_field(json, "mhz", timing.mhz);
  }
  read_optional_field(json, "baseline", timing.baseline);
  read_number_field(json, "speedup", timing.speedup);
  read_pair_field(json, "speedup_interval", timing.speedup_low, timing.speedup_high);
  read_optional_field(json, "fresh_pairs", timing.fresh_pairs);
  read_number_field(json, "at_least_speedup", timing.at_least_speedup);
  read_optional_field(json, "note", timing.note);
  return timing;
}

Kernel read_kernel(const Json& json) {
  Kernel kernel;
  read_field(json, "node", kernel.node);
  read_field(json, "op", kernel.op);
  read_field(json, "kernel", kernel.kernel);
  read_field(json, "isa", kernel.isa);
  read_field(json, "arithmetic", kernel.arithmetic);
  read_field(json, "native", kernel.native);
  return kernel;
}

LedgerEntry read_ledger_entry(const Json& json) {
  LedgerEntry entry;
  read_field(json, "part", entry.part);
  read_field(json, "output", entry.output);
  read_number_field(json, "rmse", entry.rmse);
  read_number_field(json, "max_abs_error", entry.max_abs_error);
  read_number_field(json, "share", entry.share);
  return entry;
}

Outcome read_outcome(const Json& json) {
  const auto name = json.get<std::string>();
  const std::optional<Outcome> outcome = outcome_from_name(name);
  if (!outcome) {
    throw FieldError("", "unknown outcome '" + name + "'");
  }
  return *outcome;
}

// Moves out of `json` what is JSON in the record too.
VariantResult read_result(Json json) {
  VariantResult result;
  read_field(json, "case", result.case_name);
  read_optional_field(json, "case_file", result.case_file);
  read_field(json, "name", result.name);
  result.outcome = read_placed(member(json, "outcome"), "outcome", read_outcome);
  read_optional_field(json, "reason", result.reason);
  read_optional_field(json, "cause", result.cause);
  (void)member(json, "checks");
  read_items(json, "checks", [&](const Json& item) { result.checks.push_back(read_check(item)); });
  read_items(json, "measurements", [&](const Json& item) { result.measurements.push_back(read_measurement(item)); });
  (void)member(json, "kernels");
  read_items(json, "kernels", [&](const Json& item) { result.kernels.push_back(read_kernel(item)); });
  read_items(json, "saturation", [&](const Json& item) { result.saturation.push_back(read_saturation(item)); });
  read_items(json, "ledger", [&](const Json& item) { result.ledger.push_back(read_ledger_entry(item)); });
  if (const Json* timing = find_member(json, "timing"); timing != nullptr && !timing->empty()) {
    result.timing = read_placed(*timing, "timing", read_timing);
  }
  read_optional_field(json, "warnings", result.warnings);
  read_optional_field(json, "passes", result.passes);
  read_optional_field(json, "rerun", result.rerun);
  read_optional_field(json, "duration_s", result.duration_s);
  read_optional_field(json, "shard", result.shard);
  const auto object = [&json](const char* key, Json& out) {
    if (!find_member(json, key)) {
      return;
    }
    if (!json[key].is_object()) {
      throw FieldError("", std::string("type must be object, but is ") + json[key].type_name()).within(key);
    }
    out = std::move(json[key]);
  };
  (void)member(json, "variant");
  object("variant", result.variant);
  object("configuration", result.configuration);
  object("seeds", result.seeds);
  object("sources", result.sources);
  return result;
}

ShardInfo read_shard(const Json& json) {
  ShardInfo shard;
  read_field(json, "index", shard.index);
  read_field(json, "count", shard.count);
  read_field(json, "total", shard.total);
  read_field(json, "selection", shard.selection);
  return shard;
}

RunRecord read_run_record(Json& json) {
  RunRecord run;
  read_field(json, "host", run.host);
  read_optional_field(json, "command", run.command);
  read_optional_field(json, "started", run.started);
  read_optional_field(json, "duration_s", run.duration_s);
  read_optional_field(json, "interrupted", run.interrupted);
  read_optional_field(json, "harness_error", run.harness_error);
  if (const Json* shard = find_member(json, "shard")) {
    run.shard = read_placed(*shard, "shard", read_shard);
  }
  read_optional_field(json, "merged_from", run.merged_from);
  (void)member(json, "results");
  read_placed(json["results"], "results", [&](Json& list) {
    if (!list.is_array()) {
      throw FieldError("", std::string("type must be array, but is ") + list.type_name());
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      read_placed(list[i], std::to_string(i), [&](Json& item) { run.results.push_back(read_result(std::move(item))); });
    }
  });
  return run;
}

}  // namespace

ParsedResult parse_result(Json json) {
  try {
    return {read_result(std::move(json)), ""};
  } catch (const std::exception&) {
    return {std::nullopt, current_field_error("").message()};
  }
}

ParsedRun parse_results_json(std::string_view text) {
  try {
    if (nests_too_deep(text)) {
      throw FieldError("", "more than " + std::to_string(kMaxJsonDepth) + " nested lists and objects");
    }
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
      throw FieldError("", "a NUL byte at offset " + std::to_string(nul));
    }
    Json json = Json::parse(text);
    int version = 0;
    read_field(json, "schema_version", version);
    if (version != kSchemaVersion) {
      return {std::nullopt, "/schema_version: is " + std::to_string(version) + ", this build reads " +
                                std::to_string(kSchemaVersion)};
    }
    return {read_run_record(json), ""};
  } catch (const Json::parse_error&) {
    const FieldError error = current_field_error("");
    return {std::nullopt, error.reason()};
  } catch (const std::exception&) {
    return {std::nullopt, current_field_error("").message()};
  }
}

}  // namespace assay::reports
