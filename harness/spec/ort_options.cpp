// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/ort_options.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "harness/spec/nearest.h"
#include "harness/spec/ort_overrides.h"

namespace assay::spec {
namespace {

enum class Kind { kFlag, kInverse, kNumber, kNames, kObject, kType, kFormat, kMethod, kOverrides, kKeep, kAverage };

// Which functions of the peer read an option, as bits.
constexpr unsigned kQdq = 1;
constexpr unsigned kQOperator = 2;
constexpr unsigned kDynamic = 4;
constexpr unsigned kStatic = kQdq | kQOperator;
constexpr unsigned kAll = kStatic | kDynamic;

struct OptionRow {
  std::string_view name;
  Kind kind;
  std::string_view axis;
  unsigned formats;
};
constexpr std::array kRows = {
    OptionRow{"quant_format", Kind::kFormat, "quantizer.format", kStatic},
    OptionRow{"activation_type", Kind::kType, "quantizer.activation_type", kStatic},
    OptionRow{"weight_type", Kind::kType, "quantizer.weight_type", kAll},
    OptionRow{"per_channel", Kind::kFlag, "quantizer.per_channel", kAll},
    OptionRow{"reduce_range", Kind::kFlag, "quantizer.reduce_range", kAll},
    OptionRow{"op_types_to_quantize", Kind::kNames, "quantizer.op_types", kAll},
    OptionRow{"nodes_to_quantize", Kind::kNames, "quantizer.nodes_to_quantize", kAll},
    OptionRow{"nodes_to_exclude", Kind::kNames, "quantizer.nodes_to_exclude", kAll},
    OptionRow{"calibrate_method", Kind::kMethod, "quantizer.calibration", kStatic},
    OptionRow{"ActivationSymmetric", Kind::kFlag, "quantizer.activation_symmetric", kStatic},
    OptionRow{"ActivationRestrictedAsymmetric", Kind::kFlag, "quantizer.activation_restricted", kStatic},
    OptionRow{"WeightSymmetric", Kind::kFlag, "quantizer.weight_symmetric", kAll},
    OptionRow{"MinimumRealRange", Kind::kNumber, "quantizer.minimum_real_range", kStatic},
    OptionRow{"ForceQuantizeNoInputCheck", Kind::kFlag, "quantizer.force_layout_ops", kStatic},
    OptionRow{"MatMulConstBOnly", Kind::kFlag, "quantizer.matmul_const_only", kQOperator | kDynamic},
    OptionRow{"extra.Sigmoid.nnapi", Kind::kFlag, "quantizer.sigmoid_fixed", kQOperator},
    OptionRow{"AddQDQPairToWeight", Kind::kFlag, "quantizer.weight_qdq", kQdq},
    OptionRow{"OpTypesToExcludeOutputQuantization", Kind::kNames, "quantizer.exclude_output_op_types", kQdq},
    OptionRow{"DedicatedQDQPair", Kind::kFlag, "quantizer.dedicated_qdq", kQdq},
    OptionRow{"QDQOpTypePerChannelSupportToAxis", Kind::kObject, "quantizer.channel_axes", kQdq},
    OptionRow{"QuantizeBias", Kind::kFlag, "quantizer.quantize_bias", kQdq},
    OptionRow{"QDQKeepRemovableActivations", Kind::kKeep, "quantizer.relu", kQdq},
    OptionRow{"QDQDisableWeightAdjustForInt32Bias", Kind::kInverse, "quantizer.bias_guard", kQdq},
    OptionRow{"UseQDQContribOps", Kind::kFlag, "quantizer.contrib_qdq", kQdq},
    OptionRow{"BlockSize", Kind::kNumber, "quantizer.block_size", kQdq},
    OptionRow{"EnableSubgraph", Kind::kFlag, "quantizer.subgraphs", kAll},
    OptionRow{"SmoothQuant", Kind::kFlag, "quantizer.smooth_quant", kStatic},
    OptionRow{"SmoothQuantAlpha", Kind::kNumber, "quantizer.smooth_quant_alpha", kStatic},
    OptionRow{"TensorQuantOverrides", Kind::kOverrides, "quantizer.overrides", kStatic},
    OptionRow{"CalibTensorRangeSymmetric", Kind::kFlag, "quantizer.calibration_symmetric", kStatic},
    OptionRow{"CalibMovingAverage", Kind::kAverage, "quantizer.calibration", kStatic},
    OptionRow{"CalibMovingAverageConstant", Kind::kNumber, "quantizer.moving_average_constant", kStatic},
    OptionRow{"CalibPercentile", Kind::kNumber, "quantizer.percentile", kStatic},
    OptionRow{"CalibStridedMinMax", Kind::kNumber, "quantizer.calibration_stride", kStatic},
};

// Options of the peer that cannot change anything here; `harmless` is the value that asks for nothing.
struct IdleRow {
  std::string_view name;
  std::string_view harmless;  // as JSON
  std::string_view why;
};
constexpr std::array kIdle = {
    IdleRow{"use_external_data_format", "false", "tensors go to a file of their own where the model needs it"},
    IdleRow{"CalibMaxIntermediateOutputs", "null", "calibration keeps no outputs of earlier samples"},
    IdleRow{"DefaultTensorType", "null", "the types of all tensors are known"},
    IdleRow{"SmoothQuantFolding", "true", "SmoothQuant folds wherever it can"},
    IdleRow{"calibration_providers", "null", "calibration runs in assay itself"},
    IdleRow{"calibration_cache_path", "null", "quantizer.ranges names a file of ranges"},
    IdleRow{"calibration_data_reader", "null", "the case's calibration names the data"},
    IdleRow{"model_input", "null", "the case's model names it"},
    IdleRow{"model_output", "null", "the case keeps no model"},
};

// What quantize_static quantizes where op_types_to_quantize is not given, as far as assay knows the operators.
constexpr std::array kDefaultOpTypes = {"Conv",
                                        "ConvTranspose",
                                        "Gemm",
                                        "MatMul",
                                        "BatchNormalization",
                                        "InstanceNormalization",
                                        "Add",
                                        "Mul",
                                        "Concat",
                                        "Relu",
                                        "Clip",
                                        "LayerNormalization",
                                        "LeakyRelu",
                                        "Sigmoid",
                                        "Softmax",
                                        "AveragePool",
                                        "GlobalAveragePool",
                                        "ArgMax",
                                        "CumSum",
                                        "Where",
                                        "MaxPool",
                                        "Flatten",
                                        "Reshape",
                                        "Transpose",
                                        "Squeeze",
                                        "Unsqueeze",
                                        "Slice",
                                        "Resize",
                                        "TopK",
                                        "Gather",
                                        "Split",
                                        "Pad",
                                        "GatherElements"};

Error wrong(const std::string& text) { return invalid_argument("axis 'quantizer.ort_options': " + text); }

Error unknown_option(const std::string& name) {
  std::vector<std::string> known = {"extra_options"};
  for (const OptionRow& row : kRows) {
    known.emplace_back(row.name);
  }
  for (const IdleRow& row : kIdle) {
    known.emplace_back(row.name);
  }
  return wrong(fmt::format("unknown option '{}'; nearest known option is '{}'", shortened(name), nearest(name, known)));
}

// The word behind the last dot: "QuantFormat.QDQ" is QDQ.
std::string last_word(const Json& value) {
  const std::string word = value.is_string() ? value.get<std::string>() : std::string();
  return word.substr(word.rfind('.') + 1);
}

template <std::size_t n>
std::optional<Json> choose(const Json& value, const std::array<std::pair<const char*, const char*>, n>& choices) {
  for (const auto& [theirs, ours] : choices) {
    if (last_word(value) == theirs) {
      return Json(ours);
    }
  }
  return std::nullopt;
}

// The axis's value, or nothing for a value that the option cannot have.
std::optional<Json> axis_value(Kind kind, const Json& value) {
  static constexpr std::array kFormats = {std::pair{"QDQ", "qdq"}, std::pair{"QOperator", "qoperator"}};
  static constexpr std::array kMethods = {std::pair{"MinMax", "minmax"}, std::pair{"Entropy", "entropy"},
                                          std::pair{"Percentile", "percentile"}};
  switch (kind) {
    case Kind::kFlag:
      return value.is_boolean() ? std::optional(value) : std::nullopt;
    case Kind::kInverse:
      return value.is_boolean() ? std::optional(Json(!value.get<bool>())) : std::nullopt;
    case Kind::kNumber:
      return value.is_number() ? std::optional(value) : std::nullopt;
    case Kind::kNames:
      return value.is_array() ? std::optional(value) : std::nullopt;
    case Kind::kObject:
    case Kind::kOverrides:
      return value.is_object() ? std::optional(value) : std::nullopt;
    case Kind::kType:
      return ort_type(value);
    case Kind::kFormat:
      return choose(value, kFormats);
    case Kind::kMethod:
      return choose(value, kMethods);
    case Kind::kKeep:
      return value.is_boolean() ? std::optional(Json(value == true ? "keep" : "safe")) : std::nullopt;
    case Kind::kAverage:
      return value.is_boolean() ? std::optional(Json(value == true ? "moving_average" : "minmax")) : std::nullopt;
  }
  return std::nullopt;
}

class Mapper {
 public:
  explicit Mapper(Configuration& configuration) : configuration_(configuration), before_(configuration) {}

