// SPDX-License-Identifier: Apache-2.0
// From paths and flags to the variants to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "harness/run/durations.h"
#include "harness/run/shard.h"
#include "harness/spec/case.h"
#include "harness/spec/expand.h"

namespace assay::run {

struct SelectOptions {
  std::vector<std::string> paths;
  std::string onnx_tests = {};        // --onnx-tests: a tree of ONNX backend tests
  std::vector<std::string> settings;  // --set axis=value
  std::vector<std::string> filters;
  std::vector<std::string> tags;        // a case with any of them
  std::optional<spec::Tier> tier = {};  // cases of this tier and of those before it
  Shard shard;
  std::shared_ptr<const Durations> durations;  // --durations; may be null
  bool keep_names = false;                     // fills Selection::names
};

struct SelectedVariant {
  std::uint32_t case_index = 0;
  std::uint32_t ordinal = 0;  // in the expansion of its case
  // False: not asked for, but the baseline that a selected variant's speed is held against.
  bool selected = true;
};

// Variants are made when they are asked for: of a case with many, all would need more memory than all their results.
class Selection {
 public:
  std::vector<spec::Case> cases;
  std::vector<SelectedVariant> variants;  // in the order of files and expansion; unselected baselines included
  std::vector<std::string> names;         // of `variants`, where they were asked for
  std::vector<std::string> errors;        // of case files and settings; then nothing else is meant to be used
  std::vector<std::string> warnings;      // of selected cases: "FILE:LINE:COLUMN: warning: message"
  std::string hint;                       // where --tag or --tier alone selects nothing: what was meant, perhaps
  spec::ExpandOptions expand_options;
  // Of the whole selection, before its shard was taken: the number of variants, and 16 hex digits that tell it apart.
  std::size_t total = 0;
  std::string digest;

  std::size_t selected_count() const;
  const spec::Case& case_of(std::size_t position) const { return cases[variants[position].case_index]; }
  // The variant at a position of `variants`. The copy is good as long as the caller keeps it.
  std::shared_ptr<const spec::Variant> variant(std::size_t position) const;
  // All variants of a case, of those cases that were asked for last.
  std::shared_ptr<const std::vector<spec::Variant>> expanded(std::uint32_t case_index) const;
  // Of how many cases the variants are kept (one unless told): as many as are asked for in turn. At least one.
  void keep_cases(std::size_t count) const;

 private:
  void keep_recent() const;
  using Expansion = std::pair<std::uint32_t, std::shared_ptr<const std::vector<spec::Variant>>>;
  mutable std::deque<Expansion> recent_;  // most recent first
  mutable std::size_t kept_cases_ = 1;
};

// Shards without recorded durations take every count-th selected variant; with them, each the next longest to the shard
// that has least to do: the same ones whenever the files are the same.
Selection select_variants(const SelectOptions& options);

// The variant that `variant` is timed against under the case's `timing`: the baseline's value on the compared axis, and
// equal on every other axis that both have (an axis that cannot matter for one of them does not tell them apart).
// Nothing if there is none; the variant itself if it is the baseline.
std::optional<std::size_t> find_baseline(const spec::Timing& timing, const std::vector<spec::Variant>& variants,
                                         std::size_t variant);

}  // namespace assay::run
