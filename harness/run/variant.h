// SPDX-License-Identifier: Apache-2.0
// Runs one variant of a case: quantize, plan, run, compare, judge.
#pragma once

#include <functional>

#include "harness/run/execution.h"
#include "harness/spec/expand.h"
#include "reports/record.h"

namespace assay::run {

// A variant that was run and judged.
struct JudgedVariant {
  // Without timing, rerun line and duration, which the coordinator adds.
  reports::VariantResult record;
  // Adds to the record what a search for the cause of its failure finds; empty where there is nothing to search for. It
  // runs the variant's case again, several times: the verdict does not depend on how that ends. Good as long as the
  // execution.
  std::function<void(reports::VariantResult& record)> find_cause;
};

JudgedVariant judge_variant(Execution& execution, const spec::Variant& variant);

// Both at once.
reports::VariantResult run_variant(Execution& execution, const spec::Variant& variant);

// A record with the variant's names and configuration, and nothing found out yet.
reports::VariantResult blank_result(const spec::Case& test_case, const spec::Variant& variant);

}  // namespace assay::run
