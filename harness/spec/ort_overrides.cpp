// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/ort_overrides.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/spec/nearest.h"

namespace assay::spec {
namespace {

struct KeyRow {
  std::string_view theirs;
  std::string_view ours;
  bool per_channel;  // may differ between the entries of a tensor
};
constexpr std::array kKeys = {
    KeyRow{"quant_type", "type", false},
    KeyRow{"scale", "scale", true},
    KeyRow{"zero_point", "zero_point", true},
    KeyRow{"rmin", "min", true},
    KeyRow{"rmax", "max", true},
    KeyRow{"symmetric", "symmetric", false},
    KeyRow{"reduce_range", "reduce_range", false},
    KeyRow{"axis", "axis", false},
};

const KeyRow* find_key(const std::string& name) {
  for (const KeyRow& row : kKeys) {
    if (row.theirs == name) {
      return &row;
    }
  }
  return nullptr;
}

Error wrong(const std::string& tensor, const std::string& text) {
  return invalid_argument(
      fmt::format("axis 'quantizer.ort_options': TensorQuantOverrides of tensor '{}': {}", shortened(tensor), text));
}

Error unknown_key(const std::string& tensor, const std::string& key) {
  if (key == "convert") {
    return wrong(tensor, "'convert' (two types for one tensor) is not supported");
  }
  std::vector<std::string> known;
  for (const KeyRow& row : kKeys) {
    known.emplace_back(row.theirs);
  }
  return wrong(tensor, fmt::format("unknown key '{}'; nearest known key is '{}'", shortened(key), nearest(key, known)));
}

// One entry: what holds for the tensor goes to `whole`, the rest to `own`.
Status read_entry(const std::string& tensor, const Json& entry, Json& whole, Json& own) {
  if (!entry.is_object()) {
    return wrong(tensor, "an entry must be an object");
  }
  for (const auto& [key, value] : entry.items()) {
    const KeyRow* row = find_key(key);
    if (row == nullptr) {
      return unknown_key(tensor, key);
    }
    Json& target = row->per_channel ? own : whole;
    target[std::string(row->ours)] = value;
    if (row->theirs == "quant_type") {
      const std::optional<Json> type = ort_type(value);
      if (!type) {
        return wrong(tensor, "quant_type must be a QuantType such as QInt8");
      }
      target["type"] = *type;
    }
  }
  return {};
}

}  // namespace

std::optional<Json> ort_type(const Json& value) {
  constexpr std::array kTypes = {std::pair{"QInt8", "int8"},   std::pair{"QUInt8", "uint8"},
                                 std::pair{"QInt16", "int16"}, std::pair{"QUInt16", "uint16"},
                                 std::pair{"QInt4", "int4"},   std::pair{"QUInt4", "uint4"}};
  if (!value.is_string()) {
    return std::nullopt;
  }
  std::string word = value.get<std::string>();
  word = word.substr(word.rfind('.') + 1);
  for (const auto& [theirs, ours] : kTypes) {
    if (word == theirs) {
      return Json(ours);
    }
  }
  return std::nullopt;
}

Result<Json> overrides_from_ort(const Json& value) {
  Json overrides = Json::object();
  if (!value.is_object()) {
    return invalid_argument("axis 'quantizer.ort_options': TensorQuantOverrides must be {tensor: [{...}]}");
  }
  for (const auto& [tensor, entries] : value.items()) {
    if (!entries.is_array() || entries.empty()) {
      return wrong(tensor, "a list of at least one entry is needed");
    }
    Json whole = Json::object();
    Json channels = Json::array();
    for (const Json& entry : entries) {
      Json own = Json::object();
      ASSAY_TRY(read_entry(tensor, entry, whole, own));
      channels.push_back(std::move(own));
    }
    if (channels.size() == 1) {
      whole.update(channels.front());
    } else {
      whole["channels"] = std::move(channels);
    }
    overrides[tensor] = std::move(whole);
  }
  return overrides;
}

}  // namespace assay::spec
