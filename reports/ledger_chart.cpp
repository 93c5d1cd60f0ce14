// SPDX-License-Identifier: Apache-2.0
#include "reports/ledger_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/drawing.h"
#include "reports/ledger_table.h"
#include "reports/number_text.h"

namespace assay::reports {
namespace {

constexpr double kBarsWidth = 420;
constexpr std::size_t kMaxBars = 60;
constexpr std::array kPartColors = {"#0969da", "#8250df", "#bc4c00", "#1a7f37"};

bool is_part(const LedgerEntry& entry) { return entry.part != "total"; }

// How far the row's parts reach to either side of 0, in shares. Nothing where a share is no number.
struct Reach {
  double below = 0;
  double above = 0;
  bool finite = true;
};
Reach reach_of(const LedgerRow& row) {
  Reach reach;
  for (const LedgerEntry& entry : row.entries) {
    if (is_part(entry)) {
      (entry.share < 0 ? reach.below : reach.above) += std::abs(entry.share);
      reach.finite = reach.finite && std::isfinite(entry.share);
    }
  }
  return reach;
}

std::string note_of(const LedgerRow& row) {
  const auto total = std::ranges::find(row.entries, "total", &LedgerEntry::part);
  return total == row.entries.end() ? "" : "rmse " + number_text(total->rmse);
}

}  // namespace

std::string render_ledger_chart(const CaseGroup& group) {
  std::vector<LedgerRow> rows = ledger_rows(group);
  if (rows.empty()) {
    return "";
  }
  std::vector<std::string> parts = ledger_parts(rows);
  std::erase(parts, "total");
  const std::size_t hidden = rows.size() - std::min(rows.size(), kMaxBars);
  rows.resize(rows.size() - hidden);

  Reach most{.below = 0, .above = 1, .finite = true};
  std::size_t label_width = 0;
  const auto label = [](const LedgerRow& row) {
    return row.output.empty() ? row.variant : row.variant + " -> " + row.output;
  };
  for (const LedgerRow& row : rows) {
    const Reach reach = reach_of(row);
    if (reach.finite) {
      most.below = std::max(most.below, reach.below);
      most.above = std::max(most.above, reach.above);
    }
    label_width = std::max(label_width, text_width(label(row)));
  }
  const double scale = kBarsWidth / (most.below + most.above);
  const double zero = kMargin + static_cast<double>(label_width + 2) * kAdvance + most.below * scale;

  Drawing drawing;
  drawing.body = text_at(kMargin, kLine, {"share of the squared error", kDimInk, true});
  double x = kMargin;
  double y = 2 * kLine;
  const auto color_of = [&](const std::string& part) {
    return kPartColors[static_cast<std::size_t>(std::ranges::find(parts, part) - parts.begin()) % kPartColors.size()];
  };
  for (const std::string& part : parts) {
    drawing.body += bar_at(x, y, kAdvance, color_of(part)) + text_at(x + 2 * kAdvance, y, {part});
    x += static_cast<double>(text_width(part) + 4) * kAdvance;
  }
  drawing.width = x - kMargin;
  y += kLine;
  for (const LedgerRow& row : rows) {
    drawing.body += text_at(kMargin, y, {label(row)});
    if (reach_of(row).finite) {
      double left = zero;
      double right = zero;
      for (const LedgerEntry& entry : row.entries) {
        const double width = is_part(entry) ? std::abs(entry.share) * scale : 0;
        if (width > 0) {
          left -= entry.share < 0 ? width : 0;
          drawing.body += bar_at(entry.share < 0 ? left : right, y, width, color_of(entry.part));
          right += entry.share < 0 ? 0 : width;
        }
      }
    }
    drawing.body += text_at(zero + most.above * scale + kAdvance, y, {note_of(row)});
    y += kLine;
  }
  if (hidden > 0) {
    drawing.body += text_at(kMargin, y, {fmt::format("and {} more rows", hidden), kDimInk});
    y += kLine;
  }
  drawing.width = std::max(drawing.width, zero + most.above * scale + 20 * kAdvance - kMargin);
  drawing.height = y;
  return wrapped(drawing);
}

}  // namespace assay::reports
