// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/axis.h"

#include <algorithm>
#include <unordered_map>

#include "harness/spec/nearest.h"

namespace assay::spec {
namespace {

bool always(const Configuration& configuration) {
  (void)configuration;
  return true;
}

bool own_runtime(const Configuration& configuration) { return configuration.text("runtime.name") == "assay"; }

bool external_runtime(const Configuration& configuration) { return !own_runtime(configuration); }

bool quantized(const Configuration& configuration) { return configuration.text("quantizer.format") != "none"; }

bool has_format(const Configuration& configuration, const std::vector<std::string_view>& formats) {
  const std::string format = configuration.text("quantizer.format");
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

bool is_static(const Configuration& configuration) { return has_format(configuration, {"qdq", "qoperator"}); }

bool in_qdq(const Configuration& configuration) { return has_format(configuration, {"qdq"}); }

bool in_qoperator(const Configuration& configuration) { return has_format(configuration, {"qoperator"}); }

bool with_qdq_nodes(const Configuration& configuration) { return has_format(configuration, {"qdq", "weight_only"}); }

bool with_activations(const Configuration& configuration) {
  return has_format(configuration, {"qdq", "qoperator", "dynamic"});
}

bool smoothed(const Configuration& configuration) {
  return with_activations(configuration) && configuration.flag("quantizer.smooth_quant");
}

bool with_bias(const Configuration& configuration) {
  return has_format(configuration, {"qdq", "qoperator", "weight_only"});
}

bool calibrated_by(const Configuration& configuration, const std::vector<std::string_view>& methods) {
  const std::string method = configuration.text("quantizer.calibration");
  return is_static(configuration) && std::find(methods.begin(), methods.end(), method) != methods.end();
}

// int8 and int16 alone have a range that is not full; overrides can give a tensor one of these.
bool is_signed_wide(const std::string& type) { return type == "int8" || type == "int16"; }

bool with_overrides(const Configuration& configuration) {
  return !configuration.get("quantizer.overrides").empty() || configuration.is_set("quantizer.ort_options");
}

bool with_narrow_activations(const Configuration& configuration) {
  return is_static(configuration) &&
         (is_signed_wide(configuration.text("quantizer.activation_type")) || with_overrides(configuration));
}

bool with_narrow_weights(const Configuration& configuration) {
  return quantized(configuration) &&
         (is_signed_wide(configuration.text("quantizer.weight_type")) || with_overrides(configuration));
}

// Axes of channels matter where there are channels.
bool by_channel(const Configuration& configuration) {
  return with_qdq_nodes(configuration) &&
         (configuration.flag("quantizer.per_channel") || with_overrides(configuration));
}

// Where a bias is quantized at all.
bool guards_bias(const Configuration& configuration) {
  return in_qoperator(configuration) || (in_qdq(configuration) && configuration.flag("quantizer.quantize_bias"));
}

bool by_percentile(const Configuration& configuration) { return calibrated_by(configuration, {"percentile"}); }

bool by_histogram(const Configuration& configuration) {
  return calibrated_by(configuration, {"percentile", "entropy", "mse"});
}

bool by_mean_sigma(const Configuration& configuration) { return calibrated_by(configuration, {"mean_sigma"}); }

// Where it makes a difference how many samples are collected at a time.
bool by_collection(const Configuration& configuration) {
  return calibrated_by(configuration, {"moving_average", "percentile"});
}

bool by_moving_average(const Configuration& configuration) { return calibrated_by(configuration, {"moving_average"}); }

std::vector<Axis> make_axes() {
  using enum AxisKind;
  const Json list = Json::array();
  const Json object = Json::object();
  return {
      {"quantizer.format", kName, {"qdq", "qoperator", "dynamic", "weight_only", "none"}, 0, 0, "qdq", always},
      {"quantizer.activation_type", kName, {"uint8", "int8", "uint16", "int16"}, 0, 0, "uint8", is_static},
      {"quantizer.weight_type", kName, {"int8", "uint8", "int4", "uint4", "int16", "uint16"}, 0, 0, "int8", quantized},
      {"quantizer.activation_symmetric", kBool, {}, 0, 0, false, is_static},
      {"quantizer.weight_symmetric", kBool, {}, 0, 0, true, quantized},
      {"quantizer.per_channel", kBool, {}, 0, 0, false, quantized},
      {"quantizer.reduce_range", kBool, {}, 0, 0, false, quantized},
      {"quantizer.calibration",
       kName,
       {"minmax", "moving_average", "percentile", "entropy", "mse", "mean_sigma"},
       0,
       0,
       "minmax",
       is_static},
      {"quantizer.activation_range", kName, {"full", "narrow", "auto"}, 0, 0, "full", with_narrow_activations},
      {"quantizer.weight_range", kName, {"narrow", "full", "auto"}, 0, 0, "narrow", with_narrow_weights},
      {"quantizer.percentile", kNumber, {}, 0, 100, 99.99, by_percentile},
      {"quantizer.bins", kInteger, {}, 2, 1 << 24, 2048, by_histogram},
      {"quantizer.moving_average_constant", kNumber, {}, 0, 1, 0.01, by_moving_average},
      {"quantizer.sigmas", kNumber, {}, 0, 1e6, 3, by_mean_sigma},
      {"quantizer.calibration_symmetric", kBool, {}, 0, 0, false, is_static},
      {"quantizer.calibration_stride", kInteger, {"auto", "all"}, 1, 1 << 20, "auto", by_collection},
      {"quantizer.ranges", kRanges, {}, 0, 0, object, is_static},
      {"quantizer.relu", kName, {"safe", "drop", "keep"}, 0, 0, "safe", is_static},
      {"quantizer.op_types", kStrings, {}, 0, 0, list, quantized},
      {"quantizer.nodes_to_quantize", kStrings, {}, 0, 0, list, quantized},
      {"quantizer.nodes_to_exclude", kStrings, {}, 0, 0, list, quantized},
      {"quantizer.overrides", kOverrides, {}, 0, 0, object, quantized},
      {"quantizer.activation_restricted", kBool, {}, 0, 0, false, is_static},
      {"quantizer.minimum_real_range", kNumber, {}, 0, 1e30, 0, is_static},
      {"quantizer.channel_axes", kObject, {}, 0, 0, object, by_channel},
      {"quantizer.block_size", kInteger, {}, 0, 1 << 20, 0, with_qdq_nodes},
      {"quantizer.quantize_bias", kBool, {}, 0, 0, true, in_qdq},
      {"quantizer.bias_guard", kBool, {}, 0, 0, true, guards_bias},
      {"quantizer.weight_qdq", kBool, {}, 0, 0, false, in_qdq},
      {"quantizer.dedicated_qdq", kBool, {}, 0, 0, false, in_qdq},
      {"quantizer.contrib_qdq", kBool, {}, 0, 0, false, with_qdq_nodes},
      {"quantizer.exclude_output_op_types", kStrings, {}, 0, 0, list, is_static},
      {"quantizer.force_layout_ops", kBool, {}, 0, 0, false, is_static},
      {"quantizer.matmul_const_only", kBool, {}, 0, 0, false, with_activations},
      {"quantizer.sigmoid_fixed", kBool, {}, 0, 0, false, in_qoperator},
      {"quantizer.subgraphs", kBool, {}, 0, 0, true, quantized},
      {"quantizer.fold_constants", kBool, {}, 0, 0, true, quantized},
      {"quantizer.fold_batch_normalization", kBool, {}, 0, 0, true, quantized},
      {"quantizer.fuse_bias", kBool, {}, 0, 0, true, is_static},
      {"quantizer.equalize", kBool, {}, 0, 0, false, quantized},
      {"quantizer.smooth_quant", kBool, {}, 0, 0, false, with_activations},
      {"quantizer.smooth_quant_alpha", kNumber, {}, 0, 1, 0.5, smoothed},
      {"quantizer.bias_correction", kBool, {}, 0, 0, false, with_bias},
      {"quantizer.ort_options", kObject, {}, 0, 0, object, quantized},
      {"runtime.name", kText, {"assay", "onnxruntime"}, 0, 0, "assay", always},
      {"runtime.optimization", kName, {"all", "none", "basic", "extended"}, 0, 0, "all", always},
      {"runtime.disable_passes", kStrings, {}, 0, 0, list, own_runtime},
      {"runtime.isa",
       kName,
       {"auto", "scalar", "sse41", "avx2", "avx512", "avx_vnni", "avx512_vnni", "amx_int8", "neon", "neon_dot",
        "neon_i8mm"},
       0,
       0,
       "auto",
       own_runtime},
      {"runtime.precision", kName, {"fast", "exact"}, 0, 0, "fast", own_runtime},
      {"runtime.threads", kInteger, {}, 1, 256, 1, always},
      {"runtime.batch", kInteger, {"model"}, 1, 1 << 20, "model", always},
      {"runtime.options", kSettings, {}, 0, 0, object, external_runtime},
  };
}

}  // namespace

std::span<const Axis> axes() {
  static const std::vector<Axis> kAxes = make_axes();
  return kAxes;
}

const Axis* find_axis(std::string_view name) {
  static const std::unordered_map<std::string_view, const Axis*> kByName = [] {
    std::unordered_map<std::string_view, const Axis*> by_name;
    for (const Axis& axis : axes()) {
      by_name.emplace(axis.name, &axis);
    }
    return by_name;
  }();
  const auto found = kByName.find(name);
  return found == kByName.end() ? nullptr : found->second;
}

std::string unknown_axis_message(const std::string& name) {
  std::vector<std::string> known;
  for (const Axis& axis : axes()) {
    known.emplace_back(axis.name);
  }
  return "unknown axis '" + shortened(name) + "'; nearest known axis is '" + nearest(name, known) + "'";
}

}  // namespace assay::spec
