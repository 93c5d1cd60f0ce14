// SPDX-License-Identifier: Apache-2.0
#include "harness/run/range_table_text.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

namespace assay::run {
namespace {

using Ranges = std::map<std::string, std::pair<double, double>>;

// The largest int8 of TensorRT's symmetric quantization.
constexpr double kTensorRtSteps = 127;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Calls `take` for each line that is not empty, until it fails.
Status for_each_line(std::string_view text,
                     const std::function<Status(std::size_t number, std::string_view line)>& take) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
    ++number;
    if (!line.empty()) {
      ASSAY_TRY(take(number, line));
    }
  }
  return {};
}

std::optional<double> finite_number(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = code == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// A name as it is, or without its double quotes.
std::string unquoted(std::string_view name) {
  if (name.size() < 2 || !name.starts_with('"') || !name.ends_with('"')) {
    return std::string(name);
  }
  std::string plain;
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    plain += name[i];
    i += name[i] == '"' && i + 2 < name.size() && name[i + 1] == '"' ? 1 : 0;
  }
  return plain;
}

Status add(const std::string& where, const std::string& name, std::pair<double, double> range, Ranges& ranges) {
  if (name.empty()) {
    return invalid_argument(where + ": the tensor has no name");
  }
  if (!ranges.emplace(name, range).second) {
    return invalid_argument(fmt::format("{}: tensor '{}' is there twice", where, name));
  }
  return {};
}

Status add_range_line(const std::string& where, std::string_view line, Ranges& ranges) {
  const std::size_t second = line.rfind(',');
  const std::size_t first =
      second == std::string_view::npos || second == 0 ? std::string_view::npos : line.rfind(',', second - 1);
  if (first == std::string_view::npos) {
    return invalid_argument(fmt::format("{}: a line must be NAME,MIN,MAX, found '{}'", where, line));
  }
  const std::optional<double> min = finite_number(line.substr(first + 1, second - first - 1));
  const std::optional<double> max = finite_number(line.substr(second + 1));
  if (!min || !max || *min > *max) {
    return invalid_argument(
        fmt::format("{}: MIN and MAX must be numbers with MIN <= MAX, found '{}'", where, line.substr(first + 1)));
  }
  return add(where, unquoted(trimmed(line.substr(0, first))), {*min, *max}, ranges);
}

std::optional<float> scale_of(std::string_view hex) {
  std::uint32_t bits = 0;
  const auto [end, code] = std::from_chars(hex.data(), hex.data() + hex.size(), bits, 16);
  if (hex.size() != 8 || code != std::errc() || end != hex.data() + hex.size()) {
    return std::nullopt;
  }
  const auto scale = std::bit_cast<float>(bits);
  return std::isfinite(scale) && scale >= 0 ? std::optional(scale) : std::nullopt;
}

Status add_tensorrt_line(const std::string& where, std::string_view line, Ranges& ranges) {
  const std::size_t colon = line.rfind(':');
  const std::string_view hex = colon == std::string_view::npos ? "" : trimmed(line.substr(colon + 1));
  const std::optional<float> scale = scale_of(hex);
  if (!scale) {
    return invalid_argument(fmt::format(
        "{}: a line must be TENSOR: and the 8 hexadecimal digits of a finite scale that is not negative, found '{}'",
        where, line));
  }
  const double amax = static_cast<double>(*scale) * kTensorRtSteps;
  return add(where, std::string(trimmed(line.substr(0, colon))), {-amax, amax}, ranges);
}

}  // namespace

Result<Ranges> parse_range_lines(const std::string& path, std::string_view text) {
  Ranges ranges;
  bool first = true;
  ASSAY_TRY(for_each_line(text, [&](std::size_t number, std::string_view line) -> Status {
    const bool header = first && (line == "name,min,max" || line == "tensor,min,max");
    if (line.starts_with('#') || header) {
      first = first && !header;
      return {};
    }
    first = false;
    return add_range_line(fmt::format("{}:{}", path, number), line, ranges);
  }));
  return ranges;
}

Result<Ranges> parse_tensorrt_cache(const std::string& path, std::string_view text) {
  Ranges ranges;
  ASSAY_TRY(for_each_line(text, [&](std::size_t number, std::string_view line) -> Status {
    return number == 1 ? Status() : add_tensorrt_line(fmt::format("{}:{}", path, number), line, ranges);
  }));
  return ranges;
}

}  // namespace assay::run
