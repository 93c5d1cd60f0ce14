// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/search_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/run/rerun.h"
#include "reports/text_table.h"

namespace assay::tune {
namespace {

using reports::Align;
using reports::Json;
using reports::TextTable;

std::string metric_name(const Target& target) { return target.text.substr(0, target.text.find_first_of("<>= ")); }

// JSON has no infinity: an SQNR without noise is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json step_json(const Step& step) {
  Json json = {{"phase", step.phase}, {"change", step.change}};
  if (!step.score) {
    json["refused"] = step.refused;
    return json;
  }
  json["value"] = number(step.score->value);
  json["sqnr_db"] = number(step.score->sqnr_db);
  json["met"] = step.met;
  json["kept"] = step.kept;
  json["float_nodes"] = step.float_nodes;
  json["float_layers"] = step.float_layers;
  json["float_work_share"] = step.float_work;
  json["parameter_bytes"] = step.parameter_bytes;
  json["seconds"] = step.seconds;
  return json;
}

std::string steps_text(const SearchResult& result, const Target& target) {
  TextTable table{.title = "The path",
                  .columns = {{"step", Align::kRight},
                              {"what changed"},
                              {metric_name(target), Align::kRight},
                              {"SQNR dB", Align::kRight},
                              {"float nodes", Align::kRight},
                              {"float work", Align::kRight},
                              {"KiB", Align::kRight},
                              {""}},
                  .rows = {}};
  std::size_t number = 0;
  for (const Step& step : result.steps) {
    const std::string place = std::to_string(++number);
    if (!step.score) {
      table.rows.push_back({place, step.change, "", "", "", "", "", "refused: " + step.refused});
      continue;
    }
    table.rows.push_back({place, step.change, fmt::format("{:.4g}", step.score->value),
                          fmt::format("{:.2f}", step.score->sqnr_db), std::to_string(step.float_nodes),
                          fmt::format("{:.1f} %", 100 * step.float_work),
                          fmt::format("{:.1f}", static_cast<double>(step.parameter_bytes) / 1024),
                          std::string(step.met ? "meets the target" : "") + (step.met && step.kept ? ", " : "") +
                              (step.kept ? "kept" : "")});
  }
  return render_plain(table);
}

std::string sensitivities_text(const SearchResult& result) {
  TextTable table{
      .title = fmt::format("The noise that each layer brings when it alone is quantized, most for its work first{}",
                           result.sensitivities.size() < result.layers
                               ? fmt::format(" ({} of {} measured)", result.sensitivities.size(), result.layers)
                               : ""),
      .columns = {{"layer"},
                  {"op"},
                  {"SQNR dB", Align::kRight},
                  {"noise", Align::kRight},
                  {"work", Align::kRight},
                  {"computes in"}},
      .rows = {}};
  for (const Sensitivity& layer : result.sensitivities) {
    const bool left =
        std::find(result.float_layers.begin(), result.float_layers.end(), layer.node) != result.float_layers.end();
    table.rows.push_back({layer.node, layer.op_type, fmt::format("{:.2f}", layer.sqnr_db),
                          fmt::format("{:.1f} %", 100 * layer.noise_share),
                          fmt::format("{:.1f} %", 100 * layer.work_share), left ? "float" : "integers"});
  }
  return render_plain(table);
}

std::string value_text(const Score& score, const Target& target) {
  return fmt::format("{} is {:.4g}{}", metric_name(target), score.value, target.drop ? " points" : "");
}

}  // namespace

std::string settings_text(const spec::Configuration& configuration) {
  std::string text;
  for (const auto& [axis, value] : configuration.explicit_values()) {
    text += fmt::format("{}--set {}", text.empty() ? "" : " ",
                        run::shell_quoted(fmt::format("{}={}", axis, spec::axis_value_text(value))));
  }
  return text;
}

std::string render_text(const SearchResult& result, const Evaluator& evaluator, const Target& target) {
  std::string text = steps_text(result, target) + "\n";
  if (!result.sensitivities.empty()) {
    text += sensitivities_text(result) + "\n";
  }
  const std::string settings = settings_text(result.configuration);
  text +=
      fmt::format("target {} {}: {} on {} samples, with {} of {} nodes in float ({:.1f} % of the work)\n", target.text,
                  result.met ? "met" : "MISSED", value_text(*result.best.score, target), evaluator.samples(),
                  result.best.float_nodes, result.quantized.nodes.size(), 100 * result.best.float_work);
  if (target.needs_labels()) {
    text += fmt::format("the float model is right on {:.2f} %\n", 100 * evaluator.float_accuracy());
  }
  text += fmt::format("settings: {}\n", settings.empty() ? "the defaults" : settings);
  return text + fmt::format("{} trials, {} calibrations, {:.1f} s; ended because {}\n", result.trials,
                            result.calibrations, result.seconds, result.ended);
}

Json to_json(const SearchResult& result, const Evaluator& evaluator, const Target& target, const std::string& profile) {
  Json json = {{"target", target.text},
               {"met", result.met},
               {"value", number(result.best.score->value)},
               {"sqnr_db", number(result.best.score->sqnr_db)},
               {"samples", evaluator.samples()},
               {"profile", profile}};
  if (target.needs_labels()) {
    json["float_top1_accuracy"] = evaluator.float_accuracy();
  }
  json["settings"] = Json::object();
  for (const auto& [axis, value] : result.configuration.explicit_values()) {
    json["settings"][axis] = value;
  }
  json["float_layers"] = result.float_layers;
  json["float_nodes"] = result.best.float_nodes;
  json["float_work_share"] = result.best.float_work;
  json["trials"] = result.trials;
  json["calibrations"] = result.calibrations;
  json["seconds"] = result.seconds;
  json["ended"] = result.ended;
  json["steps"] = Json::array();
  for (const Step& step : result.steps) {
    json["steps"].push_back(step_json(step));
  }
  json["layers"] = result.layers;
  json["sensitivity"] = Json::array();
  for (const Sensitivity& layer : result.sensitivities) {
    json["sensitivity"].push_back({{"node", layer.node},
                                   {"op", layer.op_type},
                                   {"sqnr_db", number(layer.sqnr_db)},
                                   {"noise_share", layer.noise_share},
                                   {"work_share", layer.work_share}});
  }
  return json;
}

}  // namespace assay::tune
