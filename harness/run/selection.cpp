// SPDX-License-Identifier: Apache-2.0
#include "harness/run/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "engine/base/fnv.h"
#include "harness/run/external/registry.h"
#include "harness/run/filter.h"
#include "harness/run/settings.h"
#include "harness/spec/onnx_tests.h"
#include "harness/spec/settings.h"
#include "harness/spec/unused.h"

namespace assay::run {
namespace {

using spec::Json;
using spec::Variant;

const Json* matrix_value(const Variant& variant, const std::string& axis) {
  const auto found = std::ranges::find(variant.matrix, axis, &std::pair<std::string, Json>::first);
  return found == variant.matrix.end() ? nullptr : &found->second;
}

bool has_tag(const spec::Case& test_case, const std::vector<std::string>& tags) {
  return tags.empty() || std::ranges::any_of(tags, [&](const std::string& tag) {
           return std::ranges::find(test_case.tags, tag) != test_case.tags.end();
         });
}

bool has_baselines(const spec::Case& test_case) { return test_case.timing && test_case.timing->at_least_speedup; }

// Marks the baselines that selected variants of a case need.
void add_baselines(const spec::Case& test_case, const std::vector<Variant>& variants, const std::vector<bool>& selected,
                   std::vector<bool>& needed) {
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!selected[i]) {
      continue;
    }
    if (const auto baseline = find_baseline(*test_case.timing, variants, i)) {
      needed[*baseline] = true;
    }
  }
}

}  // namespace

std::size_t Selection::selected_count() const {
  return static_cast<std::size_t>(std::ranges::count(variants, true, &SelectedVariant::selected));
}

std::optional<std::size_t> find_baseline(const spec::Timing& timing, const std::vector<Variant>& variants,
                                         std::size_t variant) {
  const auto fits = [&](const Variant& candidate) {
    const Json* compared = matrix_value(candidate, timing.compare);
    if (compared == nullptr || *compared != timing.baseline) {
      return false;
    }
    return std::ranges::all_of(candidate.matrix, [&](const auto& entry) {
      const Json* own = matrix_value(variants[variant], entry.first);
      return entry.first == timing.compare || own == nullptr || *own == entry.second;
    });
  };
  const auto found = std::ranges::find_if(variants, fits);
  return found == variants.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - variants.begin()));
}

std::shared_ptr<const std::vector<Variant>> Selection::expanded(std::uint32_t case_index) const {
  const auto found = std::ranges::find(recent_, case_index, &Expansion::first);
  if (found != recent_.end()) {
    std::rotate(recent_.begin(), found, found + 1);
    return recent_.front().second;
  }
  Result<std::vector<Variant>> variants = spec::expand(cases[case_index], expand_options);
  auto shared = std::make_shared<const std::vector<Variant>>(variants.ok() ? std::move(variants).value()
                                                                           : std::vector<Variant>());
  recent_.emplace_front(case_index, shared);
  keep_recent();
  return shared;
}

void Selection::keep_recent() const {
  while (recent_.size() > kept_cases_) {
    recent_.pop_back();
  }
}

void Selection::keep_cases(std::size_t count) const {
  kept_cases_ = std::max<std::size_t>(count, 1);
  keep_recent();
}

std::shared_ptr<const Variant> Selection::variant(std::size_t position) const {
  const SelectedVariant& chosen = variants[position];
  std::shared_ptr<const std::vector<Variant>> all = expanded(chosen.case_index);
  return {all, &all->at(chosen.ordinal)};
}