  Status run() {
    const std::string format = configuration_.text("quantizer.format");
    if (format == "none") {
      return {};
    }
    if (format == "weight_only") {
      return wrong("it has no meaning with quantizer.format=weight_only, which the peer's two functions do not have");
    }
    const Json options = configuration_.get("quantizer.ort_options");
    ASSAY_TRY(collect(options, true));
    ASSAY_TRY(settle_format());
    for (const OptionRow& row : kRows) {
      ASSAY_TRY(map(row));
    }
    set_defaults();
    return check_effects();
  }

 private:
  Status collect(const Json& options, bool outermost) {
    for (const auto& [name, value] : options.items()) {
      if (name == "extra_options" && outermost && value.is_object()) {
        ASSAY_TRY(collect(value, false));
        continue;
      }
      const auto* idle =
          std::find_if(kIdle.begin(), kIdle.end(), [&, &key = name](const IdleRow& row) { return row.name == key; });
      if (idle != kIdle.end()) {
        if (!value.is_null() && value != Json::parse(idle->harmless)) {
          return wrong(fmt::format("'{}' has no effect here: {}", name, idle->why));
        }
        continue;
      }
      const auto* row =
          std::find_if(kRows.begin(), kRows.end(), [&, &key = name](const OptionRow& r) { return r.name == key; });
      if (row == kRows.end()) {
        return unknown_option(name);
      }
      if (given_.contains(name)) {
        return wrong(fmt::format("'{}' is given twice", name));
      }
      if (!value.is_null()) {  // None: the default
        given_[name] = value;
      }
    }
    return {};
  }

