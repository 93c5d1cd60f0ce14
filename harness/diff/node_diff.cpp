// SPDX-License-Identifier: Apache-2.0
#include "harness/diff/node_diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace assay::diff {
namespace {

struct DefaultRow {
  std::string_view attribute;
  std::string_view op_type;  // "" for every operator
  double value;              // of a number, or of every element of a list
};

// What ONNX says an absent attribute stands for, where that depends on neither the version nor the model.
constexpr std::array<DefaultRow, 38> kDefaults = {{
    {"pads", "", 0},
    {"strides", "", 1},
    {"dilations", "", 1},
    {"output_padding", "", 0},
    {"group", "", 1},
    {"ceil_mode", "", 0},
    {"storage_order", "", 0},
    {"count_include_pad", "", 0},
    {"transA", "", 0},
    {"transB", "", 0},
    {"alpha", "Gemm", 1},
    {"alpha", "QGemm", 1},
    {"alpha", "LeakyRelu", 0.01},
    {"alpha", "Elu", 1},
    {"alpha", "HardSigmoid", 0.2},
    {"beta", "Gemm", 1},
    {"beta", "HardSigmoid", 0.5},
    {"allowzero", "", 0},
    {"keepdims", "", 1},
    {"noop_with_empty_axes", "", 0},
    {"select_last_index", "", 0},
    {"axis", "Gather", 0},
    {"axis", "GatherElements", 0},
    {"axis", "ScatterElements", 0},
    {"axis", "Flatten", 1},
    {"axis", "ArgMax", 0},
    {"axis", "ArgMin", 0},
    {"axis", "TopK", -1},
    {"axis", "QuantizeLinear", 1},
    {"axis", "DequantizeLinear", 1},
    {"block_size", "", 0},
    {"saturate", "", 1},
    {"largest", "TopK", 1},
    {"sorted", "TopK", 1},
    {"batch_dims", "GatherND", 0},
    {"epsilon", "BatchNormalization", 1e-5},
    {"epsilon", "LayerNormalization", 1e-5},
    {"epsilon", "InstanceNormalization", 1e-5},
}};

struct DefaultText {
  std::string_view attribute;
  std::string_view op_type;  // "" for every operator
  std::string_view value;
};

constexpr std::array<DefaultText, 9> kDefaultTexts = {{
    {"auto_pad", "", "NOTSET"},
    {"mode", "Resize", "nearest"},
    {"mode", "Pad", "constant"},
    {"coordinate_transformation_mode", "Resize", "half_pixel"},
    {"nearest_mode", "Resize", "round_prefer_floor"},
    {"direction", "", "forward"},
    {"reduction", "ScatterElements", "none"},
    {"reduction", "ScatterND", "none"},
    {"approximate", "Gelu", "none"},
}};

bool all_equal(const Attribute& attribute, double value) {
  if (const auto* number = std::get_if<Index>(&attribute)) {
    return static_cast<double>(*number) == value;
  }
  if (const auto* number = std::get_if<float>(&attribute)) {
    return *number == static_cast<float>(value);
  }
  const auto* list = std::get_if<std::vector<Index>>(&attribute);
  return list != nullptr &&
         std::ranges::all_of(*list, [&](Index element) { return static_cast<double>(element) == value; });
}

// Attributes that restate what the weights are.
bool restates_the_weights(const Node& node, const std::string& key) {
  return key == "kernel_shape" &&
         (node.op_type.ends_with("Conv") || node.op_type == "ConvTranspose" || node.op_type == "ConvInteger");
}

bool is_default(const Node& node, const std::string& key, const Attribute& value) {
  const auto is_row_of = [&](const auto& row) {
    return row.attribute == key && (row.op_type.empty() || row.op_type == node.op_type);
  };
  if (const auto* text = std::get_if<std::string>(&value)) {
    return std::ranges::any_of(kDefaultTexts,
                               [&](const DefaultText& row) { return is_row_of(row) && row.value == *text; });
  }
  return restates_the_weights(node, key) || std::ranges::any_of(kDefaults, [&](const DefaultRow& row) {
           return is_row_of(row) && all_equal(value, row.value);
         });
}

std::string text_of(const Attribute& attribute) {
  struct Writer {
    std::string operator()(Index value) const { return std::to_string(value); }
    std::string operator()(float value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const std::vector<Index>& value) const {
      return fmt::format("[{}]", fmt::join(value, ", "));
    }
    std::string operator()(const std::vector<float>& value) const {
      return fmt::format("[{}]", fmt::join(value, ", "));
    }
    std::string operator()(const std::vector<std::string>& value) const {
      return fmt::format("[{}]", fmt::join(value, ", "));
    }
    std::string operator()(const Tensor& value) const {
      return fmt::format("{} {}", dtype_name(value.dtype()), shape_text(value.shape()));
    }
    std::string operator()(const GraphPtr&) const { return "a graph"; }
  };
  return std::visit(Writer{}, attribute);
}

bool same(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) {
    return false;
  }
  return std::visit(
      [&](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, Tensor>) {
          return bytes_equal(value, std::get<Tensor>(b));
        } else if constexpr (std::is_same_v<Value, GraphPtr>) {
          return true;  // bodies are compared node by node
        } else {
          return value == std::get<Value>(b);
        }
      },
      a);
}

