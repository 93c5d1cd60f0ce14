// SPDX-License-Identifier: Apache-2.0
#include "reports/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "reports/number_text.h"
#include "reports/xml_text.h"

namespace assay::reports {
namespace {

// Pixels. Monospaced fonts advance by 0.6 em.
constexpr double kFontSize = 13;
constexpr double kAdvance = kFontSize * 0.6;
constexpr double kLine = 20;
constexpr double kMargin = 16;
constexpr std::size_t kMaxRows = 60;  // per table
constexpr std::size_t kMaxTables = 60;

struct Cell {
  std::string text;
  std::string fill = "#1f2328";
  bool bold = false;
};

std::string text_at(double x, double y, const Cell& cell, Align align) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\"{}{}>{}</text>\n", x, y, cell.fill,
                     align == Align::kRight ? " text-anchor=\"end\"" : "", cell.bold ? " font-weight=\"bold\"" : "",
                     xml_text(cell.text));
}

std::string line_at(double y, double width) {
  return fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#d0d7de\"/>\n", kMargin, y,
                     kMargin + width, y);
}

std::string cell_color(const std::string& text) {
  const std::optional<Outcome> outcome = outcome_from_name(text);
  return outcome ? outcome_color(*outcome) : "#1f2328";
}

struct Drawing {
  std::string body;
  double width = 0;
  double height = 0;
};

void draw_table(Drawing& drawing, TextTable table) {
  const std::size_t hidden = table.rows.size() - std::min(table.rows.size(), kMaxRows);
  table.rows.resize(table.rows.size() - hidden);
  const std::vector<std::size_t> widths = column_widths(table);
  const std::size_t characters =
      std::accumulate(widths.begin(), widths.end(), std::size_t{0}) + 2 * (widths.empty() ? 0 : widths.size() - 1);
  const double width = static_cast<double>(characters) * kAdvance;
  double y = drawing.height + kLine;
  if (!table.title.empty()) {
    drawing.body += text_at(kMargin, y, {table.title, "#0969da", true}, Align::kLeft);
    y += kLine;
  }
  const auto draw_row = [&](auto&& cell) {
    double x = kMargin;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const double cell_width = static_cast<double>(widths[c]) * kAdvance;
      const Align align = table.columns[c].align;
      drawing.body += text_at(align == Align::kRight ? x + cell_width : x, y, cell(c), align);
      x += cell_width + 2 * kAdvance;
    }
    y += kLine;
  };
  draw_row([&](std::size_t c) { return Cell{table.columns[c].title, "#59636e", true}; });
  drawing.body += line_at(y - kLine + 6, width);
  for (const auto& row : table.rows) {
    draw_row([&](std::size_t c) { return Cell{row[c], cell_color(row[c])}; });
  }
  if (hidden > 0) {
    drawing.body += text_at(kMargin, y, {fmt::format("and {} more rows", hidden), "#59636e"}, Align::kLeft);
    y += kLine;
  }
  drawing.width = std::max({drawing.width, width, static_cast<double>(text_width(table.title)) * kAdvance});
  drawing.height = y;
}

void add_row(TextTable& table, const CaseGroup& group) {
  std::map<Outcome, std::int64_t> counts;
  for (const VariantResult* result : group.results) {
    ++counts[result->outcome];
  }
  table.rows.push_back({group.name, std::to_string(group.results.size()), counts_text(counts)});
}

std::string wrapped(const Drawing& drawing) {
  const double width = drawing.width + 2 * kMargin;
  const double height = drawing.height + kMargin - kLine / 2;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"{2}\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{3}</svg>\n",
      width, height, kFontSize, drawing.body);
}

std::string row_label(const Pivot& pivot, const PivotRow& row) {
  std::string label;
  for (std::size_t a = 0; a < pivot.axes.size(); ++a) {
    if (row.axis_values[a] != "*") {
      label += (label.empty() ? "" : " ") + pivot.axes[a] + "=" + row.axis_values[a];
    }
  }
  return label.empty() ? "every configuration" : label;
}

}  // namespace

const char* outcome_color(Outcome outcome) {
  if (is_failure(outcome)) {
    return "#cf222e";
  }
  return outcome == Outcome::kPass || outcome == Outcome::kXfail ? "#1a7f37" : "#9a6700";
}

void render_report_svg(const RunRecord& run, const Sink& sink) {
  TextTable cases;
  cases.columns = {{"case", Align::kLeft}, {"variants", Align::kRight}, {"outcomes", Align::kLeft}};
  std::vector<TextTable> labelled;
  std::vector<TextTable> others;
  for_each_case(run.results, [&](const CaseGroup& group) {
    add_row(cases, group);
    const Pivot pivot = make_pivot(group);
    std::vector<TextTable>& tables = pivot.accuracy ? labelled : others;
    if ((pivot.accuracy || pivot.rows.size() > 1) && tables.size() < kMaxTables) {
      tables.push_back(pivot_table(pivot));
    }
  });
  Drawing drawing;
  draw_table(drawing, std::move(cases));
  for (TextTable& table : labelled.empty() ? others : labelled) {
    draw_table(drawing, std::move(table));
  }
  sink(wrapped(drawing));
}

std::string render_error_chart(const Pivot& pivot) {
  constexpr double kBarWidth = 360;
  struct Bar {
    std::string label;
    double value;
    Outcome outcome;
  };
  for (const char* metric : {"sqnr_db", "max_abs_error"}) {
    std::vector<Bar> bars;
    double largest = 0;
    for (const PivotRow& row : pivot.rows) {
      if (const auto measured = find_measurement(*row.variants.front(), metric)) {
        bars.push_back({row_label(pivot, row), measured->value, row.outcome});
        largest = std::isfinite(measured->value) ? std::max(largest, measured->value) : largest;
      }
    }
    if (bars.size() < 2) {
      continue;
    }
    std::size_t characters = 0;
    for (const Bar& bar : bars) {
      characters = std::max(characters, text_width(bar.label));
    }
    const double start = kMargin + static_cast<double>(characters + 2) * kAdvance;
    Drawing drawing;
    drawing.body = text_at(kMargin, kLine, {std::string(metric) + " by configuration", "#59636e", true}, Align::kLeft);
    double y = 2 * kLine;
    for (const Bar& bar : bars) {
      const double share = std::isinf(bar.value) ? 1 : largest > 0 ? std::max(bar.value, 0.0) / largest : 0;
      drawing.body += text_at(kMargin, y, {bar.label}, Align::kLeft);
      drawing.body += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                                  start, y - 12, std::max(1.0, (std::isnan(share) ? 0 : share) * kBarWidth), kLine - 5,
                                  outcome_color(bar.outcome));
      drawing.body += text_at(start + kBarWidth + kAdvance, y, {number_text(bar.value)}, Align::kLeft);
      y += kLine;
    }
    drawing.width = start + kBarWidth + 14 * kAdvance - kMargin;
    drawing.height = y;
    return wrapped(drawing);
  }
  return "";
}

}  // namespace assay::reports
