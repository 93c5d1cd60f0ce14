// SPDX-License-Identifier: Apache-2.0
#include "reports/pivot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "reports/number_text.h"

namespace assay::reports {
namespace {

std::string interval_text(const Measurement& m) {
  if (!m.low || !m.high) {
    return fmt::format("{:.2f}", m.value * 100);
  }
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", m.value * 100, *m.low * 100, *m.high * 100);
}
std::string share_text(const Measurement& m) { return fmt::format("{:.2f}", m.value * 100); }
std::string fine_share_text(const Measurement& m) { return m.value == 0 ? "0" : fmt::format("{:.4f}", m.value * 100); }
std::string decibel_text(const Measurement& m) { return fmt::format("{:.1f}", m.value); }
std::string plain_text(const Measurement& m) { return fmt::format("{:.4g}", m.value); }

struct FigureRow {
  const char* metric;
  const char* title;
  bool larger_is_worse;
  bool with_top1;  // also shown where top-1 figures are
  std::string (*text)(const Measurement&);
};

constexpr std::array<FigureRow, 7> kFigures{{
    {"top1_accuracy", "top-1 % [95 %]", false, true, interval_text},
    {"top1_agreement", "agrees %", false, true, share_text},
    {"sqnr_db", "SQNR dB", false, true, decibel_text},
    {"max_abs_error", "max abs error", true, false, plain_text},
    {"max_steps", "max steps", true, false, plain_text},
    {"mismatch_share", "mismatch %", true, false, fine_share_text},
    {"saturated_pair_share", "saturated %", true, true, fine_share_text},
}};

std::vector<std::string> all_axes(const CaseGroup& group) {
  std::vector<std::string> axes;
  for (const VariantResult* result : group.results) {
    for (const auto& [axis, value] : result->variant.items()) {
      if (std::ranges::find(axes, axis) == axes.end()) {
        axes.push_back(axis);
      }
    }
  }
  return axes;
}

std::string axis_text(const VariantResult& result, const std::string& axis) {
  return result.variant.contains(axis) ? value_text(result.variant.at(axis)) : "-";
}

// The texts that each distinguishing axis takes, in order of first appearance; axes of one value are left out.
struct AxisValues {
  std::string axis;
  std::vector<std::string> values;
};
std::vector<AxisValues> distinguishing_axes(const CaseGroup& group) {
  std::vector<AxisValues> kept;
  for (const std::string& axis : all_axes(group)) {
    AxisValues entry{axis, {}};
    for (const VariantResult* result : group.results) {
      const std::string text = axis_text(*result, axis);
      if (std::ranges::find(entry.values, text) == entry.values.end()) {
        entry.values.push_back(text);
      }
    }
    if (entry.values.size() > 1) {
      kept.push_back(std::move(entry));
    }
  }
  return kept;
}

std::vector<const FigureRow*> shown_figures(const CaseGroup& group, bool accuracy) {
  std::vector<const FigureRow*> shown;
  for (const FigureRow& figure : kFigures) {
    const auto has = [&](const VariantResult* r) { return find_measurement(*r, figure.metric).has_value(); };
    if ((!accuracy || figure.with_top1) && std::ranges::any_of(group.results, has)) {
      shown.push_back(&figure);
    }
  }
  return shown;
}

// A row while merging: the set of values per axis, by position in AxisValues::values.
struct Draft {
  std::vector<std::set<std::size_t>> values;
  PivotRow row;
};

// What drafts must have in common to be joined along `axis`, as a text.
std::string key_without(const Draft& draft, std::size_t axis) {
  std::string key(outcome_name(draft.row.outcome));
  for (std::size_t a = 0; a < draft.values.size(); ++a) {
    key += '\n';
    if (a != axis) {
      for (const std::size_t position : draft.values[a]) {
        key += std::to_string(position) + ",";
      }
    }
  }
  for (const std::string& figure : draft.row.figures) {
    key += "\n" + figure;
  }
  return key;
}

// Joins drafts that agree in everything but `axis`.
std::vector<Draft> merge_along(const std::vector<Draft>& drafts, std::size_t axis) {
  std::vector<Draft> merged;
  std::unordered_map<std::string, std::size_t> positions;
  for (const Draft& draft : drafts) {
    const auto [position, added] = positions.try_emplace(key_without(draft, axis), merged.size());
    if (added) {
      merged.push_back(draft);
      continue;
    }
    Draft& found = merged[position->second];
    found.values[axis].insert(draft.values[axis].begin(), draft.values[axis].end());
    found.row.variants.insert(found.row.variants.end(), draft.row.variants.begin(), draft.row.variants.end());
  }
  return merged;
}

// Merges along the axis that saves most rows (the last of equals), until none saves any.
std::vector<Draft> merge(std::vector<Draft> drafts, std::size_t axes) {
  while (true) {
    std::vector<Draft> best = drafts;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      std::vector<Draft> merged = merge_along(drafts, axis);
      if (merged.size() < drafts.size() && merged.size() <= best.size()) {
        best = std::move(merged);
      }
    }
    if (best.size() == drafts.size()) {
      return drafts;
    }
    drafts = std::move(best);
  }
}

std::string values_text(const AxisValues& axis, const std::set<std::size_t>& positions) {
  if (positions.size() == axis.values.size()) {
    return "*";
  }
  std::string text;
  for (const std::size_t position : positions) {
    text += (text.empty() ? "" : ", ") + axis.values[position];
  }
  return text;
}

// Short names, or the full ones where two axes would read alike.
std::vector<std::string> axis_titles(const std::vector<AxisValues>& axes) {
  std::vector<std::string> titles;
  for (const AxisValues& axis : axes) {
    const auto alike = [&](const AxisValues& other) { return short_axis(other.axis) == short_axis(axis.axis); };
    titles.push_back(std::ranges::count_if(axes, alike) > 1 ? axis.axis : short_axis(axis.axis));
  }
  return titles;
}

}  // namespace

