// SPDX-License-Identifier: Apache-2.0
#include "harness/run/settings.h"

#include <fmt/format.h>

#include "harness/spec/document.h"
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
                                                  {"qoperator", quantizer::Format::kQOperator}};
constexpr Choice<DType> kTypes[] = {{"uint8", DType::kUint8}, {"int8", DType::kInt8}};
constexpr Choice<quantizer::Calibration> kCalibrations[] = {{"minmax", quantizer::Calibration::kMinMax}};
constexpr Choice<quantizer::RangeKind> kRanges[] = {{"full", quantizer::RangeKind::kFull},
                                                    {"narrow", quantizer::RangeKind::kNarrow}};
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
  }
  return overrides;
}

Result<std::map<std::string, std::pair<double, double>>> ranges_of(const Json& value, const std::string& folder) {
  Json json = value;
  std::string where = "quantizer.ranges";
  if (value.is_string()) {
    const std::string path = value.get<std::string>();
    where = path.starts_with('/') || folder.empty() ? path : folder + "/" + path;
    ASSAY_ASSIGN(const std::shared_ptr<const spec::Document> document, spec::Document::read(where));
    json = document->root();
  }
  if (!json.is_object()) {
    return invalid_argument(where + ": ranges must be {tensor: [min, max]}");
  }
  std::map<std::string, std::pair<double, double>> ranges;
  for (const auto& [tensor, range] : json.items()) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number()) {
      return invalid_argument(fmt::format("{}: the range of tensor '{}' must be [min, max], found {}", where, tensor,
                                          spec::axis_value_text(range)));
    }
    ranges[tensor] = {range[0].get<double>(), range[1].get<double>()};
  }
  return ranges;
}

}  // namespace

bool quantizes(const Configuration& configuration) { return configuration.text("quantizer.format") != "none"; }

Result<quantizer::Options> quantizer_options(const Configuration& configuration, const std::string& folder) {
  quantizer::Options options;
  ASSAY_ASSIGN(options.format, choose(configuration, "quantizer.format", kFormats));
  ASSAY_ASSIGN(options.activation_type, choose(configuration, "quantizer.activation_type", kTypes));
  ASSAY_ASSIGN(options.weight_type, choose(configuration, "quantizer.weight_type", kTypes));
  ASSAY_ASSIGN(options.calibration, choose(configuration, "quantizer.calibration", kCalibrations));
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
  options.overrides = overrides_of(configuration.get("quantizer.overrides"));
  ASSAY_ASSIGN(options.ranges, ranges_of(configuration.get("quantizer.ranges"), folder));
  return options;
}

bool is_external(const Configuration& configuration) { return configuration.text("runtime.name") != "assay"; }

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
