// SPDX-License-Identifier: Apache-2.0
#include "reports/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "reports/drawing.h"
#include "reports/number_text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMaxRows = 60;  // per table
constexpr std::size_t kMaxTables = 60;

std::string cell_color(const std::string& text) {
  const std::optional<Outcome> outcome = outcome_from_name(text);
  return outcome ? outcome_color(*outcome) : kInk;
}

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
  draw_row([&](std::size_t c) { return DrawnText{table.columns[c].title, kDimInk, true}; });
  drawing.body += line_at(y - kLine + 6, width);
  for (const auto& row : table.rows) {
    draw_row([&](std::size_t c) { return DrawnText{row[c], cell_color(row[c])}; });
  }
  if (hidden > 0) {
    drawing.body += text_at(kMargin, y, {fmt::format("and {} more rows", hidden), kDimInk}, Align::kLeft);
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

namespace {

class ReportSvg : public Renderer {
 public:
  explicit ReportSvg(const Sink& sink) : sink_(sink) {
    cases_.columns = {{"case", Align::kLeft}, {"variants", Align::kRight}, {"outcomes", Align::kLeft}};
  }
  void take(const CaseGroup& group) override {
    add_row(cases_, group);
    const Pivot pivot = make_pivot(group);
    std::vector<TextTable>& tables = pivot.accuracy ? labelled_ : others_;
    if ((pivot.accuracy || pivot.rows.size() > 1) && tables.size() < kMaxTables) {
      tables.push_back(pivot_table(pivot));
    }
  }
  void finish() override {
    Drawing drawing;
    draw_table(drawing, std::move(cases_));
    for (TextTable& table : labelled_.empty() ? others_ : labelled_) {
      draw_table(drawing, std::move(table));
    }
    sink_(wrapped(drawing));
  }

 private:
  Sink sink_;
  TextTable cases_;
  std::vector<TextTable> labelled_;
  std::vector<TextTable> others_;
};

}  // namespace

std::unique_ptr<Renderer> start_report_svg(const RunRecord&, const Sink& sink) {
  return std::make_unique<ReportSvg>(sink);
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
    drawing.body = text_at(kMargin, kLine, {std::string(metric) + " by configuration", kDimInk, true}, Align::kLeft);
    double y = 2 * kLine;
    for (const Bar& bar : bars) {
      const double share = std::isinf(bar.value) ? 1 : largest > 0 ? std::max(bar.value, 0.0) / largest : 0;
      drawing.body += text_at(kMargin, y, {bar.label}, Align::kLeft);
      drawing.body +=
          bar_at(start, y, std::max(1.0, (std::isnan(share) ? 0 : share) * kBarWidth), outcome_color(bar.outcome));
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
