// SPDX-License-Identifier: Apache-2.0
#include "reports/timing_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "reports/number_text.h"

namespace assay::reports {
namespace {

// The axes that take more than one value in the case; one that does not apply to some variants has no value there.
std::set<std::string> distinguishing_axes(const CaseGroup& group) {
  std::map<std::string, std::set<std::string>> values;
  for (const VariantResult* result : group.results) {
    for (const auto& [axis, value] : result->variant.items()) {
      values[axis].insert(value_text(value));
    }
  }
  std::set<std::string> axes;
  for (const auto& [axis, taken] : values) {
    if (taken.size() > 1) {
      axes.insert(axis);
    }
  }
  return axes;
}

std::string configuration_text(const VariantResult& result, const std::set<std::string>& axes) {
  std::string text;
  for (const auto& [axis, value] : result.variant.items()) {
    if (axes.contains(axis)) {
      text += (text.empty() ? "" : " ") + axis.substr(axis.find('.') + 1) + "=" + value_text(value);
    }
  }
  return text.empty() ? "as stated" : text;
}

std::string speedup_text(const Timing& timing) {
  if (!timing.speedup) {
    return "";
  }
  std::string text = fmt::format("{:.2f}", *timing.speedup);
  if (timing.speedup_low && timing.speedup_high) {
    text += fmt::format(" [{:.2f}, {:.2f}]", *timing.speedup_low, *timing.speedup_high);
  }
  return text;
}

// "[1.200, 1.400] ms": both ends in the median's unit.
std::string interval_text(const Timing& timing) {
  const std::string median = time_text(timing.median_ns);
  const std::string unit = median.substr(median.find(' '));
  const double scale = timing.median_ns > 0 ? std::atof(median.c_str()) / timing.median_ns : 1;
  return fmt::format("[{:.3f}, {:.3f}]{}", timing.median_low_ns * scale, timing.median_high_ns * scale, unit);
}

// The median of the CPU times.
std::string cpu_text(const Timing& timing) {
  std::vector<double> times = timing.cpu_samples_ns;
  if (times.empty()) {
    return "-";
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return time_text(*middle);
}

std::string over_float_text(const Timing& timing) {
  return timing.float_median_ns ? fmt::format("{:.2f}", *timing.float_median_ns / timing.median_ns) : "";
}

// The axes in which the baseline differs, by its values: "isa=avx2".
std::string against_text(const VariantResult& result, const CaseGroup& group) {
  const std::string& name = result.timing->baseline;
  if (name.empty() || name == result.name) {
    return name.empty() ? "" : "baseline";
  }
  const auto baseline = std::ranges::find(group.results, name, [](const VariantResult* r) { return r->name; });
  if (baseline == group.results.end()) {
    return name.substr(std::min(name.size(), group.name.size()));  // it was not selected
  }
  std::string text;
  for (const auto& [axis, value] : (*baseline)->variant.items()) {
    if (!result.variant.contains(axis) || result.variant.at(axis) != value) {
      text += (text.empty() ? "" : " ") + axis.substr(axis.find('.') + 1) + "=" + value_text(value);
    }
  }
  return text;
}

}  // namespace

TextTable timing_table(const RunRecord& run) {
  TextTable table;
  table.columns = {{"network", Align::kLeft},  {"configuration", Align::kLeft},
                   {"median", Align::kRight},  {"95 %", Align::kRight},
                   {"p95", Align::kRight},     {"p99", Align::kRight},
                   {"cv %", Align::kRight},    {"n", Align::kRight},
                   {"CPU", Align::kRight},     {"load", Align::kRight},
                   {"MHz", Align::kRight},     {"GOP/s", Align::kRight},
                   {"x float", Align::kRight}, {"speed-up [95 %]", Align::kRight},
                   {"against", Align::kLeft}};
  for_each_case(run.results, [&](const CaseGroup& group) {
    const std::set<std::string> axes = distinguishing_axes(group);
    for (const VariantResult* result : group.results) {
      if (!result->timing) {
        continue;
      }
      const Timing& timing = *result->timing;
      std::string against = against_text(*result, group);
      if (!timing.note.empty()) {
        against += (against.empty() ? "" : "; ") + timing.note;
      }
      if (!timing.measured()) {
        table.rows.push_back({group.name, configuration_text(*result, axes), "-", "-", "-", "-", "-", "-", "-", "-",
                              "-", "-", "-", "-", against});
        continue;
      }
      table.rows.push_back({group.name, configuration_text(*result, axes), time_text(timing.median_ns),
                            interval_text(timing), time_text(timing.p95_ns),
                            timing.p99_ns ? time_text(*timing.p99_ns) : "-",
                            fmt::format("{:.1f}", timing.variation * 100), std::to_string(timing.samples_ns.size()),
                            cpu_text(timing), timing.load ? fmt::format("{:.1f}", *timing.load) : "-",
                            timing.mhz ? fmt::format("{:.0f}", *timing.mhz) : "-", fmt::format("{:.2f}", timing.gops()),
                            over_float_text(timing), speedup_text(timing), against});
    }
  });
  return table;
}

TextTable timing_cross_table(const RunRecord& run) {
  std::vector<std::string> networks;
  std::vector<std::string> configurations;
  std::map<std::pair<std::string, std::string>, std::string> cells;
  const auto add_once = [](std::vector<std::string>& list, const std::string& text) {
    if (std::ranges::find(list, text) == list.end()) {
      list.push_back(text);
    }
  };
  for_each_case(run.results, [&](const CaseGroup& group) {
    const std::set<std::string> axes = distinguishing_axes(group);
    for (const VariantResult* result : group.results) {
      if (!result->timing || !result->timing->measured()) {
        continue;
      }
      const std::string configuration = configuration_text(*result, axes);
      add_once(networks, group.name);
      add_once(configurations, configuration);
      std::string cell = time_text(result->timing->median_ns);
      if (result->timing->speedup) {
        cell += fmt::format(" x{:.2f}", *result->timing->speedup);
      }
      cells[{configuration, group.name}] = cell;
    }
  });
  TextTable table;
  if (networks.size() < 2) {
    return table;
  }
  table.columns.push_back({"configuration", Align::kLeft});
  for (const std::string& network : networks) {
    table.columns.push_back({network, Align::kRight});
  }
  for (const std::string& configuration : configurations) {
    std::vector<std::string> row{configuration};
    for (const std::string& network : networks) {
      const auto cell = cells.find({configuration, network});
      row.push_back(cell == cells.end() ? "" : cell->second);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace assay::reports
