// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/expand.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "harness/spec/ort_options.h"

namespace assay::spec {
namespace {

// The list with the settings in place of its values, or behind it where `add_missing`.
AxisList with_settings(AxisList list, const std::vector<Setting>& settings, bool add_missing) {
  for (const Setting& setting : settings) {
    bool found = false;
    for (auto& [axis, values] : list) {
      if (axis == setting.axis) {
        values = setting.values;
        found = true;
      }
    }
    if (!found && add_missing) {
      list.emplace_back(setting.axis, setting.values);
    }
  }
  return list;
}

Result<std::size_t> combination_count(const AxisList& list, const std::string& name) {
  std::size_t count = 1;
  for (const auto& [axis, values] : list) {
    if (values.empty()) {
      return std::size_t{0};
    }
    if (count > kMaxVariants / values.size()) {
      return invalid_argument(fmt::format("case '{}': the matrix has more than {} combinations", name, kMaxVariants));
    }
    count *= values.size();
  }
  return count;
}

class Expander {
 public:
  explicit Expander(const Case& test_case) : case_(test_case) {}

  // Adds every combination of `list` that no `exclude` matches. `named` are the axes of the names; axes of `list` that
  // are not among them come behind.
  Status add(const AxisList& list, const AxisList& named, const std::vector<Condition>& exclude);
  std::vector<Variant> take() { return std::move(variants_); }

 private:
  Status add_variant(Configuration configuration, const std::vector<std::string>& axes_in_name);

  const Case& case_;
  std::vector<Variant> variants_;
  std::unordered_set<std::string> seen_;
};

Status Expander::add(const AxisList& list, const AxisList& named, const std::vector<Condition>& exclude) {
  ASSAY_ASSIGN(const std::size_t count, combination_count(list, case_.name));
  std::vector<std::string> in_name;
  for (const AxisList* axes_of : {&named, &list}) {
    for (const auto& [axis, values] : *axes_of) {
      if (std::find(in_name.begin(), in_name.end(), axis) == in_name.end()) {
        in_name.push_back(axis);
      }
    }
  }
  for (std::size_t position = 0; position < count; ++position) {
    Configuration configuration;
    std::size_t rest = position;
    for (std::size_t i = list.size(); i-- > 0;) {
      const auto& [axis, values] = list[i];
      configuration.set(axis, values[rest % values.size()]);
      rest /= values.size();
    }
    const bool excluded =
        std::any_of(exclude.begin(), exclude.end(), [&](const Condition& entry) { return entry.holds(configuration); });
    if (!excluded) {
      ASSAY_TRY(add_variant(std::move(configuration), in_name));
    }
    if (variants_.size() > kMaxVariants) {
      return invalid_argument(fmt::format("case '{}' has more than {} variants", case_.name, kMaxVariants));
    }
  }
  return {};
}

Status Expander::add_variant(Configuration configuration, const std::vector<std::string>& axes_in_name) {
  if (const Status mapped = apply_ort_options(configuration); !mapped.ok()) {
    return invalid_argument(fmt::format("case '{}': {}", case_.name, mapped.error().message));
  }
  // An axis that cannot matter may itself decide about others, so the whole table is asked before any is reset.
  std::vector<std::string> idle;
  for (const auto& [name, value] : configuration.explicit_values()) {
    if (!find_axis(name)->applies(configuration)) {
      idle.push_back(name);
    }
  }
  for (const std::string& axis : idle) {
    configuration.reset(axis);
  }
  Variant variant;
  std::string values;
  for (const std::string& axis : axes_in_name) {
    if (find_axis(axis)->applies(configuration)) {
      const Json& value = configuration.get(axis);
      values += values.empty() ? "" : ",";
      values += axis;
      values += '=';
      values += axis_value_text(value);
      variant.matrix.emplace_back(axis, value);
    }
  }
  // Variants of equal effective values are one, in whatever way they are named.
  std::string identity;
  for (const auto& [axis, value] : configuration.explicit_values()) {
    if (value != find_axis(axis)->fallback) {
      identity += axis + '=' + axis_value_text(value) + '\n';
    }
  }
  if (!seen_.insert(std::move(identity)).second) {
    return {};
  }
  variant.name = values.empty() ? case_.name : case_.name + "[" + values + "]";
  variant.configuration = std::move(configuration);
  variants_.push_back(std::move(variant));
  return {};
}

}  // namespace

Result<std::vector<Variant>> expand(const Case& test_case, const ExpandOptions& options) {
  const AxisList matrix = with_settings(test_case.matrix, options.settings, true);
  std::vector<Condition> exclude;
  for (const AxisList& entry : test_case.exclude) {
    exclude.push_back({entry});
  }
  Expander expander(test_case);
  ASSAY_TRY(expander.add(matrix, matrix, exclude));
  for (const AxisList& entry : test_case.include) {
    AxisList included = with_settings(entry, options.settings, true);
    ASSAY_TRY(expander.add(included, matrix, {}));
  }
  return expander.take();
}

std::vector<std::pair<std::string, Json>> effective_values(const Configuration& configuration) {
  std::vector<std::pair<std::string, Json>> values;
  for (const Axis& axis : axes()) {
    if (axis.applies(configuration)) {
      values.emplace_back(std::string(axis.name), configuration.get(axis.name));
    }
  }
  return values;
}

}  // namespace assay::spec
