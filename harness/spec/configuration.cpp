// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "harness/spec/axis.h"

namespace assay::spec {

const Json& Configuration::get(std::string_view axis) const {
  if (const auto found = values_.find(axis); found != values_.end()) {
    return found->second;
  }
  const Axis* known = find_axis(axis);
  assert(known != nullptr);
  return known->fallback;
}

std::string Configuration::text(std::string_view axis) const {
  const Json& value = get(axis);
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool Configuration::flag(std::string_view axis) const { return get(axis) == true; }

double Configuration::number(std::string_view axis) const {
  const Json& value = get(axis);
  return value.is_number() ? value.get<double>() : 0.0;
}

std::vector<std::string> Configuration::strings(std::string_view axis) const {
  std::vector<std::string> texts;
  const Json& value = get(axis);
  if (value.is_array()) {
    for (const Json& item : value) {
      texts.push_back(item.is_string() ? item.get<std::string>() : std::string());
    }
  }
  return texts;
}

bool Condition::holds(const Configuration& configuration) const {
  for (const auto& [axis, values] : terms) {
    const Json& effective = configuration.get(axis);
    bool any = false;
    for (const Json& value : values) {
      any = any || value == effective;
    }
    if (!any) {
      return false;
    }
  }
  return true;
}

}  // namespace assay::spec
