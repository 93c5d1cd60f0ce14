// SPDX-License-Identifier: Apache-2.0
// The configuration axes: one ordered table. docs/case-language.md describes each.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/spec/document.h"

namespace assay::spec {

class Configuration;

enum class AxisKind {
  kName,       // one of a list of names
  kText,       // any text but ""
  kBool,       // true, false
  kInteger,    // a whole number within limits, or one of the names
  kNumber,     // a number within limits
  kStrings,    // a list of texts: ["Conv", "MatMul"] is one value, [["Conv"], ["MatMul"]] are two
  kRanges,     // {tensor: [min, max]}, or the path of a JSON file with this (relative to the case; to the working
               // directory in --set)
  kOverrides,  // {tensor: {"type", "scale", "zero_point", "min", "max", "symmetric", "reduce_range", "axis",
               // "channels"}}
  kObject,     // any JSON object; who reads the axis checks its members
  kSettings,   // {key: text, number or truth value}, passed on to an external runtime
};

struct Axis {
  std::string_view name;
  AxisKind kind;
  std::vector<std::string_view> names;
  double min = 0;  // kInteger, kNumber: limits, both included
  double max = 0;
  Json fallback;  // the effective value where nothing sets the axis
  // False where the axis cannot matter under the rest of the configuration.
  bool (*applies)(const Configuration& configuration);
};

// quantizer.*, then runtime.*.
std::span<const Axis> axes();
const Axis* find_axis(std::string_view name);
// "unknown axis 'runtime.iso'; nearest known axis is 'runtime.isa'"
std::string unknown_axis_message(const std::string& name);

// Checks one value of an axis and returns it in its canonical form (file values untouched, whole floats as integers).
// The message names the axis, the rule and the value, with the nearest legal name.
Result<Json> check_axis_value(const Axis& axis, const Json& value);

// The values that a matrix entry, a condition or a setting states for an axis: a list's items, or a scalar as a list of
// one. For kStrings a list of strings is one value.
Result<std::vector<Json>> axis_values(const Axis& axis, const Json& json);

// What an axis value looks like in a variant's name and on the command line: strings bare, the rest as compact JSON.
std::string axis_value_text(const Json& value);

// --set axis=value: the value is JSON if it parses as JSON, else text; "a,b" states two values of an axis of names or
// numbers and one list of an axis of lists.
// Messages begin with "--set TEXT: ".
struct Setting {
  std::string axis;
  std::vector<Json> values;
};
Result<Setting> parse_setting(const std::string& text);

// A value for every axis: those that were set, and the defaults.
class Configuration {
 public:
  void set(const std::string& axis, Json value) { values_[axis] = std::move(value); }
  void reset(const std::string& axis) { values_.erase(axis); }
  // The effective value. The axis must be known (asserted).
  const Json& get(std::string_view axis) const;
  bool is_set(std::string_view axis) const { return values_.find(axis) != values_.end(); }
  // Typed shorthands for axes of that kind.
  std::string text(std::string_view axis) const;                  // kName; kInteger given as a word
  bool flag(std::string_view axis) const;                         // kBool
  double number(std::string_view axis) const;                     // kInteger, kNumber
  std::vector<std::string> strings(std::string_view axis) const;  // kStrings
  // What was set, by axis name.
  const std::map<std::string, Json, std::less<>>& explicit_values() const { return values_; }

 private:
  std::map<std::string, Json, std::less<>> values_;
};

// `when` and `unless`: holds where for every axis named the effective value is any of those listed. No terms: holds.
struct Condition {
  std::vector<std::pair<std::string, std::vector<Json>>> terms;
  bool holds(const Configuration& configuration) const;
};

}  // namespace assay::spec