void compare_attributes(const Node& before, const Node& after, std::vector<std::string>& details) {
  std::set<std::string> keys;
  for (const Node* node : {&before, &after}) {
    for (const auto& [key, value] : node->attributes) {
      keys.insert(key);
    }
  }
  const auto text = [](const Node& node, const std::string& key) {
    const auto found = node.attributes.find(key);
    return found == node.attributes.end() ? std::string("none") : text_of(found->second);
  };
  for (const std::string& key : keys) {
    const auto a = before.attributes.find(key);
    const auto b = after.attributes.find(key);
    const bool in_a = a != before.attributes.end();
    const bool in_b = b != after.attributes.end();
    const bool equal = in_a && in_b ? same(a->second, b->second)
                                    : is_default(in_a ? before : after, key, in_a ? a->second : b->second);
    if (!equal) {
      details.push_back(fmt::format("attribute {}: {} -> {}", key, text(before, key), text(after, key)));
    }
  }
}

void compare_values(const char* what, const std::vector<std::string>& before, const std::vector<std::string>& after,
                    std::vector<std::string>& details) {
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    const std::string a = i < before.size() ? before[i] : "";
    const std::string b = i < after.size() ? after[i] : "";
    if (a != b) {
      details.push_back(fmt::format("{} {}: {} -> {}", what, i, a.empty() ? "none" : a, b.empty() ? "none" : b));
    }
  }
}

std::string op_text(const Node& node) { return node.domain.empty() ? node.op_type : node.domain + "." + node.op_type; }

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> pair_nodes(const std::vector<api::StatedNode>& before,
                                                            const std::vector<api::StatedNode>& after) {
  std::vector<std::size_t> partner(before.size(), kNone);
  std::vector<bool> used(after.size(), false);
  const auto pair_by = [&](auto key) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (!used[i] && !key(after[i].node).empty()) {
        places.emplace(key(after[i].node), i);
      }
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      const auto place = partner[i] == kNone ? places.find(key(before[i].node)) : places.end();
      if (place != places.end() && !used[place->second]) {
        partner[i] = place->second;
        used[place->second] = true;
      }
    }
  };
  pair_by([](const Node& node) { return node.name; });
  pair_by([](const Node& node) { return node.outputs.empty() ? std::string() : node.outputs[0]; });
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < before.size(); ++i) {
    pairs.emplace_back(i, partner[i]);
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!used[i]) {
      pairs.emplace_back(kNone, i);
    }
  }
  return pairs;
}

std::optional<NodeDiff> compare_node(const api::StatedNode* before, const api::StatedNode* after) {
  NodeDiff diff;
  diff.node = (before != nullptr ? before : after)->node.name;
  diff.change = before == nullptr ? Change::kAdded : after == nullptr ? Change::kRemoved : Change::kChanged;
  if (before != nullptr) {
    diff.op_before = op_text(before->node);
    diff.arithmetic_before = before->arithmetic;
  }
  if (after != nullptr) {
    diff.op_after = op_text(after->node);
    diff.arithmetic_after = after->arithmetic;
  }
  if (diff.change != Change::kChanged) {
    return diff;
  }
  if (diff.op_before == diff.op_after) {
    compare_attributes(before->node, after->node, diff.details);
    compare_values("input", before->node.inputs, after->node.inputs, diff.details);
    compare_values("output", before->node.outputs, after->node.outputs, diff.details);
  } else {
    diff.details.push_back(fmt::format("operator: {} -> {}", diff.op_before, diff.op_after));
  }
  if (diff.arithmetic_before != diff.arithmetic_after) {
    diff.details.push_back(fmt::format("computes in: {} -> {}", arithmetic_name(diff.arithmetic_before),
                                       arithmetic_name(diff.arithmetic_after)));
  }
  return diff.details.empty() ? std::nullopt : std::optional(diff);
}

}  // namespace assay::diff
