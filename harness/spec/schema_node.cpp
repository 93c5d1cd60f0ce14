// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/schema_node.h"

#include <algorithm>

namespace assay::spec {
namespace {

// The node and what it refers to and combines. The schema is ours: references are local and not circular.
void expand_node(const Json& schema, const Json& node, std::vector<const Json*>& nodes) {
  if (!node.is_object()) {
    return;
  }
  if (const auto found = node.find("$ref"); found != node.end()) {
    const auto& reference = found->get_ref<const std::string&>();
    expand_node(schema, schema.at(Json::json_pointer(reference.substr(1))), nodes);
    return;
  }
  nodes.push_back(&node);
  for (const char* combination : {"allOf", "anyOf", "oneOf"}) {
    if (const auto found = node.find(combination); found != node.end()) {
      for (const Json& part : *found) {
        expand_node(schema, part, nodes);
      }
    }
  }
}

const Json* child(const Json& node, const Step& step) {
  if (step.is_index) {
    const auto items = node.find("items");
    return items == node.end() ? nullptr : &*items;
  }
  if (const auto properties = node.find("properties"); properties != node.end()) {
    if (const auto property = properties->find(step.key); property != properties->end()) {
      return &*property;
    }
  }
  const auto additional = node.find("additionalProperties");
  return additional == node.end() || !additional->is_object() ? nullptr : &*additional;
}

template <typename T>
void append_new(std::vector<T>& list, T value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) {
    list.push_back(std::move(value));
  }
}

}  // namespace

std::vector<const Json*> schema_nodes_at(const Json& schema, const std::vector<Step>& path) {
  std::vector<const Json*> nodes;
  expand_node(schema, schema, nodes);
  for (const Step& step : path) {
    std::vector<const Json*> next;
    for (const Json* node : nodes) {
      if (const Json* found = child(*node, step)) {
        expand_node(schema, *found, next);
      }
    }
    nodes = std::move(next);
  }
  return nodes;
}

std::vector<std::string> known_keys(const std::vector<const Json*>& nodes) {
  std::vector<std::string> keys;
  for (const Json* node : nodes) {
    const auto additional = node->find("additionalProperties");
    const auto properties = node->find("properties");
    if (additional != node->end() && *additional == false && properties != node->end()) {
      for (const auto& [key, value] : properties->items()) {
        append_new(keys, std::string(key));
      }
    }
  }
  return keys;
}

std::vector<Json> known_values(const std::vector<const Json*>& nodes) {
  std::vector<Json> values;
  for (const Json* node : nodes) {
    if (const auto found = node->find("enum"); found != node->end()) {
      for (const Json& value : *found) {
        append_new(values, value);
      }
    }
  }
  return values;
}

std::vector<std::string> known_types(const std::vector<const Json*>& nodes) {
  std::vector<std::string> types;
  for (const Json* node : nodes) {
    const auto found = node->find("type");
    if (found == node->end()) {
      continue;
    }
    if (found->is_string()) {
      append_new(types, found->get<std::string>());
    } else {
      for (const Json& type : *found) {
        append_new(types, type.get<std::string>());
      }
    }
  }
  return types;
}

const Json* keyword(const std::vector<const Json*>& nodes, const std::string& name) {
  for (const Json* node : nodes) {
    if (const auto found = node->find(name); found != node->end()) {
      return &*found;
    }
  }
  return nullptr;
}

}  // namespace assay::spec
