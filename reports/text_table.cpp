// SPDX-License-Identifier: Apache-2.0
#include "reports/text_table.h"

#include <algorithm>
#include <numeric>

#include "reports/markdown_text.h"
#include "reports/printable.h"

namespace assay::reports {
namespace {

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string fill(width - std::min(width, text_width(text)), ' ');
  return align == Align::kLeft ? text + fill : fill + text;
}

void trim_right(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

// With every text on one line.
TextTable flat(TextTable table) {
  table.title = one_line(table.title);
  for (Column& column : table.columns) {
    column.title = one_line(column.title);
  }
  for (std::vector<std::string>& row : table.rows) {
    std::ranges::transform(row, row.begin(), [](const std::string& cell) { return one_line(cell); });
  }
  return table;
}

}  // namespace

std::size_t text_width(const std::string& text) {
  // Continuation bytes are 10xxxxxx.
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::size_t> column_widths(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = text_width(table.columns[c].title);
    for (const auto& row : table.rows) {
      width = std::max(width, text_width(row[c]));
    }
    widths.push_back(width);
  }
  return widths;
}

std::vector<std::string> wrapped_lines(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.back().empty() && text_width(lines.back()) + 1 + text_width(word) > width) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return lines;
}

TextTable with_wrapped_last_column(const TextTable& table, std::size_t width) {
  const std::vector<std::size_t> widths = column_widths(table);
  const std::size_t last = table.columns.size() - 1;
  const std::size_t others =
      std::accumulate(widths.begin(), widths.end() - 1, std::size_t{0}) + 2 * last;  // with the gaps
  const std::size_t left = std::max(width - std::min(width, others), width / 3);
  TextTable wrapped{.title = table.title, .columns = table.columns, .rows = {}};
  for (const std::vector<std::string>& row : table.rows) {
    const std::vector<std::string> lines = wrapped_lines(row[last], left);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      wrapped.rows.push_back(i == 0 ? row : std::vector<std::string>(table.columns.size()));
      wrapped.rows.back()[last] = lines[i];
    }
  }
  return wrapped;
}

std::string render_plain(const TextTable& raw, std::size_t indent) {
  const TextTable table = flat(raw);
  const std::vector<std::size_t> widths = column_widths(table);
  const std::string margin(indent, ' ');
  std::string text = table.title.empty() ? "" : margin + table.title + "\n";
  const auto add_line = [&](auto&& cell) {
    std::string line = margin;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      line += (c == 0 ? "" : "  ") + padded(cell(c), widths[c], table.columns[c].align);
    }
    trim_right(line);
    text += line + "\n";
  };
  add_line([&](std::size_t c) { return table.columns[c].title; });
  const std::size_t gaps = widths.empty() ? 0 : 2 * (widths.size() - 1);
  text += margin + std::string(std::accumulate(widths.begin(), widths.end(), gaps), '-') + "\n";
  for (const auto& row : table.rows) {
    add_line([&](std::size_t c) { return row[c]; });
  }
  return text;
}

std::string render_markdown(const TextTable& table) {
  std::string text = "|";
  for (const Column& column : table.columns) {
    text += " " + markdown_text(column.title) + " |";
  }
  text += "\n|";
  for (const Column& column : table.columns) {
    text += column.align == Align::kLeft ? " --- |" : " ---: |";
  }
  text += "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const std::string& cell : row) {
      text += " " + markdown_text(cell) + " |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace assay::reports