namespace {

// The members of a case's "needs" that list runtimes.
std::vector<spec::Element> needed_runtimes(const spec::Case& test_case) {
  std::vector<spec::Element> lists;
  const spec::Element needs = test_case.element.member("needs");
  const bool several = needs.json().is_array();
  for (std::size_t i = 0; i < (several ? needs.size() : 1); ++i) {
    const spec::Element list = (several ? needs.item(i) : needs).member("runtimes");
    for (std::size_t k = 0; list.exists() && k < list.size(); ++k) {
      lists.push_back(list.item(k));
    }
  }
  return lists;
}

// Errors of runtimes that the registry does not have, each once: `names`, and what the selected cases need. A need
// without any registry is one that this machine lacks. The registry is only read where a name needs it.
void check_runtime_names(Selection& selection, const std::set<std::string>& names) {
  std::vector<spec::Element> needed;
  std::set<std::uint32_t> cases;
  for (const SelectedVariant& variant : selection.variants) {
    if (!selection.cases[variant.case_index].needs.empty() && cases.insert(variant.case_index).second) {
      std::ranges::move(needed_runtimes(selection.cases[variant.case_index]), std::back_inserter(needed));
    }
  }
  if (names.empty() && needed.empty()) {
    return;
  }
  const Result<RuntimeRegistry> registry = RuntimeRegistry::find();
  if (!registry.ok()) {
    selection.errors.push_back(registry.error().message);
    return;
  }
  for (const std::string& name : names) {
    if (const Result<RuntimeEntry> entry = registry.value().entry(name); !entry.ok()) {
      selection.errors.push_back("runtime.name=" + name + ": " + entry.error().message);
    }
  }
  for (const spec::Element& need : needed) {
    const Result<RuntimeEntry> entry = registry.value().entry(need.json().get<std::string>());
    if (!entry.ok() && !registry.value().entries().empty()) {
      selection.errors.push_back(need.error(entry.error().message).message);
    }
  }
}

// Entries of the case that none of its variants makes use of, whatever is selected of them. `variants`: under the
// settings of the command line, which may leave variants out.
std::vector<std::string> unused_of(const spec::Case& test_case, const std::vector<Variant>& variants,
                                   const spec::ExpandOptions& options) {
  if (!test_case.onnx_tests.empty() || !spec::has_conditions(test_case)) {
    return {};
  }
  if (options.settings.empty()) {
    return spec::unused_entries(test_case, variants);
  }
  const Result<std::vector<Variant>> all = spec::expand(test_case);
  return all.ok() ? spec::unused_entries(test_case, all.value()) : std::vector<std::string>();
}

// The variants of all cases with one of the tags, in order, and of each what is needed later, so that a case need not
// be expanded again. Names are kept only where filters or the caller ask for them.
struct Candidates {
  std::vector<SelectedVariant> variants;
  std::vector<std::string> names;
  std::vector<double> costs;                                      // seconds; with durations only
  std::map<std::size_t, std::set<std::string>> runtimes = {};     // external ones, of the variants that have any
  std::map<std::uint32_t, std::vector<std::string>> unused = {};  // entries of cases that have any
};

Candidates candidates_of(Selection& selection, const SelectOptions& options) {
  Candidates candidates;
  for (std::uint32_t i = 0; i < selection.cases.size(); ++i) {
    if (!has_tag(selection.cases[i], options.tags) || (options.tier && selection.cases[i].tier > *options.tier)) {
      continue;
    }
    const Result<std::vector<Variant>> variants = spec::expand(selection.cases[i], selection.expand_options);
    if (!variants.ok()) {
      selection.errors.push_back(variants.error().message);
      continue;
    }
    if (std::vector<std::string> unused = unused_of(selection.cases[i], variants.value(), selection.expand_options);
        !unused.empty()) {
      candidates.unused.emplace(i, std::move(unused));
    }
    for (std::uint32_t ordinal = 0; ordinal < variants.value().size(); ++ordinal) {
      const std::string& name = variants.value()[ordinal].name;
      std::set<std::string> runtimes = external_runtimes(selection.cases[i], variants.value()[ordinal].configuration);
      if (!runtimes.empty()) {
        candidates.runtimes.emplace(candidates.variants.size(), std::move(runtimes));
      }
      candidates.variants.push_back({i, ordinal, true});
      if (!options.filters.empty() || options.keep_names) {
        candidates.names.push_back(name);
      }
      if (options.durations) {
        candidates.costs.push_back(options.durations->cost_s(name));
      }
    }
  }
  return candidates;
}

// Leaves `selected` set for those of the shard.
void take_shard(Candidates& candidates, const SelectOptions& options) {
  std::vector<std::size_t> chosen;
  std::vector<double> costs;
  for (std::size_t i = 0; i < candidates.variants.size(); ++i) {
    if (candidates.variants[i].selected) {
      chosen.push_back(i);
      if (options.durations) {
        costs.push_back(candidates.costs[i]);
      }
    }
  }
  const std::vector<bool> own = members_of_shard(options.shard, chosen.size(), costs);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    candidates.variants[chosen[i]].selected = own[i];
  }
}

