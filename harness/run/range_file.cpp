// SPDX-License-Identifier: Apache-2.0
#include "harness/run/range_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "engine/base/input_file.h"
#include "harness/run/range_table_text.h"
#include "harness/spec/document.h"
#include "harness/spec/expand.h"

namespace assay::run {
namespace {

using spec::Element;
using spec::Json;

constexpr std::string_view kFormat = "assay-ranges";
constexpr int kSchemaVersion = 1;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // of UTF-8, as spreadsheets write it

// What a range may depend on. The types of activations have a part in mse alone.
constexpr std::array<std::string_view, 13> kSettings = {"quantizer.equalize",
                                                        "quantizer.smooth_quant",
                                                        "quantizer.smooth_quant_alpha",
                                                        "quantizer.calibration",
                                                        "quantizer.percentile",
                                                        "quantizer.bins",
                                                        "quantizer.moving_average_constant",
                                                        "quantizer.sigmas",
                                                        "quantizer.calibration_symmetric",
                                                        "quantizer.calibration_stride",
                                                        "quantizer.activation_type",
                                                        "quantizer.activation_symmetric",
                                                        "quantizer.activation_range"};
constexpr std::size_t kOfEveryMethod = 10;
// The first of these change the model itself, so that ranges fit only where they are the same, set or not.
constexpr std::size_t kOfTheModel = 2;

std::optional<double> number_of(const Element& element) {
  const Json& json = element.json();
  if (json.is_number()) {
    return json.get<double>();
  }
  const bool only = json.is_array() && json.size() == 1 && json[0].is_number();
  return only ? std::optional(json[0].get<double>()) : std::nullopt;
}

Status check_order(const Element& element, const std::string& tensor, std::pair<double, double> range) {
  if (range.first <= range.second) {
    return {};
  }
  return element.error(
      fmt::format("the range of tensor '{}' must have min <= max, found [{}, {}]", tensor, range.first, range.second));
}

Status read_pairs(const Element& object, RangeFile& file) {
  if (!object.json().is_object()) {
    return object.error("ranges must be {tensor: [min, max]}");
  }
  for (const std::string& tensor : object.keys()) {
    const Element entry = object.member(tensor);
    const Json& json = entry.json();
    if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) {
      return entry.error(
          fmt::format("the range of tensor '{}' must be [min, max], found {}", tensor, spec::axis_value_text(json)));
    }
    file.ranges[tensor] = {json[0].get<double>(), json[1].get<double>()};
    ASSAY_TRY(check_order(entry, tensor, file.ranges[tensor]));
  }
  return {};
}

Status read_list(const Element& list, RangeFile& file) {
  file.foreign = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Element entry = list.item(i);
    const Element name = entry.member("name");
    const std::optional<double> min = number_of(entry.member("min"));
    const std::optional<double> max = number_of(entry.member("max"));
    if (!name.json().is_string() || !min || !max) {
      return entry.error(R"(an entry of a range table must be {"name": text, "min": number, "max": number})");
    }
    const std::string tensor = name.json().get<std::string>();
    if (!file.ranges.emplace(tensor, std::pair(*min, *max)).second) {
      return name.error(fmt::format("tensor '{}' is there twice", tensor));
    }
    ASSAY_TRY(check_order(entry, tensor, {*min, *max}));
  }
  return {};
}

// What a file says of its calibration is what an axis can be.
Status check_setting(const Element& setting, const std::string& name) {
  if (std::ranges::find(kSettings, name) == kSettings.end()) {
    return setting.error(fmt::format("calibration: '{}' is no axis that ranges depend on", name));
  }
  const Result<Json> value = spec::check_axis_value(*spec::find_axis(name), setting.json());
  return value.ok() ? Status() : Status(setting.error("calibration: " + value.error().message));
}

