// SPDX-License-Identifier: Apache-2.0
// Runs one variant of a case: quantize, plan, run, compare, judge.
#pragma once

#include "harness/run/execution.h"
#include "harness/spec/expand.h"
#include "reports/record.h"

namespace assay::run {

// The record without timing, rerun line and duration, which the coordinator adds.
reports::VariantResult run_variant(Execution& execution, const spec::Variant& variant);

// A record with the variant's names and configuration, and nothing found out yet.
reports::VariantResult blank_result(const spec::Case& test_case, const spec::Variant& variant);

}  // namespace assay::run
