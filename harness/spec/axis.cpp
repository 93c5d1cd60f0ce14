// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/axis.h"

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

bool calibrated_by(const Configuration& configuration, const std::vector<std::string_view>& methods) {
  const std::string method = configuration.text("quantizer.calibration");
  for (const std::string_view candidate : methods) {
    if (candidate == method) {
      return quantized(configuration);
    }
  }
  return false;
}

bool by_percentile(const Configuration& configuration) { return calibrated_by(configuration, {"percentile"}); }

bool by_histogram(const Configuration& configuration) {
  return calibrated_by(configuration, {"percentile", "entropy", "mse"});
}

bool by_moving_average(const Configuration& configuration) { return calibrated_by(configuration, {"moving_average"}); }

std::vector<Axis> make_axes() {
  using enum AxisKind;
  const Json list = Json::array();
  const Json object = Json::object();
  return {
      {"quantizer.format", kName, {"qdq", "qoperator", "dynamic", "none"}, 0, 0, "qdq", always},
      {"quantizer.activation_type", kName, {"uint8", "int8"}, 0, 0, "uint8", quantized},
      {"quantizer.weight_type", kName, {"int8", "uint8"}, 0, 0, "int8", quantized},
      {"quantizer.activation_symmetric", kBool, {}, 0, 0, false, quantized},
      {"quantizer.weight_symmetric", kBool, {}, 0, 0, true, quantized},
      {"quantizer.per_channel", kBool, {}, 0, 0, false, quantized},
      {"quantizer.reduce_range", kBool, {}, 0, 0, false, quantized},
      {"quantizer.calibration",
       kName,
       {"minmax", "moving_average", "percentile", "entropy", "mse"},
       0,
       0,
       "minmax",
       quantized},
      {"quantizer.activation_range", kName, {"full", "narrow"}, 0, 0, "full", quantized},
      {"quantizer.weight_range", kName, {"narrow", "full"}, 0, 0, "narrow", quantized},
      {"quantizer.percentile", kNumber, {}, 0, 100, 99.99, by_percentile},
      {"quantizer.bins", kInteger, {}, 2, 1 << 24, 2048, by_histogram},
      {"quantizer.moving_average_constant", kNumber, {}, 0, 1, 0.01, by_moving_average},
      {"quantizer.ranges", kRanges, {}, 0, 0, object, quantized},
      {"quantizer.relu", kName, {"safe", "drop", "keep"}, 0, 0, "safe", quantized},
      {"quantizer.op_types", kStrings, {}, 0, 0, list, quantized},
      {"quantizer.nodes_to_quantize", kStrings, {}, 0, 0, list, quantized},
      {"quantizer.nodes_to_exclude", kStrings, {}, 0, 0, list, quantized},
      {"quantizer.overrides", kOverrides, {}, 0, 0, object, quantized},
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
  for (const Axis& axis : axes()) {
    if (axis.name == name) {
      return &axis;
    }
  }
  return nullptr;
}

std::string unknown_axis_message(const std::string& name) {
  std::vector<std::string> known;
  for (const Axis& axis : axes()) {
    known.emplace_back(axis.name);
  }
  return "unknown axis '" + shortened(name) + "'; nearest known axis is '" + nearest(name, known) + "'";
}

}  // namespace assay::spec
