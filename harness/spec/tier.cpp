// SPDX-License-Identifier: Apache-2.0
// The tiers: one table.
#include <array>

#include "harness/spec/case.h"

namespace assay::spec {
namespace {

struct TierRow {
  Tier tier;
  std::string_view name;
};
constexpr std::array<TierRow, 3> kTiers = {
    {{Tier::kSmoke, "smoke"}, {Tier::kNightly, "nightly"}, {Tier::kWeekly, "weekly"}}};

}  // namespace

std::optional<Tier> tier_of_name(std::string_view name) {
  for (const TierRow& row : kTiers) {
    if (row.name == name) {
      return row.tier;
    }
  }
  return std::nullopt;
}

std::string_view tier_name(Tier tier) { return kTiers[static_cast<std::size_t>(tier)].name; }

std::vector<std::string> tier_names() {
  std::vector<std::string> names;
  for (const TierRow& row : kTiers) {
    names.emplace_back(row.name);
  }
  return names;
}

}  // namespace assay::spec
