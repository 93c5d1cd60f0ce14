// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/einsum_equation.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace assay::runtime {
namespace {

constexpr char kEllipsis = '.';

Result<std::string> parse_term(const std::string& term, const std::string& equation) {
  std::string out;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(term[i])) != 0) {
      out += term[i];
    } else if (term.compare(i, 3, "...") == 0 && out.find(kEllipsis) == std::string::npos) {
      out += kEllipsis;
      i += 2;
    } else {
      return invalid_model("equation '" + equation + "' may hold letters, ',', '...' and '->'; found '" + term + "'");
    }
  }
  return out;
}

// A label's number: letters by themselves, ellipsis dimensions counted from the last one.
class Labels {
 public:
  std::size_t number(const std::string& key) { return numbers_.try_emplace(key, numbers_.size()).first->second; }
  bool contains(const std::string& key) const { return numbers_.contains(key); }
  std::size_t count() const { return numbers_.size(); }

 private:
  std::map<std::string, std::size_t> numbers_;
};

std::string ellipsis_key(std::size_t from_end) { return "." + std::to_string(from_end); }

// The labels of one term, with `hidden` dimensions for its ellipsis.
std::vector<std::string> expand(const std::string& term, std::size_t hidden) {
  std::vector<std::string> keys;
  for (const char label : term) {
    if (label != kEllipsis) {
      keys.emplace_back(1, label);
      continue;
    }
    for (std::size_t i = hidden; i-- > 0;) {
      keys.push_back(ellipsis_key(i));
    }
  }
  return keys;
}

}  // namespace

Result<EinsumEquation> parse_einsum(const std::string& equation) {
  std::string text = equation;
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  EinsumEquation out;
  std::string inputs = text;
  if (const auto arrow = text.find("->"); arrow != std::string::npos) {
    out.explicit_output = true;
    ASSAY_ASSIGN(out.output, parse_term(text.substr(arrow + 2), equation));
    inputs = text.substr(0, arrow);
  }
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = inputs.find(',', begin);
    ASSAY_ASSIGN(std::string term, parse_term(inputs.substr(begin, comma - begin), equation));
    out.inputs.push_back(std::move(term));
    if (comma == std::string::npos) {
      return out;
    }
    begin = comma + 1;
  }
}

Result<EinsumPlan> plan_einsum(const EinsumEquation& equation, const std::vector<Shape>& shapes) {
  if (shapes.size() != equation.inputs.size()) {
    return invalid_argument("the equation has " + std::to_string(equation.inputs.size()) + " operands; found " +
                            std::to_string(shapes.size()));
  }
  EinsumPlan plan;
  Labels labels;
  std::map<std::string, int> uses;
  std::size_t most_hidden = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string& term = equation.inputs[i];
    const bool has_ellipsis = term.find(kEllipsis) != std::string::npos;
    const std::size_t named = term.size() - (has_ellipsis ? 1 : 0);
    if (shapes[i].size() < named || (!has_ellipsis && shapes[i].size() != named)) {
      return invalid_argument("operand " + std::to_string(i) + " of shape " + shape_text(shapes[i]) + " has not the " +
                              std::to_string(named) + " dimensions of '" + term + "'");
    }
    const std::size_t hidden = shapes[i].size() - named;
    most_hidden = std::max(most_hidden, hidden);
    std::vector<std::size_t> numbers;
    for (const std::string& key : expand(term, hidden)) {
      const std::size_t label = labels.number(key);
      plan.sizes.resize(labels.count(), 1);
      const Index size = shapes[i][numbers.size()];
      if (size != 1 && plan.sizes[label] != 1 && plan.sizes[label] != size) {
        return invalid_argument("label '" + key + "' stands for the sizes " + std::to_string(plan.sizes[label]) +
                                " and " + std::to_string(size));
      }
      plan.sizes[label] = size == 1 ? plan.sizes[label] : size;
      numbers.push_back(label);
      ++uses[key];
    }
    plan.inputs.push_back(std::move(numbers));
  }
  std::vector<std::string> outputs;
  if (equation.explicit_output) {
    outputs = expand(equation.output, most_hidden);
  } else {
    outputs = expand(".", most_hidden);
    for (const auto& [key, count] : uses) {
      if (count == 1 && key[0] != kEllipsis) {
        outputs.push_back(key);
      }
    }
  }
  for (const std::string& key : outputs) {
    if (!labels.contains(key)) {
      return invalid_argument("output label '" + key + "' stands in no operand");
    }
    const std::size_t label = labels.number(key);
    if (std::find(plan.output.begin(), plan.output.end(), label) != plan.output.end()) {
      return invalid_argument("output label '" + key + "' is given twice");
    }
    plan.output.push_back(label);
  }
  return plan;
}

}  // namespace assay::runtime
