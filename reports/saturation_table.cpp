// SPDX-License-Identifier: Apache-2.0
#include "reports/saturation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/pivot.h"

namespace assay::reports {
namespace {

bool same_counts(const VariantResult& a, const VariantResult& b) {
  return std::ranges::equal(a.saturation, b.saturation, [](const Saturation& x, const Saturation& y) {
    return x.node == y.node && x.pairs == y.pairs && x.saturated == y.saturated && x.largest_loss == y.largest_loss;
  });
}

// "9 of 32, most in 4": the worst channel last.
std::string channels_text(const Saturation& layer) {
  if (layer.worst_channels.empty()) {
    return "";
  }
  return fmt::format("{} of {}, most in {}", layer.channels_saturated, layer.channels,
                     layer.worst_channels.front().channel);
}

// Pairs of weights that some activations saturate.
std::string risk_text(const Saturation& layer) {
  const double share = static_cast<double>(layer.weight_pairs_at_risk) / static_cast<double>(layer.weight_pairs);
  return layer.weight_pairs == 0 ? "" : fmt::format("{:.1f}", share * 100);
}

// Whether the variants of the case differ in an axis; in a case whose variants do not differ, every axis.
bool is_varied(const std::string& axis, const CaseGroup& group) {
  const auto value_of = [&](const VariantResult* result) { return result->variant.value(axis, Json()); };
  const VariantResult& first = *group.results.front();
  const bool differ =
      std::ranges::any_of(group.results, [&](const auto* result) { return result->variant != first.variant; });
  return !differ ||
         std::ranges::any_of(group.results, [&](const auto* result) { return value_of(result) != value_of(&first); });
}

std::string configuration_text(const VariantResult& result, std::size_t alike, const CaseGroup& group) {
  std::string text;
  for (const auto& [axis, value] : result.variant.items()) {
    if (is_varied(axis, group)) {
      text += (text.empty() ? "" : " ") + short_axis(axis) + "=" + value_text(value);
    }
  }
  return text + (alike > 0 ? fmt::format(" (and {} alike)", alike) : "");
}

}  // namespace

TextTable saturation_table(const CaseGroup& group) {
  std::vector<std::pair<const VariantResult*, std::size_t>> distinct;
  for (const VariantResult* result : group.results) {
    const auto same = [&](const auto& entry) { return same_counts(*entry.first, *result); };
    if (const auto known = std::ranges::find_if(distinct, same); known != distinct.end()) {
      ++known->second;
    } else if (!result->saturation.empty()) {
      distinct.emplace_back(result, 0);
    }
  }
  TextTable table;
  table.title = group.name + ": saturated pairs";
  table.columns = {{"configuration", Align::kLeft},      {"layer", Align::kLeft},
                   {"saturated %", Align::kRight},       {"pairs", Align::kRight},
                   {"largest loss", Align::kRight},      {"channels hit", Align::kRight},
                   {"weights at risk %", Align::kRight}, {"samples", Align::kRight}};
  for (const auto& [result, alike] : distinct) {
    std::string configuration = configuration_text(*result, alike, group);  // once, on its first row
    for (const Saturation& layer : result->saturation) {
      if (layer.saturated > 0) {
        const double share = static_cast<double>(layer.saturated) / static_cast<double>(layer.pairs);
        table.rows.push_back({std::exchange(configuration, ""), layer.node, fmt::format("{:.4f}", share * 100),
                              std::to_string(layer.pairs), std::to_string(layer.largest_loss), channels_text(layer),
                              risk_text(layer), std::to_string(layer.samples)});
      }
    }
  }
  return table;
}

}  // namespace assay::reports
