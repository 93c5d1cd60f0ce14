// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare_verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

#include "engine/base/input_file.h"
#include "harness/cli/file_targets.h"
#include "harness/cli/flags.h"
#include "harness/cli/terminal.h"
#include "harness/diff/diff_text.h"
#include "harness/run/range_file.h"
#include "reports/exit_code.h"
#include "reports/printable.h"

namespace assay::cli {
namespace {

struct CompareFlags {
  std::string before;
  std::string after;
  diff::Tolerance tolerance;
  std::size_t top = 0;
  std::string json;
};

struct Comparison {
  bool equal = false;
  std::string text;
  reports::Json json;
};

// A table of ranges is text; a model is not, whatever its name.
Result<bool> is_range_file(const std::string& path) {
  ASSAY_ASSIGN(const std::string bytes, read_file(path));
  const bool text = std::ranges::none_of(bytes.substr(0, 4096), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' && c != '\n' && c != '\r' && c != '\t';
  });
  return text && !bytes.empty() && !path.ends_with(".onnx");
}

Result<Comparison> compare(const CompareFlags& flags) {
  const diff::Names names{.before = flags.before, .after = flags.after};
  ASSAY_ASSIGN(const bool before_is_ranges, is_range_file(flags.before));
  ASSAY_ASSIGN(const bool after_is_ranges, is_range_file(flags.after));
  if (before_is_ranges != after_is_ranges) {
    return invalid_argument(fmt::format("'{}' is a table of ranges and '{}' a model; two of a kind can be compared",
                                        before_is_ranges ? flags.before : flags.after,
                                        before_is_ranges ? flags.after : flags.before));
  }
  if (before_is_ranges) {
    ASSAY_ASSIGN(const run::RangeFile before, run::read_ranges(flags.before));
    ASSAY_ASSIGN(const run::RangeFile after, run::read_ranges(flags.after));
    if (before.ranges.empty() && after.ranges.empty()) {
      return invalid_argument(
          fmt::format("'{}' and '{}' hold no ranges: there is nothing to compare", flags.before, flags.after));
    }
    const diff::RangeDiff found = diff::compare_ranges(before.ranges, after.ranges, flags.tolerance.scale);
    return Comparison{found.equal(), diff::render_text(found, names, flags.top),
                      diff::to_json(found, names, flags.tolerance.scale)};
  }
  ASSAY_ASSIGN(const api::Model before, api::Model::load(flags.before));
  ASSAY_ASSIGN(const api::Model after, api::Model::load(flags.after));
  const diff::ModelDiff found = diff::compare_models(before, after, flags.tolerance);
  return Comparison{found.equal(), diff::render_text(found, names, flags.top),
                    diff::to_json(found, names, flags.tolerance)};
}

int compare_action(const CompareFlags& flags) {
  std::vector<NamedFile> read = model_files("A", flags.before);
  const std::vector<NamedFile> after = model_files("B", flags.after);
  read.insert(read.end(), after.begin(), after.end());
  const NamedFile written{"--json", flags.json == "-" ? "" : flags.json};
  if (const Status apart = check_apart(std::span(&written, 1), read); !apart.ok()) {
    return complain(apart.error());
  }
  const Result<Comparison> result = compare(flags);
  if (!result.ok()) {
    return complain(result.error());
  }
  const Comparison& comparison = result.value();
  const std::string json = comparison.json.dump(1, ' ', false, reports::Json::error_handler_t::replace) + "\n";
  const OutputFlags output{.json = flags.json, .color = std::nullopt};
  if (const int code = output.write_json(json); code != 0) {
    return code;
  }
  return print_data(output.json_to_stdout() ? json : reports::printable(comparison.text),
                    comparison.equal ? reports::kExitPass : reports::kExitFailed);
}

}  // namespace

void define_compare(CLI::App& command, Action& action) {
  auto flags = std::make_shared<CompareFlags>();
  command.add_option("A", flags->before, "A model (.onnx), or a file of calibrated ranges")->required();
  command.add_option("B", flags->after, "Another of the same kind")->required();
  command
      .add_option("--scale-tolerance", flags->tolerance.scale,
                  "Relative: of scales, float constants, and ranges by their span (default 1e-6)")
      ->check(number_between(0, 1e9));
  command
      .add_option("--step-tolerance", flags->tolerance.steps,
                  "Steps by which integers of quantized constants may differ (default 0); zero points must be equal")
      ->check(CLI::Range(Index{0}, Index{65535}));
  command.add_option("--top", flags->top, "List only the N largest differences of each kind (default: all)");
  command.add_option("--json", flags->json, "Write JSON to this file; - is stdout, in place of the tables");
  command.callback([flags, &action] { action = [flags] { return compare_action(*flags); }; });
}

}  // namespace assay::cli
