// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/inline_attribute.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "harness/spec/data_source.h"
#include "harness/spec/nearest.h"

namespace assay::spec {
namespace {

std::optional<Index> whole_number(const Json& json) {
  if (json.is_boolean()) {
    return json.get<bool>() ? 1 : 0;
  }
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return std::nullopt;
  }
  if (json.is_number_integer()) {
    return json.get<Index>();
  }
  if (json.is_number_float()) {
    const double value = json.get<double>();
    if (value == std::floor(value) && std::fabs(value) <= 0x1p53) {
      return static_cast<Index>(value);
    }
  }
  return std::nullopt;
}

std::string guessed_type(const Json& json) {
  const auto kind = [](const Json& value) {
    return value.is_string() ? "string" : value.is_number_float() ? "float" : value.is_object() ? "tensor" : "int";
  };
  if (!json.is_array()) {
    return kind(json);
  }
  const bool texts = std::any_of(json.begin(), json.end(), [](const Json& value) { return value.is_string(); });
  const bool fractions =
      std::any_of(json.begin(), json.end(), [](const Json& value) { return value.is_number_float(); });
  return texts ? "strings" : fractions ? "floats" : "ints";
}

class AttributeReader {
 public:
  AttributeReader(const Element& element, const std::string& name, const std::string& type)
      : element_(element), name_(name), type_(type) {}

  Result<Attribute> read() const {
    const Json& json = element_.json();
    if (type_ == "int") {
      const auto value = whole_number(json);
      return value ? Result<Attribute>(Attribute(*value)) : Result<Attribute>(wrong("a whole number"));
    }
    if (type_ == "float") {
      return json.is_number() ? Result<Attribute>(Attribute(json.get<float>())) : Result<Attribute>(wrong("a number"));
    }
    if (type_ == "string") {
      return json.is_string() ? Result<Attribute>(Attribute(json.get<std::string>()))
                              : Result<Attribute>(wrong("a text"));
    }
    if (type_ == "graph") {
      return element_.error(
          fmt::format("attribute '{}' is a graph, which cannot be written inline: take the model from a file", name_));
    }
    return type_ == "tensor" ? tensor() : list();
  }

 private:
  Error wrong(const std::string& rule) const {
    return element_.error(
        fmt::format("attribute '{}' must be {}, found {}", name_, rule, shortened(element_.json().dump())));
  }

  Result<Attribute> list() const {
    const Json& json = element_.json();
    const auto all = [&](auto fits) { return json.is_array() && std::all_of(json.begin(), json.end(), fits); };
    if (type_ == "ints") {
      if (!all([](const Json& value) { return whole_number(value).has_value(); })) {
        return wrong("a list of whole numbers");
      }
      std::vector<Index> values;
      std::transform(json.begin(), json.end(), std::back_inserter(values),
                     [](const Json& value) { return *whole_number(value); });
      return Attribute(std::move(values));
    }
    if (type_ == "floats") {
      if (!all([](const Json& value) { return value.is_number(); })) {
        return wrong("a list of numbers");
      }
      return Attribute(json.get<std::vector<float>>());
    }
    if (!all([](const Json& value) { return value.is_string(); })) {
      return wrong("a list of texts");
    }
    return Attribute(json.get<std::vector<std::string>>());
  }

  Result<Attribute> tensor() const {
    for (const std::string& key : element_.keys()) {
      if (key != "type" && key != "shape" && key != "values" && !key.starts_with("x-")) {
        return element_.member(key).key_error(fmt::format("unknown key '{}'; nearest known key is '{}'", shortened(key),
                                                          nearest(key, {"type", "shape", "values"})));
      }
    }
    const Element type = element_.member("type");
    const Element values = element_.member("values");
    const auto dtype =
        type.json().is_string() ? dtype_from_name(type.json().get<std::string>()) : std::optional<DType>();
    if (!dtype || !values.exists()) {
      return wrong("a tensor {\"type\", \"shape\", \"values\"}");
    }
    Target target;
    target.what = fmt::format("attribute '{}'", name_);
    target.dtype = *dtype;
    if (const Element shape = element_.member("shape"); shape.exists()) {
      const bool sizes =
          shape.json().is_array() && std::all_of(shape.json().begin(), shape.json().end(), [](const Json& dim) {
            const auto size = whole_number(dim);
            return dim.is_number() && size && *size >= 0;
          });
      if (!sizes) {
        return shape.error(fmt::format("attribute '{}': 'shape' must be a list of sizes", name_));
      }
      target.has_shape = true;
      for (const Json& dim : shape.json()) {
        target.dims.push_back(Dim{*whole_number(dim), ""});
      }
    }
    ASSAY_ASSIGN(SourceTensor made, make_tensor(DataSource{element_}, target));
    return Attribute(std::move(made.tensor));
  }

  const Element& element_;
  const std::string& name_;
  std::string type_;
};

}  // namespace

Result<Attribute> inline_attribute(const Element& element, const std::string& name, const std::string& type) {
  return AttributeReader(element, name, type.empty() ? guessed_type(element.json()) : type).read();
}

}  // namespace assay::spec
