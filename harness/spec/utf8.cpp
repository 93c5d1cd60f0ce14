// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/utf8.h"

#include <fmt/format.h>

#include "harness/spec/nearest.h"

namespace assay::spec {
namespace {

// Length of the sequence that the text begins with; 0 if it is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead & 0xF0U) == 0xE0       ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) {
      return 0;
    }
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

}  // namespace

std::optional<std::size_t> first_non_utf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t length = sequence_length(text.substr(position));
    if (length == 0) {
      return position;
    }
    position += length;
  }
  return std::nullopt;
}

Status check_utf8(const std::string& what, std::string_view text) {
  const std::optional<std::size_t> position = first_non_utf8(text);
  if (!position) {
    return {};
  }
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < ' ' || byte >= 0x7F ? fmt::format("\\x{:02X}", byte) : std::string(1, c);
  }
  return invalid_argument(fmt::format("{}: byte 0x{:02X} at position {} of '{}' is not UTF-8", what,
                                      static_cast<unsigned char>(text[*position]), *position, shortened(shown)));
}

}  // namespace assay::spec
