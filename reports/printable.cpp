// SPDX-License-Identifier: Apache-2.0
#include "reports/printable.h"

#include <fmt/format.h>

#include <utility>

namespace assay::reports {
namespace {

// Before a byte with the code of the colour. Neither is part of any UTF-8 text.
constexpr unsigned char kMark = 0xFF;
constexpr unsigned char kFirstCode = 0x80;

// Of two or three bytes.
unsigned code_of(std::string_view character) {
  unsigned code = static_cast<unsigned char>(character[0]) & (character.size() == 2 ? 0x1FU : 0x0FU);
  for (const char byte : character.substr(1)) {
    code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return code;
}

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
    } else if (const std::size_t hidden = hidden_length(text.substr(i)); hidden > 0) {
      out += hidden_text(text.substr(i, hidden));
      i += hidden - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::size_t hidden_length(std::string_view text) {
  if (text.empty() || static_cast<unsigned char>(text[0]) < 0x80) {
    return 0;  // nearly all text
  }
  const auto begins = [&](std::string_view first) { return text.starts_with(first); };
  const auto third = static_cast<unsigned char>(text.size() > 2 ? text[2] : '\0');
  const auto is_third = [&](unsigned first, unsigned last) { return third >= first && third <= last; };
  if (begins("\xD8\x9C")) {
    return 2;
  }
  const bool hidden =
      (begins("\xE2\x80") && (third == 0x8B || third == 0x8E || third == 0x8F || is_third(0xA8, 0xAE))) ||
      (begins("\xE2\x81") && is_third(0xA0, 0xA9)) || begins("\xEF\xBB\xBF");
  return hidden ? 3 : 0;
}

std::string hidden_text(std::string_view character) { return fmt::format("\\u{:04x}", code_of(character)); }

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
