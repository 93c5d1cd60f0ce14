// SPDX-License-Identifier: Apache-2.0
// What a reader has to look at: failures, skips, weak passes and the like, with those that say the same put together.
// Two variants say the same if they belong to one case and have the same outcome, the same reason and the same failed
// checks (metric, output, limit); their measured values may differ.
#pragma once

#include <string>
#include <vector>

#include "reports/record.h"

namespace assay::reports {

struct AttentionGroup {
  VariantResult first;
  std::size_t count = 0;
  // The axes of the case that these variants do not cover: "quantizer.relu=drop", "runtime.isa=avx2|avx512".
  std::vector<std::string> narrowed;
};

// ", all with quantizer.relu=drop, runtime.isa=avx2|avx512"; "" where the group covers every axis.
std::string narrowed_text(const AttentionGroup& group);

// More kinds than this are for machines to read.
inline constexpr std::size_t kMaxAttentionGroups = 1000;

struct AttentionList {
  std::vector<AttentionGroup> groups;  // by case, in the order of their first variants; kMaxAttentionGroups at most
  std::size_t variants_left = 0;       // of the kinds beyond
};

bool wants_attention(Outcome outcome);

// Collects them case by case.
class AttentionCollector {
 public:
  using Wanted = bool (*)(Outcome outcome);
  using Key = std::string (*)(const VariantResult& result);  // equal for results of a case that say the same
  AttentionCollector(Wanted wanted, Key key) : wanted_(wanted), key_(key) {}

  // The whole of a case, in the order of cases.
  void take(const CaseGroup& of_case);
  const AttentionList& list() const { return list_; }

 private:
  Wanted wanted_;
  Key key_;
  AttentionList list_;
};
// Variants that were never reached are left out: they have nothing to say each.
AttentionCollector attention_collector();
// Expected failures, by case, reason and cause.
AttentionCollector expected_failure_collector();

// What attention_collector collects of a run.
AttentionList group_attention(const RunRecord& run);

// The reason, failed checks and warnings of one result, and the line that reruns it, each indented.
std::string explanation_text(const VariantResult& result);

}  // namespace assay::reports
