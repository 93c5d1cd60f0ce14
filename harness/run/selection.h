// SPDX-License-Identifier: Apache-2.0
// From paths and flags to the variants to run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "harness/spec/case.h"
#include "harness/spec/expand.h"

namespace assay::run {

struct Shard {
  std::size_t index = 1;  // 1..count
  std::size_t count = 1;
};
// "2/5".
Result<Shard> parse_shard(const std::string& text);

struct SelectOptions {
  std::vector<std::string> paths;
  std::string onnx_tests = {};        // --onnx-tests: a tree of ONNX backend tests
  std::vector<std::string> settings;  // --set axis=value
  std::vector<std::string> filters;
  std::vector<std::string> tags;        // a case with any of them
  std::optional<spec::Tier> tier = {};  // cases of this tier and of those before it
  Shard shard;
};

struct SelectedVariant {
  std::size_t case_index = 0;
  spec::Variant variant;
  // False: not asked for, but the baseline that a selected variant's speed is held against.
  bool selected = true;
};

struct Selection {
  std::vector<spec::Case> cases;
  std::vector<SelectedVariant> variants;  // in the order of files and expansion; unselected baselines included
  std::vector<std::string> errors;        // of case files and settings; then nothing else is meant to be used
  std::size_t selected_count() const;
};

// Shards take every count-th selected variant: the same ones whenever the files are the same.
Selection select_variants(const SelectOptions& options);

// The variant that `variant` is timed against under the case's `timing`: the baseline's value on the compared axis, and
// equal on every other axis that both have (an axis that cannot matter for one of them does not tell them apart).
// Nothing if there is none; the variant itself if it is the baseline.
std::optional<std::size_t> find_baseline(const spec::Timing& timing, const std::vector<spec::Variant>& variants,
                                         std::size_t variant);

}  // namespace assay::run
