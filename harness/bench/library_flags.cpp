// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/library_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <regex>
#include <string_view>

#include "engine/base/output_file.h"

namespace assay::bench {
namespace {

constexpr int kMostSeconds = 86400;
constexpr int kMostRepetitions = 1000000;

// The library's regular expressions are matched by recursion.
constexpr std::size_t kLongestFilter = 1000;
constexpr int kMostBrackets = 100;
constexpr double kMostRepeats = 1000;

// Of Google Benchmark 1.7. Its variables are called BENCHMARK_FILTER and so on.
constexpr const char* kLibraryFlags[] = {"benchmark_color",
                                         "benchmark_context",
                                         "benchmark_counters_tabular",
                                         "benchmark_display_aggregates_only",
                                         "benchmark_enable_random_interleaving",
                                         "benchmark_filter",
                                         "benchmark_format",
                                         "benchmark_list_tests",
                                         "benchmark_min_time",
                                         "benchmark_min_warmup_time",
                                         "benchmark_out",
                                         "benchmark_out_format",
                                         "benchmark_perf_counters",
                                         "benchmark_repetitions",
                                         "benchmark_report_aggregates_only",
                                         "benchmark_time_unit"};

Status check_format(const std::vector<std::string>& flags, const std::string& name) {
  const std::optional<std::string> value = value_of(flags, name);
  if (value && *value != "console" && *value != "json" && *value != "csv") {
    return invalid_argument(fmt::format("{}={}: the formats are console, json and csv", name, *value));
  }
  return {};
}

Status check_time_unit(const std::vector<std::string>& flags) {
  const std::string unit = value_of(flags, "--benchmark_time_unit").value_or("");
  if (unit.empty() || unit == "ns" || unit == "us" || unit == "ms" || unit == "s") {
    return {};
  }
  return invalid_argument(fmt::format("--benchmark_time_unit={}: the units are ns, us, ms and s", unit));
}

// How often something may be repeated at most, {counts} inside {counts} multiplied.
double repeats_of(const std::string& filter) {
  double repeats = 1;
  for (std::size_t at = filter.find('{'); at != std::string::npos; at = filter.find('{', at + 1)) {
    double most = 1;
    for (const char* text = filter.c_str() + at + 1;
         std::isdigit(static_cast<unsigned char>(*text)) != 0 || *text == ',';) {
      char* end = nullptr;
      most = std::max(most, std::strtod(text, &end));
      text = end == text ? text + 1 : end;
    }
    repeats *= most;
  }
  return repeats;
}

// What the library could not match without running out of stack.
Status check_filter_size(const std::string& filter) {
  if (filter.size() > kLongestFilter) {
    return invalid_argument(
        fmt::format("--benchmark_filter: at most {} characters are possible, found {}", kLongestFilter, filter.size()));
  }
  const auto brackets = std::ranges::count(filter, '(');
  if (brackets > kMostBrackets) {
    return invalid_argument(
        fmt::format("--benchmark_filter: at most {} brackets are possible, found {}", kMostBrackets, brackets));
  }
  if (repeats_of(filter) > kMostRepeats) {
    return invalid_argument(
        fmt::format("--benchmark_filter={}: its counts in braces multiply to more than {}", filter, kMostRepeats));
  }
  return {};
}

Status check_filter(const std::vector<std::string>& flags) {
  std::string filter = value_of(flags, "--benchmark_filter").value_or("all");
  if (filter.starts_with('-')) {
    filter.erase(0, 1);  // everything but these
  }
  ASSAY_TRY(check_filter_size(filter));
  try {
    const std::regex compiled(filter, std::regex::extended);
  } catch (const std::regex_error& error) {
    return invalid_argument(fmt::format("--benchmark_filter={}: no regular expression: {}", filter, error.what()));
  }
  return {};
}

Status check_output(const std::vector<std::string>& flags) {
  const std::optional<std::string> file = value_of(flags, "--benchmark_out");
  return file && !file->empty() ? check_replaceable(*file) : Status{};
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
  const std::optional<double> warm_up = number_of("--benchmark_min_warmup_time");
  if (warm_up && !(*warm_up >= 0 && *warm_up <= kMostSeconds)) {
    return invalid_argument(fmt::format("--benchmark_min_warmup_time={}: a time from 0 to {} s is needed",
                                        value_of(flags, "--benchmark_min_warmup_time").value(), kMostSeconds));
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

bool flag_is_on(const std::vector<std::string>& flags, const std::string& name) {
  std::string value = value_of(flags, name).value_or("false");
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (value.size() == 1) {
    return std::isalnum(static_cast<unsigned char>(value[0])) != 0 && value != "0" && value != "f" && value != "n";
  }
  return value != "false" && value != "no" && value != "off";
}

std::vector<std::string> environment_flags() {
  std::vector<std::string> flags;
  for (const std::string flag : kLibraryFlags) {
    std::string variable = flag;
    std::ranges::transform(variable, variable.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (const char* value = std::getenv(variable.c_str()); value != nullptr) {
      flags.push_back("--" + flag + "=" + value);
    }
  }
  return flags;
}

Result<std::vector<std::string>> complete_flags(const std::vector<std::string>& given) {
  std::vector<std::string> flags = environment_flags();
  flags.insert(flags.end(), given.begin(), given.end());
  for (const std::string& flag : flags) {
    if (!flag.starts_with("--benchmark_") && !flag.starts_with("--v=")) {
      return invalid_argument("unknown flag or argument '" + flag + "'");
    }
  }
  ASSAY_TRY(check_format(flags, "--benchmark_format"));
  ASSAY_TRY(check_format(flags, "--benchmark_out_format"));
  ASSAY_TRY(check_time_unit(flags));
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
