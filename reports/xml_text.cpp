// SPDX-License-Identifier: Apache-2.0
#include "reports/xml_text.h"

#include <cstdint>

#include "reports/printable.h"

namespace assay::reports {
namespace {

// Length of the UTF-8 sequence at the start of `text`, or 0 if there is none that XML allows.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || length > text.size() || lead > 0xF4) {
    return 0;
  }
  std::uint32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return 0;
    }
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool bad = control || surrogate || code == 0xFFFE || code == 0xFFFF || code < kSmallest[length];
  return bad || code > 0x10FFFF ? 0 : length;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      escaped += '?';
      text.remove_prefix(1);
      continue;
    }
    if (hidden_length(text) > 0) {
      escaped += hidden_text(text.substr(0, length));
      text.remove_prefix(length);
      continue;
    }
    switch (text[0]) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return escaped;
}

}  // namespace assay::reports
