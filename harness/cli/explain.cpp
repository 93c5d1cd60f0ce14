// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/explain.h"

#include <fmt/format.h>

#include "engine/api/session.h"
#include "harness/compare/metric.h"
#include "harness/spec/axis.h"
#include "harness/spec/case.h"
#include "reports/record.h"

namespace assay::cli {
namespace {

struct CauseRow {
  const char* name;
  const char* text;
};

constexpr CauseRow kCauses[] = {
    {"pair-saturation",
     "vpmaddubsw adds two u8 x s8 products in int16 with saturation: avx2 and avx512 without VNNI, precision `fast`. "
     "Remedies: quantizer.reduce_range=true, quantizer.weight_type=uint8, a CPU with VNNI (runtime.precision=exact "
     "computes as it does). For a model that is quantized already: `assay quantize IN.onnx -o OUT.onnx --to-u8`, or in "
     "ONNX Runtime the session's config entry session.x64quantprecision=1."},
    {"relu-dropped",
     "A Relu was folded into a quantization whose zero point is not the type's smallest value, so negative values "
     "pass. "
     "Remedy: quantizer.relu=safe."},
    {"clip-dropped",
     "A Clip was folded into a quantization whose range is wider than the Clip's. "
     "Remedy: quantizer.relu=safe."},
    {"rounding", "Values lie on a rounding tie, or different rounding rules meet."},
    {"calibration-range",
     "The calibrated range does not cover the data, or is so wide that few steps are left for it. "
     "Remedies: calibration data like those of use, or another quantizer.calibration."},
    {"bias-overflow", "A bias does not fit int32 in units of input scale x weight scale."},
    {"shared-parameters", "Tensors that must share one scale and zero point have different ranges."},
    {"per-tensor-range", "One scale serves channels of very different ranges. Remedy: quantizer.per_channel=true."},
    {"zero-point", "A zero point is wrong, or of another type than its tensor."},
    {"wrong-golden", "The expected values themselves are wrong."},
    {"other", "None of the known causes."},
};

std::string value_list(const std::vector<std::string_view>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// What the schema says of an axis, which editors show too.
std::string axis_description(const spec::Axis& axis) {
  static const spec::Json kSchema = spec::Json::parse(spec::case_schema_text());
  return kSchema.at("definitions").at("axes").at("properties").at(std::string(axis.name)).value("description", "");
}

std::string axis_text(const spec::Axis& axis) {
  std::string values;
  switch (axis.kind) {
    case spec::AxisKind::kName:
      values = "One of " + value_list(axis.names) + ".";
      break;
    case spec::AxisKind::kText:
      values = "A name, as " + value_list(axis.names) + ".";
      break;
    case spec::AxisKind::kBool:
      values = "true or false.";
      break;
    case spec::AxisKind::kInteger:
    case spec::AxisKind::kNumber:
      values = fmt::format("A {}number from {} to {}{}.", axis.kind == spec::AxisKind::kInteger ? "whole " : "",
                           axis.min, axis.max, axis.names.empty() ? "" : ", or " + value_list(axis.names));
      break;
    case spec::AxisKind::kStrings:
      values = "A list of names.";
      break;
    case spec::AxisKind::kRanges:
      values = "{tensor: [min, max]}, or the path of a JSON file with this.";
      break;
    case spec::AxisKind::kOverrides:
      values =
          R"({tensor: {"type", "scale", "zero_point", "min", "max", "symmetric", "reduce_range", "axis", "channels"}}.)";
      break;
    case spec::AxisKind::kObject:
      values = "A JSON object.";
      break;
    case spec::AxisKind::kSettings:
      values = "{key: text, number, true or false}, passed on to an external runtime.";
      break;
  }
  return axis_description(axis) + " " + values + " Default: " + spec::axis_value_text(axis.fallback) + ".";
}

}  // namespace

std::vector<Term> terms() {
  std::vector<Term> all;
  for (const reports::OutcomeRow& row : reports::outcome_rows()) {
    all.push_back({"outcome", std::string(row.name),
                   std::string(row.meaning) + (row.failure ? " Counts as a failure of the run." : "")});
  }
  for (const CauseRow& row : kCauses) {
    all.push_back({"cause", row.name, row.text});
  }
  for (const compare::Metric& metric : compare::metrics()) {
    all.push_back(
        {"metric", std::string(metric.name),
         std::string(metric.description) + (metric.unit.empty() ? "" : " Unit: " + std::string(metric.unit) + ".")});
  }
  for (const spec::Axis& axis : spec::axes()) {
    all.push_back({"axis", std::string(axis.name), axis_text(axis)});
  }
  for (const api::PassInfo& pass : api::pass_infos()) {
    all.push_back({"pass", pass.name,
                   fmt::format("{} From level {} on.", pass.description, api::optimization_name(pass.first_level))});
  }
  return all;
}

}  // namespace assay::cli
