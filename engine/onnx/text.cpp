// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/text.h"

#include <cstdint>

namespace assay::onnx {
namespace {

constexpr std::size_t kLongestQuote = 120;

// Bytes that follow a lead byte, or -1 for a byte that cannot lead.
int continuation_bytes(std::uint8_t lead) {
  if (lead < 0x80U) {
    return 0;
  }
  if (lead >= 0xC2U && lead < 0xE0U) {
    return 1;
  }
  if (lead >= 0xE0U && lead < 0xF0U) {
    return 2;
  }
  return lead >= 0xF0U && lead < 0xF5U ? 3 : -1;
}

// The second byte rules out overlong forms, surrogates and code points above U+10FFFF.
bool second_byte_ok(std::uint8_t lead, std::uint8_t second) {
  switch (lead) {
    case 0xE0U:
      return second >= 0xA0U;
    case 0xEDU:
      return second < 0xA0U;
    case 0xF0U:
      return second >= 0x90U;
    case 0xF4U:
      return second < 0x90U;
    default:
      return true;
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    const int follow = continuation_bytes(lead);
    if (follow < 0 || i + static_cast<std::size_t>(follow) >= text.size()) {
      return false;
    }
    for (int j = 1; j <= follow; ++j) {
      const auto byte = static_cast<std::uint8_t>(text[i + static_cast<std::size_t>(j)]);
      if ((byte & 0xC0U) != 0x80U || (j == 1 && !second_byte_ok(lead, byte))) {
        return false;
      }
    }
    i += static_cast<std::size_t>(follow);
  }
  return true;
}

std::string printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  const bool escape = !is_utf8(text) || text.size() > kLongestQuote;
  if (!escape) {
    return std::string(text);
  }
  std::string out;
  for (const char c : text.substr(0, kLongestQuote)) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte >= 0x20U && byte < 0x7FU) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    }
  }
  return text.size() > kLongestQuote ? out + "..." : out;
}

}  // namespace assay::onnx
