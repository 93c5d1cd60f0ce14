// SPDX-License-Identifier: Apache-2.0
#include "harness/run/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <string>

#include "harness/run/external/registry.h"
#include "harness/run/filter.h"
#include "harness/run/settings.h"
#include "harness/spec/onnx_tests.h"

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

struct Expanded {
  std::size_t case_index;
  std::vector<Variant> variants;
};

// Marks the baselines that selected variants of a case need.
void add_baselines(const spec::Case& test_case, const Expanded& expanded, const std::vector<bool>& selected,
                   std::vector<bool>& needed) {
  if (!test_case.timing || !test_case.timing->at_least_speedup) {
    return;
  }
  for (std::size_t i = 0; i < expanded.variants.size(); ++i) {
    if (!selected[i]) {
      continue;
    }
    if (const auto baseline = find_baseline(*test_case.timing, expanded.variants, i)) {
      needed[*baseline] = true;
    }
  }
}

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.index);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == '/') {
    const auto second = std::from_chars(first.ptr + 1, end, shard.count);
    if (second.ec == std::errc() && second.ptr == end && shard.index >= 1 && shard.index <= shard.count) {
      return shard;
    }
  }
  return invalid_argument(fmt::format("a shard is i/n with 1 <= i <= n, as 2/5; found '{}'", text));
}

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

namespace {

// Names of runtimes that the registry does not have, each once. The registry is only read where a name needs it.
void check_runtime_names(Selection& selection) {
  std::set<std::string> names;
  for (const SelectedVariant& chosen : selection.variants) {
    names.merge(external_runtimes(selection.cases[chosen.case_index], chosen.variant.configuration));
  }
  if (names.empty()) {
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
}

}  // namespace

Selection select_variants(const SelectOptions& options) {
  Selection selection;
  spec::ExpandOptions expand_options;
  for (const std::string& text : options.settings) {
    Result<spec::Setting> setting = spec::parse_setting(text);
    if (setting.ok()) {
      expand_options.settings.push_back(std::move(setting).value());
    } else {
      selection.errors.push_back(setting.error().message);
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
  std::vector<Expanded> expanded;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < selection.cases.size(); ++i) {
    if (!has_tag(selection.cases[i], options.tags) || (options.tier && selection.cases[i].tier > *options.tier)) {
      continue;
    }
    Result<std::vector<Variant>> variants = spec::expand(selection.cases[i], expand_options);
    if (!variants.ok()) {
      selection.errors.push_back(variants.error().message);
      continue;
    }
    for (const Variant& variant : variants.value()) {
      names.push_back(variant.name);
    }
    expanded.push_back({i, std::move(variants).value()});
  }
  std::vector<bool> flags = select_names(names, options.filters);
  std::size_t ordinal = 0;
  for (std::vector<bool>::reference flag : flags) {
    if (flag) {
      flag = ordinal++ % options.shard.count == options.shard.index - 1;
    }
  }
  std::size_t offset = 0;
  for (Expanded& entry : expanded) {
    const auto begin = flags.begin() + static_cast<std::ptrdiff_t>(offset);
    const std::vector<bool> selected(begin, begin + static_cast<std::ptrdiff_t>(entry.variants.size()));
    std::vector<bool> needed = selected;
    add_baselines(selection.cases[entry.case_index], entry, selected, needed);
    for (std::size_t i = 0; i < entry.variants.size(); ++i) {
      if (needed[i]) {
        selection.variants.push_back({entry.case_index, std::move(entry.variants[i]), selected[i]});
      }
    }
    offset += needed.size();
  }
  check_runtime_names(selection);
  return selection;
}

}  // namespace assay::run
