// SPDX-License-Identifier: Apache-2.0
// Values of axes: checks, lists of them, and --set.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "harness/spec/axis.h"
#include "harness/spec/nearest.h"
#include "harness/spec/utf8.h"

namespace assay::spec {
namespace {

std::string json_text(const Json& value) {
  return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Error wrong_value(const Axis& axis, const std::string& rule, const Json& value) {
  return invalid_argument(fmt::format("axis '{}' must be {}, found {}", axis.name, rule, json_text(value)));
}

Error unknown_name(const Axis& axis, const Json& value) {
  const std::vector<std::string> known(axis.names.begin(), axis.names.end());
  const std::string rule = fmt::format("one of {}", fmt::join(known, ", "));
  if (!value.is_string()) {
    return wrong_value(axis, rule, value);
  }
  const std::string word = value.get<std::string>();
  return invalid_argument(fmt::format("unknown value '{}' of axis '{}'; nearest known value is '{}' ({})",
                                      shortened(word), axis.name, nearest(word, known), rule));
}

bool is_name_of(const Axis& axis, const Json& value) {
  if (!value.is_string()) {
    return false;
  }
  const auto& text = value.get_ref<const std::string&>();
  for (const std::string_view name : axis.names) {
    if (name == text) {
      return true;
    }
  }
  return false;
}

Result<Json> check_number(const Axis& axis, const Json& value) {
  const bool integer = axis.kind == AxisKind::kInteger;
  std::string rule = fmt::format("a {} from {} to {}", integer ? "whole number" : "number", axis.min, axis.max);
  if (!axis.names.empty()) {
    rule += fmt::format(" or '{}'", fmt::join(axis.names, "', '"));
  }
  if (!value.is_number()) {
    return wrong_value(axis, rule, value);
  }
  const double number = value.get<double>();
  if (!(number >= axis.min && number <= axis.max) || (integer && number != std::floor(number))) {
    return wrong_value(axis, rule, value);
  }
  if (integer) {
    return Json(static_cast<std::int64_t>(number));
  }
  return value;
}

Result<Json> check_strings(const Axis& axis, const Json& value) {
  if (value.is_string()) {
    return Json::array({value});
  }
  if (!value.is_array()) {
    return wrong_value(axis, "a list of texts", value);
  }
  for (const Json& item : value) {
    if (!item.is_string()) {
      return wrong_value(axis, "a list of texts", value);
    }
  }
  return value;
}

Result<Json> check_ranges(const Axis& axis, const Json& value) {
  if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
    return value;
  }
  if (!value.is_object()) {
    return wrong_value(axis, "{tensor: [min, max]} or the path of a JSON file with this", value);
  }
  for (const auto& [tensor, range] : value.items()) {
    const bool pair = range.is_array() && range.size() == 2 && range[0].is_number() && range[1].is_number();
    if (!pair || range[0].get<double>() > range[1].get<double>()) {
      return invalid_argument(fmt::format("axis '{}': the range of tensor '{}' must be [min, max], found {}", axis.name,
                                          shortened(tensor), json_text(range)));
    }
  }
  return value;
}

struct OverrideKey {
  std::string_view name;
  std::string_view rule;
  bool (*fits)(const Json& value);
};

bool is_channel_list(const Json& value) {
  static constexpr std::array kKeys = {"scale", "zero_point", "min", "max"};
  if (!value.is_array() || value.empty()) {
    return false;
  }
  return std::all_of(value.begin(), value.end(), [](const Json& channel) {
    if (!channel.is_object()) {
      return false;
    }
    const auto items = channel.items();
    return std::all_of(items.begin(), items.end(), [](const auto& item) {
      return item.value().is_number() &&
             std::any_of(kKeys.begin(), kKeys.end(), [&](const char* key) { return item.key() == key; });
    });
  });
}

const std::vector<OverrideKey>& override_keys() {
  static const std::vector<OverrideKey> kKeys = {
      {"type", "one of int8, uint8, int4, uint4, int16, uint16",
       [](const Json& value) {
         static constexpr std::array kTypes = {"int8", "uint8", "int4", "uint4", "int16", "uint16"};
         return std::any_of(kTypes.begin(), kTypes.end(), [&](const char* type) { return value == type; });
       }},
      {"scale", "a number above 0", [](const Json& value) { return value.is_number() && value.get<double>() > 0; }},
      {"zero_point", "a whole number", [](const Json& value) { return value.is_number_integer(); }},
      {"min", "a number", [](const Json& value) { return value.is_number(); }},
      {"max", "a number", [](const Json& value) { return value.is_number(); }},
      {"symmetric", "true or false", [](const Json& value) { return value.is_boolean(); }},
      {"reduce_range", "true or false", [](const Json& value) { return value.is_boolean(); }},
      {"axis", "a whole number", [](const Json& value) { return value.is_number_integer(); }},
      {"channels", "a list of objects of scale, zero_point, min, max", is_channel_list},
  };
  return kKeys;
}

Status check_override(const Axis& axis, const std::string& tensor, const Json& entry) {
  const std::string what = fmt::format("axis '{}': the override of tensor '{}'", axis.name, shortened(tensor));
  if (!entry.is_object()) {
    return invalid_argument(fmt::format("{} must be an object, found {}", what, json_text(entry)));
  }
  for (const auto& [key, value] : entry.items()) {
    if (key.starts_with("x-")) {
      continue;
    }
    const OverrideKey* known = nullptr;
    std::vector<std::string> names;
    for (const OverrideKey& candidate : override_keys()) {
      names.emplace_back(candidate.name);
      if (candidate.name == key) {
        known = &candidate;
      }
    }
    if (known == nullptr) {
      return invalid_argument(fmt::format("{} has the unknown key '{}'; nearest known key is '{}'", what,
                                          shortened(key), nearest(key, names)));
    }
    if (!known->fits(value)) {
      return invalid_argument(fmt::format("{}: '{}' must be {}, found {}", what, key, known->rule, json_text(value)));
    }
  }
  return {};
}

Result<Json> check_overrides(const Axis& axis, const Json& value) {
  if (!value.is_object()) {
    return wrong_value(axis, "an object {tensor: {...}}", value);
  }
  for (const auto& [tensor, entry] : value.items()) {
    ASSAY_TRY(check_override(axis, tensor, entry));
  }
  return value;
}

Result<Json> check_settings(const Axis& axis, const Json& value) {
  if (!value.is_object()) {
    return wrong_value(axis, "an object {key: value}", value);
  }
  for (const auto& [key, setting] : value.items()) {
    if (setting.is_structured() || setting.is_null()) {
      return invalid_argument(fmt::format("axis '{}': '{}' must be a text, a number, true or false, found {}",
                                          axis.name, shortened(key), json_text(setting)));
    }
  }
  return value;
}

// A word of --set: JSON if it parses as such, else text.
Json word_value(const std::string& word) {
  auto document = Document::parse("--set", word);
  return document.ok() ? document.value()->root() : Json(word);
}

}  // namespace

Result<Json> check_axis_value(const Axis& axis, const Json& value) {
  switch (axis.kind) {
    case AxisKind::kName:
      return is_name_of(axis, value) ? Result<Json>(value) : Result<Json>(unknown_name(axis, value));
    case AxisKind::kText:
      if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
        return wrong_value(axis, "a text", value);
      }
      return value;
    case AxisKind::kBool:
      return value.is_boolean() ? Result<Json>(value) : Result<Json>(wrong_value(axis, "true or false", value));
    case AxisKind::kInteger:
    case AxisKind::kNumber:
      return is_name_of(axis, value) ? Result<Json>(value) : check_number(axis, value);
    case AxisKind::kStrings:
      return check_strings(axis, value);
    case AxisKind::kRanges:
      return check_ranges(axis, value);
    case AxisKind::kOverrides:
      return check_overrides(axis, value);
    case AxisKind::kObject:
      return value.is_object() ? Result<Json>(value) : Result<Json>(wrong_value(axis, "an object", value));
    case AxisKind::kSettings:
      return check_settings(axis, value);
  }
  return internal_error("unknown kind of axis");
}

