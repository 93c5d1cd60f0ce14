// SPDX-License-Identifier: Apache-2.0
#include "reports/printable.h"

#include <fmt/format.h>

#include <utility>

namespace assay::reports {
namespace {

// Before a byte with the code of the colour. Neither is part of any UTF-8 text.
constexpr unsigned char kMark = 0xFF;
constexpr unsigned char kFirstCode = 0x80;

std::string made_printable(std::string_view text, bool colors) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (colors && byte == kMark && next >= kFirstCode) {
      out += fmt::format("\x1b[{}m", next - kFirstCode);
      ++i;
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // U+0080 to U+009F
      out += fmt::format("\\x{:02x}", next);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return made_printable(text, false); }

std::string one_line(std::string_view text) {
  std::string out;
  const std::string shown = printable(text);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string_view rest = std::string_view(shown).substr(i);
    if (rest.starts_with("##[") || (rest.starts_with("::") && out.find_first_not_of(' ') == std::string::npos)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(shown[i]));
    } else if (shown[i] == '\n' || shown[i] == '\t') {
      out += shown[i] == '\n' ? "\\n" : "\\t";
    } else {
      out += shown[i];
    }
  }
  return out;
}

Sink printable_sink(Sink sink) {
  return [sink = std::move(sink)](std::string_view text) { sink(made_printable(text, false)); };
}

std::string color_mark(int code) {
  return {static_cast<char>(kMark), static_cast<char>(static_cast<int>(kFirstCode) + code)};
}

Sink color_sink(Sink sink) {
  return [sink = std::move(sink)](std::string_view text) { sink(made_printable(text, true)); };
}

}  // namespace assay::reports