  Status settle_format() {
    if (configuration_.text("quantizer.format") == "dynamic") {
      format_ = kDynamic;
      return {};
    }
    const Json format = given_.contains("quant_format") ? given_["quant_format"] : Json();
    const std::optional<Json> known = axis_value(Kind::kFormat, format);
    format_ =
        (known && *known == "qoperator") || (format.is_null() && configuration_.text("quantizer.format") == "qoperator")
            ? kQOperator
            : kQdq;
    return {};
  }

  Status map(const OptionRow& row) {
    const auto found = given_.find(row.name);
    if (found == given_.end()) {
      return {};
    }
    if (row.kind == Kind::kAverage && found->second == true && given_.contains("calibrate_method") &&
        last_word(given_.find("calibrate_method")->second) != "MinMax") {
      return wrong(fmt::format("'{}' has no effect with calibrate_method {}", row.name,
                               last_word(given_.find("calibrate_method")->second)));
    }
    std::optional<Json> value = axis_value(row.kind, found->second);
    if (!value) {
      return wrong(fmt::format("'{}' cannot be {}", row.name, shortened(found->second.dump())));
    }
    if (row.kind == Kind::kOverrides) {
      ASSAY_ASSIGN(value, overrides_from_ort(found->second));
    }
    const Axis* axis = find_axis(row.axis);
    const bool asks_for_nothing = axis != nullptr && *value == axis->fallback;
    if ((row.formats & format_) == 0 && !asks_for_nothing) {
      return wrong(fmt::format("'{}' has no effect with {}", row.name, format_text()));
    }
    if (asks_for_nothing && (row.kind == Kind::kAverage || (row.formats & format_) == 0)) {
      return {};
    }
    if (axis == nullptr) {
      return wrong(fmt::format("'{}' is not in this build", row.name));
    }
    const std::string name(row.axis);
    if (before_.is_set(name)) {
      return wrong(fmt::format("'{}' and the axis '{}' set the same thing: give one of them", row.name, name));
    }
    ASSAY_ASSIGN(Json checked, check_axis_value(*axis, *value));
    configuration_.set(name, std::move(checked));
    return {};
  }