Result<std::vector<Json>> axis_values(const Axis& axis, const Json& json) {
  bool several = json.is_array();
  if (axis.kind == AxisKind::kStrings) {
    several = json.is_array() && !json.empty() && json.front().is_array();
  }
  std::vector<Json> values;
  if (!several) {
    ASSAY_ASSIGN(Json value, check_axis_value(axis, json));
    values.push_back(std::move(value));
    return values;
  }
  if (json.empty()) {
    return invalid_argument(fmt::format("axis '{}' has an empty list of values", axis.name));
  }
  for (const Json& item : json) {
    ASSAY_ASSIGN(Json value, check_axis_value(axis, item));
    values.push_back(std::move(value));
  }
  return values;
}

std::string axis_value_text(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Setting> parse_setting(const std::string& text) {
  ASSAY_TRY(check_utf8("--set", text));
  const std::size_t equals = text.find('=');
  const std::string what = "--set " + shortened(text) + ": ";
  if (equals == std::string::npos || equals == 0) {
    return invalid_argument(what + "expected axis=value, as runtime.isa=avx2");
  }
  Setting setting;
  setting.axis = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  const Axis* axis = find_axis(setting.axis);
  if (axis == nullptr) {
    return invalid_argument(what + unknown_axis_message(setting.axis));
  }
  Json json = word_value(value);
  const bool plain = json.is_string() && json == value;  // not JSON
  const bool listable = axis->kind != AxisKind::kRanges && axis->kind != AxisKind::kOverrides &&
                        axis->kind != AxisKind::kObject && axis->kind != AxisKind::kSettings;
  if (plain && listable && value.find(',') != std::string::npos) {
    json = Json::array();
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = std::min(value.find(',', begin), value.size());
      const std::string word = value.substr(begin, end - begin);
      json.push_back(axis->kind == AxisKind::kStrings || axis->kind == AxisKind::kText ? Json(word) : word_value(word));
      begin = end + 1;
    }
  } else if (axis->kind == AxisKind::kStrings && !json.is_array()) {
    json = value.empty() ? Json::array() : Json::array({value});  // a node may be named "1"
  }
  auto values = axis_values(*axis, json);
  if (!values.ok()) {
    return invalid_argument(what + values.error().message);
  }
  setting.values = std::move(values).value();
  return setting;
}

}  // namespace assay::spec
