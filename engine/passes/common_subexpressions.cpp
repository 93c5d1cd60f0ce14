// SPDX-License-Identifier: Apache-2.0
// Nodes that compute the same from the same values are one node. Equal small constants count as the same value.
#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr std::size_t kComparedBytes = 256;  // constants up to this size are compared by value

// Twice the same call need not give the same.
bool is_random(const Node& node) {
  constexpr std::array<std::string_view, 7> kRandom = {
      "Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"};
  return std::find(kRandom.begin(), kRandom.end(), node.op_type) != kRandom.end();
}

// A text that is the same only for equal parts: each with its length in front.
class Key {
 public:
  void add(std::string_view part) {
    text_ += std::to_string(part.size());
    text_ += ':';
    text_ += part;
  }
  template <typename List>
  void add_numbers(const List& values) {
    add({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])});
  }
  void add_tensor(const Tensor& tensor) {
    add(dtype_name(tensor.dtype()));
    add_numbers(tensor.shape());
    add({reinterpret_cast<const char*>(tensor.bytes()), tensor.size_bytes()});
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// False for subgraphs, which are not compared.
bool add_attribute(Key& key, const std::string& name, const Attribute& attribute) {
  key.add(name);
  key.add(std::to_string(attribute.index()));
  if (const auto* integer = std::get_if<Index>(&attribute)) {
    key.add_numbers(std::vector<Index>{*integer});
  } else if (const auto* real = std::get_if<float>(&attribute)) {
    key.add_numbers(std::vector<float>{*real});
  } else if (const auto* text = std::get_if<std::string>(&attribute)) {
    key.add(*text);
  } else if (const auto* integers = std::get_if<std::vector<Index>>(&attribute)) {
    key.add_numbers(*integers);
  } else if (const auto* reals = std::get_if<std::vector<float>>(&attribute)) {
    key.add_numbers(*reals);
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute)) {
    key.add(std::to_string(texts->size()));
    for (const std::string& part : *texts) {
      key.add(part);
    }
  } else if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
    key.add_tensor(*tensor);
  } else {
    return false;
  }
  return true;
}

void add_input(Key& key, const Graph& graph, const std::string& value) {
  const Tensor* constant = graph.constant(value);
  if (constant != nullptr && constant->size_bytes() <= kComparedBytes) {
    key.add("constant");
    key.add_tensor(*constant);
  } else {
    key.add("value");
    key.add(value);
  }
}

// Empty for a node that may not be merged.
std::string key_of(const Graph& graph, const Node& node) {
  if (node.captures > 0 || is_random(node)) {
    return {};
  }
  Key key;
  key.add(node.domain);
  key.add(node.op_type);
  key.add(std::to_string(node.inputs.size()));
  for (const std::string& input : node.inputs) {
    add_input(key, graph, input);
  }
  key.add(std::to_string(node.attributes.size()));
  for (const auto& [name, attribute] : node.attributes) {
    if (!add_attribute(key, name, attribute)) {
      return {};
    }
  }
  return key.text();
}

// Whether every value of `node` may be read from `first` instead.
bool can_replace(const Graph& graph, const Node& node, const Node& first) {
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) {
      continue;
    }
    if (graph.is_output(node.outputs[i]) || i >= first.outputs.size() || first.outputs[i].empty()) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<Index> common_subexpressions(Graph& graph, const PassContext& /*context*/) {
  std::unordered_map<std::string, std::size_t> first_with;   // key -> position
  std::unordered_map<std::string, std::string> replacement;  // value -> the same value of an earlier node
  std::vector<std::size_t> merged;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    for (std::string& input : node.inputs) {
      if (const auto found = replacement.find(input); found != replacement.end()) {
        input = found->second;
      }
    }
    const std::string key = key_of(graph, node);
    const auto [entry, added] = key.empty() ? std::pair(first_with.end(), true) : first_with.emplace(key, i);
    if (added || !can_replace(graph, node, graph.nodes[entry->second])) {
      continue;
    }
    for (std::size_t j = 0; j < node.outputs.size(); ++j) {
      if (!node.outputs[j].empty()) {
        replacement[node.outputs[j]] = graph.nodes[entry->second].outputs[j];
      }
    }
    merged.push_back(i);
  }
  const auto count = static_cast<Index>(merged.size());
  erase_nodes(graph, std::move(merged));
  remove_dead_nodes(graph);
  return count;
}

}  // namespace assay::passes
