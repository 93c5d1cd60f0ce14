// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/schema_accept.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "harness/spec/json_scanner.h"

namespace assay::spec {
namespace {

struct TypeRow {
  std::string_view name;
  unsigned bit;
};
constexpr std::array<TypeRow, 7> kTypes = {
    {{"null", 1}, {"boolean", 2}, {"object", 4}, {"array", 8}, {"string", 16}, {"number", 32}, {"integer", 64}}};

// Keywords that do not decide. Of allOf the conditional rules (if) are left out, as in the check of cases.
constexpr std::array<std::string_view, 6> kIgnored = {"description", "default", "title",
                                                      "examples",    "$schema", "definitions"};

// A whole float counts as an integer, up to the size at which every float is whole.
bool is_whole(const Json& value) {
  if (value.is_number_integer()) {
    return true;
  }
  const double number = value.get<double>();
  return number == std::floor(number) && std::fabs(number) <= 0x1p53;
}

unsigned bits_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return 1;
    case Json::value_t::boolean:
      return 2;
    case Json::value_t::object:
      return 4;
    case Json::value_t::array:
      return 8;
    case Json::value_t::string:
      return 16;
    default:
      return is_whole(value) ? 32 | 64 : 32;
  }
}

std::size_t code_points(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

unsigned type_bit(const Json& name) {
  for (const TypeRow& row : kTypes) {
    if (name == row.name) {
      return row.bit;
    }
  }
  return 0;
}

}  // namespace

SchemaAcceptor::SchemaAcceptor(const Json& schema) : schema_(schema) { root_ = node_at("", schema); }

const SchemaAcceptor::Node* SchemaAcceptor::node_at(const std::string& pointer, const Json& json) {
  const auto [place, fresh] = by_pointer_.try_emplace(pointer);
  if (!fresh) {
    return place->second;
  }
  Node& node = nodes_.emplace_back();
  place->second = &node;
  read(node, pointer, json);
  return &node;
}

void SchemaAcceptor::read(Node& node, const std::string& pointer, const Json& json) {
  if (!json.is_object()) {
    known_ = false;
    return;
  }
  for (const auto& [key, value] : json.items()) {
    read_keyword(node, pointer + "/" + escape_pointer_token(key), key, value);
  }
}

std::vector<const SchemaAcceptor::Node*> SchemaAcceptor::read_list(const std::string& pointer, const Json& list) {
  std::vector<const Node*> nodes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].contains("if")) {
      nodes.push_back(node_at(pointer + "/" + std::to_string(i), list[i]));
    }
  }
  return nodes;
}

void SchemaAcceptor::read_keyword(Node& node, const std::string& pointer, const std::string& key, const Json& value) {
  if (std::find(kIgnored.begin(), kIgnored.end(), key) != kIgnored.end()) {
    return;
  }
  if (key == "$ref") {
    const std::string target = value.get<std::string>().substr(1);  // behind "#"
    node.all_of.push_back(node_at(target, schema_.at(Json::json_pointer(target))));
  } else if (key == "type") {
    for (const Json& name : value.is_array() ? value : Json::array({value})) {
      node.types |= type_bit(name);
    }
  } else if (key == "enum") {
    node.has_values = true;
    node.values.assign(value.begin(), value.end());
  } else if (key == "properties") {
    for (const auto& [name, schema] : value.items()) {
      node.properties[name] = node_at(pointer + "/" + escape_pointer_token(name), schema);
    }
  } else if (key == "patternProperties") {
    known_ = known_ && value.size() == 1 && value.contains("^x-");
    node.free_keys = true;
  } else if (key == "additionalProperties") {
    if (value.is_object()) {
      node.additional = node_at(pointer, value);
    } else {
      node.closed = value == false;
    }
  } else if (key == "items") {
    node.items = node_at(pointer, value);
  } else if (key == "minimum") {
    node.has_minimum = true;
    node.minimum = value.get<double>();
  } else if (key == "maximum") {
    node.has_maximum = true;
    node.maximum = value.get<double>();
  } else if (key == "minLength") {
    node.characters.min = value.get<std::size_t>();
  } else if (key == "maxLength") {
    node.characters.max = value.get<std::size_t>();
  } else if (key == "minItems") {
    node.elements.min = value.get<std::size_t>();
  } else if (key == "maxItems") {
    node.elements.max = value.get<std::size_t>();
  } else if (key == "minProperties") {
    node.members.min = value.get<std::size_t>();
  } else if (key == "maxProperties") {
    node.members.max = value.get<std::size_t>();
  } else if (key == "required") {
    node.required = value.get<std::vector<std::string>>();
  } else if (key == "dependencies") {
    for (const auto& [name, needed] : value.items()) {
      node.dependencies.emplace_back(name, needed.get<std::vector<std::string>>());
    }
  } else if (key == "allOf") {
    const std::vector<const Node*> list = read_list(pointer, value);
    node.all_of.insert(node.all_of.end(), list.begin(), list.end());
  } else if (key == "anyOf") {
    node.any_of = read_list(pointer, value);
  } else if (key == "oneOf") {
    node.one_of = read_list(pointer, value);
  } else {
    known_ = false;
  }
}

bool SchemaAcceptor::fits_object(const Node& node, const Json& value) {
  for (const auto& [key, member] : value.items()) {
    const auto property = node.properties.find(key);
    if (property != node.properties.end()) {
      if (!fits(*property->second, member)) {
        return false;
      }
    } else if (node.free_keys && key.starts_with("x-")) {
      continue;
    } else if (node.closed || (node.additional != nullptr && !fits(*node.additional, member))) {
      return false;
    }
  }
  const auto has = [&](const std::string& key) { return value.contains(key); };
  return std::all_of(node.required.begin(), node.required.end(), has) &&
         std::all_of(node.dependencies.begin(), node.dependencies.end(), [&](const auto& dependency) {
           return !has(dependency.first) || std::all_of(dependency.second.begin(), dependency.second.end(), has);
         });
}

// Recursion is bounded by the depth that Document allows.
bool SchemaAcceptor::fits(const Node& node, const Json& value) {
  if (node.types != 0 && (node.types & bits_of(value)) == 0) {
    return false;
  }
  if (node.has_values && std::find(node.values.begin(), node.values.end(), value) == node.values.end()) {
    return false;
  }
  if (value.is_number()) {
    const double number = value.get<double>();
    if ((node.has_minimum && number < node.minimum) || (node.has_maximum && number > node.maximum)) {
      return false;
    }
  }
  const bool sized = value.is_string()  ? node.characters.allow(code_points(value.get_ref<const std::string&>()))
                     : value.is_array() ? node.elements.allow(value.size())
                                        : !value.is_object() || node.members.allow(value.size());
  if (!sized) {
    return false;
  }
  if (value.is_object() && !fits_object(node, value)) {
    return false;
  }
  const auto fitting = [&](const Node* part) { return fits(*part, value); };
  if (value.is_array() && node.items != nullptr &&
      !std::all_of(value.begin(), value.end(), [&](const Json& item) { return fits(*node.items, item); })) {
    return false;
  }
  return std::all_of(node.all_of.begin(), node.all_of.end(), fitting) &&
         (node.any_of.empty() || std::any_of(node.any_of.begin(), node.any_of.end(), fitting)) &&
         (node.one_of.empty() || std::count_if(node.one_of.begin(), node.one_of.end(), fitting) == 1);
}

}  // namespace assay::spec
