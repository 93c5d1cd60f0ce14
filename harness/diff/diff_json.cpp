// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "harness/diff/diff_text.h"

namespace assay::diff {
namespace {

using reports::Json;

constexpr int kSchemaVersion = 1;

// JSON has no infinity: null says "no size", as of what was added or changed its type.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json range_json(const std::optional<Range>& range) {
  return range ? Json::array({number(range->min), number(range->max)}) : Json(nullptr);
}

Json params_json(const std::optional<api::StatedParams>& params) {
  if (!params) {
    return nullptr;
  }
  Json ranges = Json::array();
  for (std::size_t i = 0; i < params->scales.size(); ++i) {
    if (const std::optional<Range> range = stated_range(*params, i); range) {
      ranges.push_back(range_json(range));
    }
  }
  return {{"type", dtype_name(params->dtype)},  {"constant", !params->values.empty()},
          {"dynamic", params->dynamic},         {"axis", params->axis},
          {"block_size", params->block_size},   {"scales", params->scales},
          {"zero_points", params->zero_points}, {"ranges", ranges}};
}

Json tensor_json(const TensorDiff& diff) {
  Json differs = Json::array();
  const auto add = [&](bool there, const char* what) {
    if (there) {
      differs.push_back(what);
    }
  };
  add(diff.type, "type");
  add(diff.layout, "layout");
  add(diff.scale.count > 0, "scale");
  add(diff.zero_point.count > 0, "zero_point");
  add(diff.scale.count > 0 || diff.zero_point.count > 0 || diff.type, "range");
  add(diff.values > 0 || diff.shape, "values");
  return {{"tensor", diff.tensor},
          {"change", change_name(diff.change)},
          {"differs", differs},
          {"largest_scale_change", number(diff.scale.largest)},
          {"scales_changed", diff.scale.count},
          {"largest_zero_point_change", number(diff.zero_point.largest)},
          {"zero_points_changed", diff.zero_point.count},
          {"values_changed", diff.values},
          {"largest_value_change", diff.largest_step},
          {"a", params_json(diff.before)},
          {"b", params_json(diff.after)}};
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json head(const char* kind, const Names& names, bool equal) {
  return {
      {"schema_version", kSchemaVersion}, {"kind", kind}, {"a", names.before}, {"b", names.after}, {"equal", equal}};
}

}  // namespace

Json to_json(const ModelDiff& diff, const Names& names, const Tolerance& tolerance) {
  Json json = head("models", names, diff.equal());
  json["tolerance"] = {{"scale", tolerance.scale}, {"steps", tolerance.steps}};
  json["compared"] = {{"tensors", diff.tensors_compared}, {"nodes", diff.nodes_compared}};
  json["tensors"] = Json::array();
  for (const TensorDiff& tensor : diff.tensors) {
    json["tensors"].push_back(tensor_json(tensor));
  }
  json["nodes"] = Json::array();
  for (const NodeDiff& node : diff.nodes) {
    json["nodes"].push_back({{"node", node.node},
                             {"change", change_name(node.change)},
                             {"op_a", text_or_null(node.op_before)},
                             {"op_b", text_or_null(node.op_after)},
                             {"details", node.details}});
  }
  json["constants"] = Json::array();
  for (const ConstantDiff& constant : diff.constants) {
    json["constants"].push_back(
        {{"constant", constant.name}, {"change", change_name(constant.change)}, {"detail", constant.detail}});
  }
  json["interface"] = diff.interface;
  json["became"] = Json::array();
  for (const NodeDiff& node : diff.became) {
    json["became"].push_back(
        {{"node", node.node},
         {"op", node.op_before},
         {"quantized_op", text_or_null(node.op_after)},
         {"computes_in", node.op_after.empty() ? Json(nullptr) : Json(arithmetic_name(node.arithmetic_after))}});
  }
  return json;
}

Json to_json(const RangeDiff& diff, const Names& names, double tolerance) {
  Json json = head("ranges", names, diff.equal());
  json["tolerance"] = {{"scale", tolerance}};
  json["compared"] = {{"tensors", diff.compared}};
  json["tensors"] = Json::array();
  for (const RangeEntry& entry : diff.entries) {
    json["tensors"].push_back({{"tensor", entry.tensor},
                               {"change", change_name(entry.change)},
                               {"largest_change", number(entry.weight)},
                               {"a", range_json(entry.before)},
                               {"b", range_json(entry.after)}});
  }
  return json;
}

}  // namespace assay::diff