  // An option whose axis cannot matter under the others.
  Status check_effects() const {
    for (const OptionRow& row : kRows) {
      const Axis* axis = find_axis(row.axis);
      const std::string name(row.axis);
      if (given_.contains(row.name) && axis != nullptr && configuration_.is_set(name) &&
          configuration_.get(name) != axis->fallback && !axis->applies(configuration_)) {
        return wrong(fmt::format("'{}' has no effect under the other options", row.name));
      }
    }
    return {};
  }

  std::string format_text() const {
    return format_ == kDynamic ? "quantize_dynamic" : (format_ == kQdq ? "QuantFormat.QDQ" : "QuantFormat.QOperator");
  }

  // What the peer does where nothing is said. WeightSymmetric follows the type; per-channel weights in QDQ are always
  // symmetric.
  void set_defaults() {
    set_default("quantizer.format", format_ == kDynamic ? "dynamic" : (format_ == kQdq ? "qdq" : "qoperator"));
    set_default("quantizer.activation_type", format_ == kDynamic ? "uint8" : "int8");
    set_default("quantizer.weight_type", "int8");
    set_default("quantizer.activation_range", "auto");
    set_default("quantizer.weight_range", "auto");
    if (format_ != kDynamic) {
      set_default("quantizer.op_types", Json(kDefaultOpTypes));
    }
    set_default("quantizer.subgraphs", false);
    set_default("quantizer.fold_constants", false);
    if (format_ != kDynamic) {
      set_default("quantizer.fuse_bias", false);
    }
    set_default("quantizer.matmul_const_only", format_ == kDynamic);
    if (format_ == kQdq && configuration_.flag("quantizer.per_channel")) {
      configuration_.set("quantizer.weight_symmetric", true);
    } else {
      set_default("quantizer.weight_symmetric", !configuration_.text("quantizer.weight_type").starts_with("uint"));
    }
  }

  void set_default(const std::string& axis, const Json& value) {
    if (!configuration_.is_set(axis)) {
      configuration_.set(axis, value);
    }
  }

  Configuration& configuration_;
  const Configuration before_;
  std::map<std::string, Json, std::less<>> given_;
  unsigned format_ = kQdq;
};

}  // namespace

Status apply_ort_options(Configuration& configuration) {
  return configuration.is_set("quantizer.ort_options") && !configuration.get("quantizer.ort_options").empty()
             ? Mapper(configuration).run()
             : Status();
}

}  // namespace assay::spec