std::string short_axis(const std::string& axis) {
  const std::size_t dot = axis.find('.');
  return dot == std::string::npos ? axis : axis.substr(dot + 1);
}

std::optional<Measurement> find_measurement(const VariantResult& result, const std::string& metric) {
  const auto figure = std::ranges::find(kFigures, metric, [](const FigureRow& row) { return std::string(row.metric); });
  const bool larger_is_worse = figure != kFigures.end() && figure->larger_is_worse;
  std::optional<Measurement> worst;
  const auto consider = [&](const Measurement& m) {
    if (m.metric == metric && (!worst || (larger_is_worse ? m.value > worst->value : m.value < worst->value))) {
      worst = m;
    }
  };
  for (const Check& check : result.checks) {
    consider(check.measured);
  }
  for (const Measurement& m : result.measurements) {
    consider(m);
  }
  return worst;
}

Pivot make_pivot(const CaseGroup& group) {
  Pivot pivot;
  pivot.case_name = group.name;
  pivot.accuracy = std::ranges::any_of(group.results, [](const VariantResult* r) {
    return find_measurement(*r, "top1_accuracy") || find_measurement(*r, "top1_agreement");
  });
  const std::vector<AxisValues> axes = distinguishing_axes(group);
  const std::vector<const FigureRow*> figures = shown_figures(group, pivot.accuracy);
  pivot.axes = axis_titles(axes);
  for (const FigureRow* figure : figures) {
    pivot.figures.emplace_back(figure->title);
  }
  std::vector<Draft> drafts;
  for (const VariantResult* result : group.results) {
    Draft draft;
    for (const AxisValues& axis : axes) {
      const auto position = std::ranges::find(axis.values, axis_text(*result, axis.axis)) - axis.values.begin();
      draft.values.push_back({static_cast<std::size_t>(position)});
    }
    for (const FigureRow* figure : figures) {
      const std::optional<Measurement> measured = find_measurement(*result, figure->metric);
      draft.row.figures.push_back(measured ? figure->text(*measured) : "");
    }
    draft.row.outcome = result->outcome;
    draft.row.variants.push_back(result);
    drafts.push_back(std::move(draft));
  }
  for (Draft& draft : merge(std::move(drafts), axes.size())) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      draft.row.axis_values.push_back(values_text(axes[a], draft.values[a]));
    }
    pivot.rows.push_back(std::move(draft.row));
  }
  return pivot;
}

TextTable pivot_table(const Pivot& pivot) {
  TextTable table;
  table.title = pivot.case_name;
  for (const std::string& axis : pivot.axes) {
    table.columns.push_back({axis, Align::kLeft});
  }
  for (const std::string& figure : pivot.figures) {
    table.columns.push_back({figure, Align::kRight});
  }
  table.columns.push_back({"outcome", Align::kLeft});
  table.columns.push_back({"variants", Align::kRight});
  for (const PivotRow& row : pivot.rows) {
    std::vector<std::string> cells = row.axis_values;
    cells.insert(cells.end(), row.figures.begin(), row.figures.end());
    cells.emplace_back(outcome_name(row.outcome));
    cells.push_back(std::to_string(row.variants.size()));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace assay::reports
