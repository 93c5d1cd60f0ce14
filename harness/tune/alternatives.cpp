// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/alternatives.h"

#include <algorithm>
#include <set>

namespace assay::tune {
namespace {

bool names(const Alternative& alternative, const std::string& axis) {
  return std::ranges::any_of(alternative.settings, [&](const auto& setting) { return setting.first == axis; });
}

}  // namespace

std::vector<Alternative> values_of(const std::string& axis, const std::vector<spec::Json>& values) {
  std::vector<Alternative> alternatives;
  for (const spec::Json& value : values) {
    alternatives.push_back({.settings = {{axis, value}}});
  }
  return alternatives;
}

std::vector<Alternative> default_alternatives() {
  return {
      {{{"quantizer.per_channel", true}}},
      {{{"quantizer.calibration", "percentile"}}},
      {{{"quantizer.calibration", "entropy"}}},
      {{{"quantizer.calibration", "mse"}}},
      {{{"quantizer.reduce_range", true}}},
      // Where pairs of products saturate, a scale per channel makes it worse: every channel then has large weights.
      {{{"quantizer.per_channel", true}, {"quantizer.reduce_range", true}}},
      {{{"quantizer.weight_type", "uint8"}}},
      {{{"quantizer.activation_type", "int8"}}},
      {{{"quantizer.weight_symmetric", false}}},
      {{{"quantizer.activation_symmetric", true}}},
      {{{"quantizer.equalize", true}}},
      {{{"quantizer.bias_correction", true}}},
  };
}

void set_values(std::vector<Alternative>& alternatives, const std::string& axis,
                const std::vector<spec::Json>& values) {
  const auto first =
      std::ranges::find_if(alternatives, [&](const Alternative& alternative) { return names(alternative, axis); });
  const auto place = first - alternatives.begin();
  std::erase_if(alternatives, [&](const Alternative& alternative) { return names(alternative, axis); });
  const std::vector<Alternative> own = values_of(axis, values);
  alternatives.insert(alternatives.begin() + place, own.begin(), own.end());
}

std::vector<Alternative> open_alternatives(const std::vector<Alternative>& alternatives,
                                           const spec::Configuration& given) {
  std::vector<Alternative> open;
  std::vector<Alternative> back;
  std::set<std::string> seen;
  for (const Alternative& alternative : alternatives) {
    if (std::ranges::any_of(alternative.settings, [&](const auto& setting) { return given.is_set(setting.first); })) {
      continue;
    }
    open.push_back(alternative);
    for (const auto& [axis, value] : alternative.settings) {
      if (seen.insert(axis).second) {
        back.push_back({.settings = {{axis, given.get(axis)}}});
      }
    }
  }
  open.insert(open.end(), back.begin(), back.end());
  return open;
}

std::optional<spec::Configuration> apply(const Alternative& alternative, const spec::Configuration& configuration) {
  spec::Configuration changed = configuration;
  bool differs = false;
  for (const auto& [axis, value] : alternative.settings) {
    differs = differs || configuration.get(axis) != value;
    changed.reset(axis);
    if (changed.get(axis) != value) {
      changed.set(axis, value);
    }
  }
  const bool applies = std::ranges::all_of(alternative.settings, [&](const auto& setting) {
    const spec::Axis* axis = spec::find_axis(setting.first);
    return axis->applies == nullptr || axis->applies(changed);
  });
  return differs && applies ? std::optional(std::move(changed)) : std::nullopt;
}

std::string text_of(const Alternative& alternative) {
  std::string text;
  for (const auto& [axis, value] : alternative.settings) {
    text += (text.empty() ? "" : ", ") + axis + "=" + spec::axis_value_text(value);
  }
  return text;
}

}  // namespace assay::tune
