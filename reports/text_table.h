// SPDX-License-Identifier: Apache-2.0
// A table of text: what console, markdown, html and svg each draw in their own way.
#pragma once

#include <string>
#include <vector>

namespace assay::reports {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

struct TextTable {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // each as long as columns
};

// Widths in characters (code points) of the widest cell of each column, its title included.
std::vector<std::size_t> column_widths(const TextTable& table);
// Characters of UTF-8 text.
std::size_t text_width(const std::string& text);

// Columns two spaces apart, a rule under the titles; every line indented by `indent` spaces. Every row is one line.
std::string render_plain(const TextTable& table, std::size_t indent = 0);
// The text in lines of at most `width` characters, parted at spaces; a longer word has a line of its own.
std::vector<std::string> wrapped_lines(const std::string& text, std::size_t width);
// The table with its last column in as many lines as it takes for lines of `width` characters; what the other columns
// leave of that, but at least a third, is its width. Rows that go on have nothing in the other columns.
TextTable with_wrapped_last_column(const TextTable& table, std::size_t width);
// A GitHub table; cells are texts of their own (markdown_text.h).
std::string render_markdown(const TextTable& table);

}  // namespace assay::reports
