// SPDX-License-Identifier: Apache-2.0
// Flags that several verbs share, each defined once.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/selection.h"
#include "harness/spec/axis.h"

namespace assay::cli {

// PATH..., --onnx-tests, --set, --filter, --tag, --tier, --shard, --durations.
struct SelectFlags {
  std::vector<std::string> paths;
  std::string onnx_tests;
  std::vector<std::string> settings;
  std::vector<std::string> filters;
  std::vector<std::string> tags;
  std::string tier;
  std::string shard;
  std::string durations;

  void define(CLI::App& command);
  Result<run::SelectOptions> options() const;
};

// "nothing selected", with what was meant, perhaps (run::Selection).
std::string nothing_selected(const std::string& hint);

// --json FILE and --color.
struct OutputFlags {
  std::string json;  // "-" is stdout; "" none
  std::optional<bool> color;

  void define(CLI::App& command);
  bool json_to_stdout() const { return json == "-"; }
  std::string json_file() const { return json_to_stdout() ? "" : json; }
  // Writes the text to the file named, if it is one; 0, or 4 with a message.
  int write_json(const std::string& text) const;
};

// Takes numbers from low to high, both included. CLI::Range lets "nan" through.
CLI::Validator number_between(double low, double high);
// For options whose absence means something: an unset variable must not pass for it.
CLI::Validator not_empty();

// One name for a file, however it is named: to tell whether two flags mean the same one.
std::string canonical(const std::string& path);

// A configuration of --set settings, each with one value. Errors: unknown axes, several values, or an axis that does
// not begin with `prefix`.
Result<spec::Configuration> configuration_of(const std::vector<std::string>& settings, const std::string& prefix);
// An error for a setting that asks for something, but whose axis cannot matter under the rest of the configuration.
Status check_effects(const std::vector<std::string>& settings, const spec::Configuration& configuration);

}  // namespace assay::cli
