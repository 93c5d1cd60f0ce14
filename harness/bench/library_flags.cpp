// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/library_flags.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <regex>
#include <string_view>

namespace assay::bench {
namespace {

constexpr int kMostSeconds = 86400;
constexpr int kMostRepetitions = 1000000;

Status check_format(const std::vector<std::string>& flags, const std::string& name) {
  const std::optional<std::string> value = value_of(flags, name);
  if (value && *value != "console" && *value != "json" && *value != "csv") {
    return invalid_argument(fmt::format("{}={}: the formats are console, json and csv", name, *value));
  }
  return {};
}

Status check_filter(const std::vector<std::string>& flags) {
  std::string filter = value_of(flags, "--benchmark_filter").value_or("all");
  if (filter.starts_with('-')) {
    filter.erase(0, 1);  // everything but these
  }
  try {
    const std::regex compiled(filter, std::regex::extended);
  } catch (const std::regex_error& error) {
    return invalid_argument(fmt::format("--benchmark_filter={}: no regular expression: {}", filter, error.what()));
  }
  return {};
}

Status check_output(const std::vector<std::string>& flags) {
  const std::optional<std::string> file = value_of(flags, "--benchmark_out");
  if (file && !file->empty() && !std::ofstream(*file, std::ios::app)) {
    return io_error(fmt::format("--benchmark_out={}: the file cannot be written", *file));
  }
  return {};
}

// The library takes any number; without these rules a run never ends or has no rows.
Status check_numbers(const std::vector<std::string>& flags) {
  const auto number_of = [&](const char* name) -> std::optional<double> {
    const std::optional<std::string> text = value_of(flags, name);
    if (!text) {
      return std::nullopt;
    }
    char* end = nullptr;
    const double value = std::strtod(text->c_str(), &end);
    return end == text->c_str() || *end != '\0' ? std::numeric_limits<double>::quiet_NaN() : value;
  };
  const std::optional<double> seconds = number_of("--benchmark_min_time");
  if (seconds && !(*seconds > 0 && *seconds <= kMostSeconds)) {
    return invalid_argument(fmt::format("--benchmark_min_time={}: a time above 0 and up to {} s is needed",
                                        value_of(flags, "--benchmark_min_time").value(), kMostSeconds));
  }
  const std::optional<double> repetitions = number_of("--benchmark_repetitions");
  if (repetitions &&
      !(*repetitions >= 1 && *repetitions <= kMostRepetitions && *repetitions == std::floor(*repetitions))) {
    return invalid_argument(fmt::format("--benchmark_repetitions={}: a whole number from 1 to {} is needed",
                                        value_of(flags, "--benchmark_repetitions").value(), kMostRepetitions));
  }
  return {};
}

}  // namespace

std::optional<std::string> value_of(const std::vector<std::string>& flags, const std::string& name) {
  std::optional<std::string> value;
  for (const std::string& flag : flags) {
    if (flag == name) {
      value = "true";
    } else if (flag.starts_with(name + "=")) {
      value = flag.substr(name.size() + 1);
    }
  }
  return value;
}

Result<std::vector<std::string>> complete_flags(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    if (!flag.starts_with("--benchmark_") && !flag.starts_with("--v=")) {
      return invalid_argument("unknown flag or argument '" + flag + "'");
    }
  }
  ASSAY_TRY(check_format(flags, "--benchmark_format"));
  ASSAY_TRY(check_format(flags, "--benchmark_out_format"));
  ASSAY_TRY(check_filter(flags));
  ASSAY_TRY(check_numbers(flags));
  ASSAY_TRY(check_output(flags));
  std::vector<std::string> complete = flags;
  const std::string interleaving = value_of(flags, "--benchmark_enable_random_interleaving").value_or("true");
  if (interleaving == "true") {
    complete.insert(complete.begin(), {"--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=5"});
  }
  complete.insert(complete.begin(), "--benchmark_min_time=0.05");
  return complete;
}

}  // namespace assay::bench