// What is selected, and the baselines that it needs, case by case.
void add_selected(Selection& selection, Candidates candidates, bool keep_names) {
  std::set<std::string> runtimes;
  const std::vector<SelectedVariant>& all = candidates.variants;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::uint32_t case_index = all[begin].case_index;
    std::vector<bool> selected;
    for (std::size_t i = begin; i < all.size() && all[i].case_index == case_index; ++i) {
      selected.push_back(all[i].selected);
    }
    std::vector<bool> needed = selected;
    if (const auto unused = candidates.unused.find(case_index);
        unused != candidates.unused.end() && std::ranges::find(selected, true) != selected.end()) {
      std::ranges::copy(unused->second, std::back_inserter(selection.warnings));
    }
    if (has_baselines(selection.cases[case_index]) && std::ranges::find(selected, true) != selected.end()) {
      add_baselines(selection.cases[case_index], *selection.expanded(case_index), selected, needed);
    }
    for (std::uint32_t i = 0; i < needed.size(); ++i) {
      if (!needed[i]) {
        continue;
      }
      selection.variants.push_back({case_index, i, selected[i]});
      if (keep_names) {
        selection.names.push_back(std::move(candidates.names[begin + i]));
      }
      if (const auto known = candidates.runtimes.find(begin + i); known != candidates.runtimes.end()) {
        runtimes.insert(known->second.begin(), known->second.end());
      }
    }
    begin += selected.size();
  }
  check_runtime_names(selection, runtimes);
}

// 64 bits FNV-1a over the names, a line each.
std::string digest_of(const Selection& selection, const std::vector<SelectedVariant>& candidates) {
  std::uint64_t hash = kFnvStart;
  for (const SelectedVariant& candidate : candidates) {
    if (candidate.selected) {
      hash = fnv1a((*selection.expanded(candidate.case_index))[candidate.ordinal].name + "\n", hash);
    }
  }
  return fmt::format("{:016x}", hash);
}

// Tags and tiers share words. "": neither is the reason.
std::string hint_of(const std::vector<spec::Case>& cases, const SelectOptions& options) {
  const auto tagged = [&](std::string_view tag) {
    return std::ranges::count_if(cases, [&](const spec::Case& c) { return has_tag(c, {std::string(tag)}); });
  };
  const auto of_tier = [&](spec::Tier tier) {
    return std::ranges::count_if(cases, [&](const spec::Case& c) { return c.tier <= tier; });
  };
  const auto cases_text = [](std::ptrdiff_t count) { return fmt::format("{} case{}", count, count == 1 ? "" : "s"); };
  for (const std::string& tag : options.tags) {
    const std::optional<spec::Tier> tier = spec::tier_of_name(tag);
    if (tier && tagged(tag) == 0 && of_tier(*tier) > 0) {
      const std::ptrdiff_t count = of_tier(*tier);
      return fmt::format("no case has the tag '{}', but {} in the tier of that name: --tier {}", tag,
                         cases_text(count) + (count == 1 ? " is" : " are"), tag);
    }
  }
  if (options.tier && of_tier(*options.tier) == 0 && tagged(spec::tier_name(*options.tier)) > 0) {
    const std::string_view tier = spec::tier_name(*options.tier);
    const std::ptrdiff_t count = tagged(tier);
    return fmt::format("no case is of the tier '{}', but {} the tag of that name: --tag {}", tier,
                       cases_text(count) + (count == 1 ? " has" : " have"), tier);
  }
  return "";
}

}  // namespace

Selection select_variants(const SelectOptions& options) {
  Selection selection;
  for (const std::string& text : options.settings) {
    if (const Status added = spec::add_setting(text, selection.expand_options.settings); !added.ok()) {
      selection.errors.push_back(added.error().message);
    }
  }
  spec::CaseSet set = spec::load_cases(options.paths);
  selection.cases = std::move(set.cases);
  selection.errors.insert(selection.errors.end(), set.errors.begin(), set.errors.end());
  if (!options.onnx_tests.empty()) {
    spec::CaseSet tests = spec::load_onnx_tests(options.onnx_tests);
    std::ranges::move(tests.cases, std::back_inserter(selection.cases));
    selection.errors.insert(selection.errors.end(), tests.errors.begin(), tests.errors.end());
  }
  if (!selection.errors.empty()) {
    return selection;
  }
  Candidates candidates = candidates_of(selection, options);
  if (!options.filters.empty()) {
    const std::vector<bool> flags = select_names(candidates.names, options.filters);
    for (std::size_t i = 0; i < flags.size(); ++i) {
      candidates.variants[i].selected = flags[i];
    }
  }
  selection.total = static_cast<std::size_t>(std::ranges::count(candidates.variants, true, &SelectedVariant::selected));
  if (selection.total == 0) {
    selection.hint = hint_of(selection.cases, options);
  }
  if (options.shard.count > 1) {
    selection.digest = digest_of(selection, candidates.variants);
    take_shard(candidates, options);
  }
  add_selected(selection, std::move(candidates), options.keep_names);
  return selection;
}

}  // namespace assay::run
