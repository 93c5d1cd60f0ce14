// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/settings.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::spec {
namespace {

std::string values_text(const Setting& setting) {
  std::string text;
  for (const Json& value : setting.values) {
    text += (text.empty() ? "" : ",") + axis_value_text(value);
  }
  return text;
}

}  // namespace

Status add_setting(const std::string& text, std::vector<Setting>& settings) {
  ASSAY_ASSIGN(Setting setting, parse_setting(text));
  const auto known = std::ranges::find(settings, setting.axis, &Setting::axis);
  if (known != settings.end()) {
    return invalid_argument(fmt::format("--set {}: {} is given twice, before as {}={}", text, setting.axis,
                                        setting.axis, values_text(*known)));
  }
  settings.push_back(std::move(setting));
  return {};
}

}  // namespace assay::spec
