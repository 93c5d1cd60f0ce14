// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown_text.h"

#include <cctype>

#include "reports/printable.h"

namespace assay::reports {
namespace {

// Markup wherever they stand.
constexpr std::string_view kInline = "\\`*<|~&";
// Markup at the beginning of a line, or of a heading's end.
constexpr std::string_view kLeading = "#>-+=";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The number of a list: "1." or "1)" before a space.
std::size_t list_number_end(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end != 0 && end != std::string_view::npos && (text[end] == '.' || text[end] == ')') ? end
                                                                                             : std::string_view::npos;
}

}  // namespace

std::string markdown_text(std::string_view raw) {
  const std::string text = one_line(raw);
  const bool links = text.find("](") != std::string::npos || text.find("][") != std::string::npos ||
                     text.find("]:") != std::string::npos || text.find("[^") != std::string::npos;
  const std::size_t number_end = list_number_end(text);
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char before = i > 0 ? text[i - 1] : ' ';
    const char after = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool markup = kInline.find(c) != std::string_view::npos || (links && (c == '[' || c == ']')) ||
                        (c == '_' && !(is_word(before) && is_word(after))) ||
                        (i == 0 && kLeading.find(c) != std::string_view::npos) || i == number_end ||
                        (c == '#' && before == ' ' && text.find_first_not_of('#', i) == std::string::npos);
    escaped += markup ? "\\" : "";
    escaped += c;
  }
  return escaped;
}

}  // namespace assay::reports
