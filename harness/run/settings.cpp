// SPDX-License-Identifier: Apache-2.0
#include "harness/run/settings.h"

#include <fmt/format.h>

#include "harness/run/range_file.h"
#include "harness/spec/expand.h"

namespace assay::run {
namespace {

using spec::Configuration;
using spec::Json;

Error not_in_build(const std::string& axis, const std::string& value, const std::string& available) {
  return unsupported(fmt::format("{}={} is not in this build, which has: {}", axis, value, available));
}

template <typename T>
struct Choice {
  const char* name;
  T value;
};

template <typename T, std::size_t n>
Result<T> choose(const Configuration& configuration, const std::string& axis, const Choice<T> (&choices)[n]) {
  const std::string text = configuration.text(axis);
  std::string available;
  for (const Choice<T>& choice : choices) {
    if (text == choice.name) {
      return choice.value;
    }
    available += (available.empty() ? "" : ", ") + std::string(choice.name);
  }
  return not_in_build(axis, text, available);
}

constexpr Choice<quantizer::Format> kFormats[] = {{"qdq", quantizer::Format::kQdq},
                                                  {"qoperator", quantizer::Format::kQOperator},
                                                  {"dynamic", quantizer::Format::kDynamic},
                                                  {"weight_only", quantizer::Format::kWeightOnly}};
constexpr Choice<DType> kTypes[] = {{"uint8", DType::kUint8}, {"int8", DType::kInt8},   {"uint16", DType::kUint16},
                                    {"int16", DType::kInt16}, {"uint4", DType::kUint4}, {"int4", DType::kInt4}};
constexpr Choice<quantizer::Calibration> kCalibrations[] = {{"minmax", quantizer::Calibration::kMinMax},
                                                            {"moving_average", quantizer::Calibration::kMovingAverage},
                                                            {"percentile", quantizer::Calibration::kPercentile},
                                                            {"entropy", quantizer::Calibration::kEntropy},
                                                            {"mse", quantizer::Calibration::kMse},
                                                            {"mean_sigma", quantizer::Calibration::kMeanSigma}};
constexpr Choice<quantizer::RangeKind> kRanges[] = {{"full", quantizer::RangeKind::kFull},
                                                    {"narrow", quantizer::RangeKind::kNarrow},
                                                    {"auto", quantizer::RangeKind::kAuto}};
constexpr Choice<quantizer::ReluPolicy> kRelus[] = {{"safe", quantizer::ReluPolicy::kSafe},
                                                    {"drop", quantizer::ReluPolicy::kDrop},
                                                    {"keep", quantizer::ReluPolicy::kKeep}};

std::optional<double> optional_number(const Json& json, const char* key) {
  return json.contains(key) ? std::optional(json.at(key).get<double>()) : std::nullopt;
}

// The axis was checked when the case was read: keys and types are as the schema says.
std::map<std::string, quantizer::TensorOverride> overrides_of(const Json& json) {
  std::map<std::string, quantizer::TensorOverride> overrides;
  for (const auto& [tensor, entry] : json.items()) {
    quantizer::TensorOverride& value = overrides[tensor];
    if (entry.contains("type")) {
      value.type = dtype_from_name(entry.at("type").get<std::string>());
    }
    value.scale = optional_number(entry, "scale");
    value.min = optional_number(entry, "min");
    value.max = optional_number(entry, "max");
    if (entry.contains("zero_point")) {
      value.zero_point = entry.at("zero_point").get<Index>();
    }
    if (entry.contains("symmetric")) {
      value.symmetric = entry.at("symmetric").get<bool>();
    }
    if (entry.contains("axis")) {
      value.axis = entry.at("axis").get<Index>();
    }
    if (entry.contains("reduce_range")) {
      value.reduce_range = entry.at("reduce_range").get<bool>();
    }
    for (const Json& channel : entry.value("channels", Json::array())) {
      quantizer::ChannelSetting& own = value.channels.emplace_back();
      own.scale = optional_number(channel, "scale");
      own.min = optional_number(channel, "min");
      own.max = optional_number(channel, "max");
      if (const auto zero_point = optional_number(channel, "zero_point"); zero_point) {
        own.zero_point = static_cast<Index>(*zero_point);
      }
    }
  }
  return overrides;
}

Result<std::map<std::string, Index>> channel_axes_of(const Json& json) {
  std::map<std::string, Index> axes;
  for (const auto& [op_type, axis] : json.items()) {
    if (!axis.is_number_integer()) {
      return invalid_argument(fmt::format("quantizer.channel_axes: the axis of {} must be a whole number, found {}",
                                          op_type, spec::axis_value_text(axis)));
    }
    axes[op_type] = axis.get<Index>();
  }
  return axes;
}

// quantizer.ranges: the ranges themselves (checked when the case was read), or a file.
Status take_ranges(const Configuration& configuration, const std::string& folder, quantizer::Options& options) {
  const Json& value = configuration.get("quantizer.ranges");
  if (!value.is_string()) {
    for (const auto& [tensor, range] : value.items()) {
      options.ranges[tensor] = {range[0].get<double>(), range[1].get<double>()};
    }
    return {};
  }
  const std::string path = value.get<std::string>();
  const std::string file = path.starts_with('/') || folder.empty() ? path : folder + "/" + path;
  ASSAY_ASSIGN(RangeFile read, read_ranges(file));
  ASSAY_TRY(check_range_settings(read, file, configuration));
  if (read.ranges.empty()) {
    return invalid_argument(file + ": there are no ranges in this file");
  }
  options.ranges = std::move(read.ranges);
  options.calibration.ranges_file = file;
  options.calibration.ranges_model_digest = read.model_digest;
  options.calibration.ranges_are_foreign = read.foreign;
  return {};
}

Result<quantizer::CalibrationOptions> calibration_options(const Configuration& configuration) {
  quantizer::CalibrationOptions options;
  ASSAY_ASSIGN(options.method, choose(configuration, "quantizer.calibration", kCalibrations));
  options.symmetric = configuration.flag("quantizer.calibration_symmetric");
  options.percentile = configuration.number("quantizer.percentile");
  options.bins = static_cast<Index>(configuration.number("quantizer.bins"));
  options.moving_average_constant = configuration.number("quantizer.moving_average_constant");
  options.sigmas = configuration.number("quantizer.sigmas");
  const Json& stride = configuration.get("quantizer.calibration_stride");
  if (stride.is_number()) {
    options.stride = stride.get<Index>();
  } else {
    options.stride = stride == "all" ? quantizer::kCollectAll : quantizer::kCollectAuto;
  }
  return options;
}

}  // namespace

bool quantizes(const Configuration& configuration) { return configuration.text("quantizer.format") != "none"; }

Result<quantizer::Options> quantizer_options(const Configuration& configuration, const std::string& folder) {
  quantizer::Options options;
  ASSAY_ASSIGN(options.format, choose(configuration, "quantizer.format", kFormats));
  ASSAY_ASSIGN(options.activation_type, choose(configuration, "quantizer.activation_type", kTypes));
  ASSAY_ASSIGN(options.weight_type, choose(configuration, "quantizer.weight_type", kTypes));
  ASSAY_ASSIGN(options.calibration, calibration_options(configuration));
  ASSAY_ASSIGN(options.activation_range, choose(configuration, "quantizer.activation_range", kRanges));
  ASSAY_ASSIGN(options.weight_range, choose(configuration, "quantizer.weight_range", kRanges));
  ASSAY_ASSIGN(options.relu, choose(configuration, "quantizer.relu", kRelus));
  options.activation_symmetric = configuration.flag("quantizer.activation_symmetric");
  options.weight_symmetric = configuration.flag("quantizer.weight_symmetric");
  options.per_channel = configuration.flag("quantizer.per_channel");
  options.reduce_range = configuration.flag("quantizer.reduce_range");
  options.op_types = configuration.strings("quantizer.op_types");
  options.nodes_to_quantize = configuration.strings("quantizer.nodes_to_quantize");
  options.nodes_to_exclude = configuration.strings("quantizer.nodes_to_exclude");
  options.exclude_output_op_types = configuration.strings("quantizer.exclude_output_op_types");
  options.activation_restricted = configuration.flag("quantizer.activation_restricted");
  options.minimum_real_range = configuration.number("quantizer.minimum_real_range");
  options.force_layout_ops = configuration.flag("quantizer.force_layout_ops");
  options.matmul_const_only = configuration.flag("quantizer.matmul_const_only");
  options.quantize_bias = configuration.flag("quantizer.quantize_bias");
  options.bias_guard = configuration.flag("quantizer.bias_guard");
  options.weight_qdq = configuration.flag("quantizer.weight_qdq");
  options.dedicated_qdq = configuration.flag("quantizer.dedicated_qdq");
  options.contrib_qdq = configuration.flag("quantizer.contrib_qdq");
  options.sigmoid_fixed = configuration.flag("quantizer.sigmoid_fixed");
  options.subgraphs = configuration.flag("quantizer.subgraphs");
  options.fold_constants = configuration.flag("quantizer.fold_constants");
  options.fold_batch_normalization = configuration.flag("quantizer.fold_batch_normalization");
  options.fuse_bias = configuration.flag("quantizer.fuse_bias");
  options.equalize = configuration.flag("quantizer.equalize");
  options.smooth_quant = configuration.flag("quantizer.smooth_quant");
  options.smooth_quant_alpha = configuration.number("quantizer.smooth_quant_alpha");
  options.bias_correction = configuration.flag("quantizer.bias_correction");
  options.block_size = static_cast<Index>(configuration.number("quantizer.block_size"));
  ASSAY_ASSIGN(options.channel_axes, channel_axes_of(configuration.get("quantizer.channel_axes")));
  options.overrides = overrides_of(configuration.get("quantizer.overrides"));
  ASSAY_TRY(take_ranges(configuration, folder, options));
  return options;
}

bool is_external(const Configuration& configuration) { return configuration.text("runtime.name") != "assay"; }

std::set<std::string> external_runtimes(const spec::Case& test_case, const Configuration& configuration) {
  std::set<std::string> names = {configuration.text("runtime.name")};
  if (const spec::Reference* stated = test_case.reference_for(configuration); stated != nullptr) {
    if (const auto* runtime = std::get_if<spec::RuntimeReference>(&stated->what)) {
      names.insert(runtime->runtime);
    } else if (const auto* other = std::get_if<spec::ConfigurationReference>(&stated->what)) {
      names.insert(other->configuration.text("runtime.name"));
    }
  }
  names.erase("assay");
  return names;
}

LoadOptions external_options(const Configuration& configuration) {
  return {.optimization = configuration.text("runtime.optimization"),
          .threads = static_cast<int>(configuration.number("runtime.threads")),
          .config = configuration.get("runtime.options")};
}

Result<api::SessionOptions> session_options(const Configuration& configuration) {
  if (is_external(configuration)) {
    return unsupported(fmt::format("runtime.name={} cannot be used here, where only assay's own runtime runs",
                                   configuration.text("runtime.name")));
  }
  ASSAY_TRY(host_isa_override_error());
  api::SessionOptions options;
  const std::string level = configuration.text("runtime.optimization");
  const std::optional<api::Optimization> optimization = api::optimization_from_name(level);
  if (!optimization) {
    return not_in_build("runtime.optimization", level, "none, basic, extended, all");
  }
  options.optimization = *optimization;
  options.disabled_passes = configuration.strings("runtime.disable_passes");
  const std::string isa = configuration.text("runtime.isa");
  if (isa == "auto") {
    options.profile.isa = best_isa(host_features());
  } else if (const std::optional<Isa> known = isa_from_name(isa)) {
    options.profile.isa = *known;
  } else {
    std::string available = "auto";
    for (const Isa candidate : all_isas()) {
      available += ", " + std::string(isa_name(candidate));
    }
    return not_in_build("runtime.isa", isa, available);
  }
  const std::string precision = configuration.text("runtime.precision");
  const std::optional<Precision> known = precision_from_name(precision);
  if (!known) {
    return not_in_build("runtime.precision", precision, "fast, exact");
  }
  options.profile.precision = *known;
  options.threads = static_cast<int>(configuration.number("runtime.threads"));
  return options;
}

std::optional<Index> batch_size(const Configuration& configuration) {
  const Json& value = configuration.get("runtime.batch");
  return value.is_number() ? std::optional(value.get<Index>()) : std::nullopt;
}

std::string quantizer_key(const Configuration& configuration) {
  std::string key;
  for (const auto& [axis, value] : spec::effective_values(configuration)) {
    if (axis.starts_with("quantizer.")) {
      key += axis + "=" + value.dump() + "\n";
    }
  }
  return key;
}

}  // namespace assay::run
