// SPDX-License-Identifier: Apache-2.0
// What a quantized model has to reach: "top1_drop<=0.5", "sqnr>=30".
#pragma once

#include <string>

#include "engine/base/dtype.h"
#include "harness/compare/metric.h"

namespace assay::tune {

struct Target {
  std::string text;                         // as given
  const compare::Metric* metric = nullptr;  // what is measured on the outputs
  Index k = 5;                              // of topk_agreement
  // Percentage points that top1_accuracy loses against the float model, in place of the metric's own value.
  bool drop = false;
  double limit = 0;

  bool higher_is_better() const { return !drop && metric->better == compare::Better::kHigher; }
  bool needs_labels() const { return metric->kind == compare::MetricKind::kLabels; }
  // Looks at the outputs' rows as scores of classes.
  bool is_of_classes() const;
  bool met(double value) const;
  // Whether `value` is nearer to the target, or further beyond it, than `other`; NaN is worse than everything.
  bool better(double value, double other) const;
};

// NAME<=NUMBER or NAME>=NUMBER. NAME is top1_drop, topN_agreement, sqnr (short for sqnr_db) or a metric of cases that
// compares outputs. The comparison must be the one that the metric's better side asks for. Errors (kInvalidArgument)
// begin with "--target TEXT: ".
Result<Target> parse_target(const std::string& text);

}  // namespace assay::tune
