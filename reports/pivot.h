// SPDX-License-Identifier: Apache-2.0
// One case as a table: a row per configuration, the axes that distinguish its variants as columns, then what was
// measured. Variants with the same outcome and the same figures that fill an axis (or differ in one axis only) share a
// row: "*" stands for every value that the axis has in the case, "a, b" for some of them, "-" for an axis that does not
// apply.
#pragma once

#include <string>
#include <vector>

#include "reports/record.h"
#include "reports/text_table.h"

namespace assay::reports {

struct PivotRow {
  std::vector<std::string> axis_values;
  std::vector<std::string> figures;
  Outcome outcome = Outcome::kNotRun;
  std::vector<const VariantResult*> variants;
};

struct Pivot {
  std::string case_name;
  std::vector<std::string> axes;     // short names where no two are alike
  std::vector<std::string> figures;  // titles
  std::vector<PivotRow> rows;
  bool accuracy = false;  // top-1 figures are among them
};

Pivot make_pivot(const CaseGroup& group);
TextTable pivot_table(const Pivot& pivot);

// The figure of a variant under a metric's name: the worst over its outputs; checks and measurements alike.
std::optional<Measurement> find_measurement(const VariantResult& result, const std::string& metric);

// "quantizer.relu" -> "relu".
std::string short_axis(const std::string& axis);

}  // namespace assay::reports
