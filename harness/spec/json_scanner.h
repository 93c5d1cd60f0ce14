// SPDX-License-Identifier: Apache-2.0
// Where things stand in JSON text. nlohmann/json makes the values; it keeps no positions, so this walks the text beside
// it, with exact messages for syntax errors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay::spec {

struct ScanError {
  std::size_t offset = 0;  // bytes from the beginning of the text
  std::string message;
};

// Strict JSON (RFC 8259), plus: no key twice in one object, no number beyond the range of double, at most `max_depth`
// nested lists and objects and kMaxKeys keys in one object. Needs no stack in proportion to the depth.
std::optional<ScanError> check_syntax(std::string_view text, std::size_t max_depth);
inline constexpr std::size_t kMaxKeys = 20'000;

struct Location {
  std::size_t value = 0;  // bytes from the beginning of the text
  std::size_t key = 0;    // of a member's key; equal to value for items and the root
};

// Where the value with this JSON pointer stands, in text that check_syntax accepts.
std::optional<Location> locate(std::string_view text, std::string_view pointer);

// 1-based; columns count Unicode code points.
struct LineColumn {
  std::size_t line = 1;
  std::size_t column = 1;
};
LineColumn line_column(std::string_view text, std::size_t offset);

// One reference token of a JSON pointer: "~" becomes "~0" and "/" becomes "~1".
std::string escape_pointer_token(std::string_view token);

}  // namespace assay::spec