Status read_own(const Element& root, RangeFile& file) {
  const Element version = root.member("schema_version");
  if (version.json() != kSchemaVersion) {
    return unsupported(fmt::format("{}: schema_version must be {}, found {}", root.where(), kSchemaVersion,
                                   version.exists() ? spec::axis_value_text(version.json()) : "none"));
  }
  const Element digest = root.member("model_digest");
  const Element settings = root.member("calibration");
  if (!digest.json().is_string() || !settings.json().is_object()) {
    return root.error(R"(a range file must have "model_digest" (text) and "calibration" ({axis: value}))");
  }
  for (const std::string& name : settings.keys()) {
    ASSAY_TRY(check_setting(settings.member(name), name));
  }
  const Element samples = root.member("samples");
  if (samples.exists() && !samples.json().is_number_unsigned()) {
    return samples.error("samples must be a whole number, found " + spec::axis_value_text(samples.json()));
  }
  file.model_digest = digest.json().get<std::string>();
  file.settings = settings.json();
  return read_pairs(root.member("ranges"), file);
}

Result<RangeFile> read_json(const std::string& path, std::string text) {
  ASSAY_ASSIGN(const std::shared_ptr<const spec::Document> document, spec::Document::parse(path, std::move(text)));
  const Element root(document);
  RangeFile file;
  if (root.json().is_array()) {
    ASSAY_TRY(read_list(root, file));
  } else if (root.json().is_object() && root.member("format").json() == kFormat) {
    ASSAY_TRY(read_own(root, file));
  } else {
    ASSAY_TRY(read_pairs(root, file));
  }
  return file;
}

}  // namespace

Result<RangeFile> read_ranges(const std::string& path) {
  ASSAY_ASSIGN(const std::string bytes, read_file(path));
  std::string_view text = bytes;
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || text[begin] == '{' || text[begin] == '[') {
    return read_json(path, std::string(text));
  }
  RangeFile file;
  file.foreign = true;
  ASSAY_ASSIGN(file.ranges,
               text.starts_with("TRT-") ? parse_tensorrt_cache(path, text) : parse_range_lines(path, text));
  return file;
}

std::string format_ranges(const RangeFileText& text) {
  const auto quoted = [](const std::string& name) {
    return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string out = "{\n";
  out += fmt::format(" \"format\": \"{}\",\n \"schema_version\": {},\n", kFormat, kSchemaVersion);
  out += fmt::format(" \"model\": {},\n \"model_digest\": {},\n", quoted(text.model), quoted(text.model_digest));
  out += fmt::format(" \"data\": {},\n \"samples\": {},\n",
                     text.data.dump(-1, ' ', false, Json::error_handler_t::replace), text.samples);
  out += fmt::format(" \"calibration\": {},\n \"ranges\": {{", text.settings.dump());
  bool first = true;
  for (const auto& [tensor, range] : text.ranges) {
    out += fmt::format("{}\n  {}: [{}, {}]", first ? "" : ",", quoted(tensor), range.first, range.second);
    first = false;
  }
  return out + "\n }\n}\n";
}

Json calibration_settings(const spec::Configuration& configuration) {
  Json settings = Json::object();
  const std::size_t count = configuration.text("quantizer.calibration") == "mse" ? kSettings.size() : kOfEveryMethod;
  for (const auto& [axis, value] : spec::effective_values(configuration)) {
    for (std::size_t i = 0; i < count; ++i) {
      if (axis == kSettings[i]) {
        settings[axis] = value;
      }
    }
  }
  return settings;
}

Status check_range_settings(const RangeFile& file, const std::string& path, const spec::Configuration& configuration) {
  for (std::size_t i = 0; i < kSettings.size(); ++i) {
    const std::string_view axis = kSettings[i];
    if (!file.settings.is_object() || !file.settings.contains(axis) ||
        !(configuration.is_set(axis) || i < kOfTheModel)) {
      continue;
    }
    if (configuration.get(axis) != file.settings.at(std::string(axis))) {
      return invalid_argument(fmt::format("quantizer.ranges: '{}' was calibrated with {}={}; this run has {}", path,
                                          axis, spec::axis_value_text(file.settings.at(std::string(axis))),
                                          spec::axis_value_text(configuration.get(axis))));
    }
  }
  return {};
}

}  // namespace assay::run
