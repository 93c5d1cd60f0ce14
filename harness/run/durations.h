// SPDX-License-Identifier: Apache-2.0
// How long variants took in earlier runs: durations.json of an output folder, given to the next run. It balances shards
// and sets time-outs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"

namespace assay::run {

inline constexpr const char* kDurationsName = "durations.json";
inline constexpr std::size_t kKeptDurations = 9;  // of a variant, the most recent

class Durations {
 public:
  // A file, or a folder that has one.
  static Result<Durations> read(const std::string& path);
  static Result<Durations> parse(const std::string& text);

  bool empty() const { return seconds_.empty(); }
  // Oldest first; empty for a variant that is not known.
  const std::vector<float>& of(const std::string& name) const;
  // The median of the variant's durations; for one that is not known the median of all variants, or 1.
  double cost_s(const std::string& name) const;
  // `factor` times the median of the variant's durations, at least `floor_s`, at most `ceiling_s`; `ceiling_s` for one
  // that is not known.
  double timeout_s(const std::string& name, double factor, double floor_s, double ceiling_s) const;

 private:
  // By a hash of the name: the names themselves would need more memory than anything else in a large run. Should two
  // share one, they share their durations, which costs balance and nothing else: a time-out has a floor.
  std::unordered_map<std::uint64_t, std::vector<float>> seconds_;
  double typical_s_ = 1;
};

// The durations of several folders in one text, for a merged run. A folder without any adds nothing.
Result<std::string> joined_durations(const std::vector<std::string>& folders);

// The text of durations.json: what `known` has of each name, and the new duration behind it where there is one (not
// negative). `visit` calls its argument once per variant.
using DurationVisitor = std::function<void(const std::string& name, double seconds)>;
void write_durations(const Durations& known, const std::function<void(const DurationVisitor&)>& visit,
                     const std::function<void(std::string_view)>& sink);

}  // namespace assay::run
