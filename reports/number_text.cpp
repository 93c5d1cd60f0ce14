// SPDX-License-Identifier: Apache-2.0
#include "reports/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <limits>

namespace assay::reports {

std::string number_text(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  return fmt::format("{:.6g}", value);
}

std::string percent_text(double share, int digits) {
  return std::isfinite(share) ? fmt::format("{:.{}f} %", share * 100, digits) : number_text(share);
}

std::string time_text(double nanoseconds) {
  struct Unit {
    double size_ns;
    const char* name;
  };
  constexpr std::array<Unit, 4> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  for (const Unit& unit : kUnits) {
    if (nanoseconds >= unit.size_ns) {
      return fmt::format("{:.3f} {}", nanoseconds / unit.size_ns, unit.name);
    }
  }
  return fmt::format("{:.3f} ns", nanoseconds);
}

std::string bytes_text(std::size_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  double size = static_cast<double>(bytes) / 1024;
  if (size < 1) {
    return fmt::format("{} B", bytes);
  }
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) {
    size /= 1024;
  }
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

Json number_json(double value) {
  if (std::isfinite(value)) {
    return value;
  }
  return number_text(value);
}

std::optional<double> number_from_json(const Json& json) {
  if (json.is_number()) {
    return json.get<double>();
  }
  if (json == "inf") {
    return std::numeric_limits<double>::infinity();
  }
  if (json == "-inf") {
    return -std::numeric_limits<double>::infinity();
  }
  if (json == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::nullopt;
}

std::string limit_text(const Check& check) {
  std::string text;
  if (check.at_least) {
    text = "at_least " + number_text(*check.at_least);
  }
  if (check.at_most) {
    text += (text.empty() ? "" : " and ") + ("at_most " + number_text(*check.at_most));
  }
  return text;
}

namespace {

// Shortest digits that read back as the same number: what stands here can be pasted into a case.
std::string would_pass_text(const Check& check) {
  std::string text;
  const char* begin = check.passed ? "would still pass with " : "would pass with ";
  for (const auto& [key, value] : check.would_pass) {
    const bool limit = key == "at_least" || key == "at_most";
    text += fmt::format("{}{} {}", text.empty() ? begin : limit ? " and " : " or ", key, value);
  }
  return text;
}

}  // namespace

std::string check_text(const Check& check) {
  const Measurement& measured = check.measured;
  std::string parameters;
  for (const auto& [key, value] : check.parameters.items()) {
    parameters += fmt::format(", {}={}", key, value_text(value));
  }
  std::string name = measured.metric;
  if (!measured.output.empty() || !parameters.empty()) {
    name += "(" + (measured.output.empty() ? parameters.substr(2) : measured.output + parameters) + ")";
  }
  std::string text = fmt::format("{} = {}", name, number_text(measured.value));
  if (measured.low && measured.high) {
    text += fmt::format(" [{}, {}]", number_text(*measured.low), number_text(*measured.high));
  }
  const std::string limit = limit_text(check);
  if (!limit.empty()) {
    text += (check.passed ? " within " : ", required ") + limit;
  }
  std::string notes = check.detail;
  if (check.worst) {
    const WorstElement& worst = *check.worst;
    const std::string place = fmt::format("at [{}]: ", fmt::join(worst.at, ","));
    if (notes.find(place) == std::string::npos) {
      notes +=
          fmt::format("{}worst {}{}, reference {}", notes.empty() ? "" : "; ", place, worst.actual, worst.reference);
    }
  }
  if (const std::string passing = would_pass_text(check); !passing.empty()) {
    notes += (notes.empty() ? "" : "; ") + passing;
  }
  return notes.empty() ? text : text + " (" + notes + ")";
}

}  // namespace assay::reports
