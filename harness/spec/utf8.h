// SPDX-License-Identifier: Apache-2.0
// Text from outside that becomes part of names and of JSON must be UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace assay::spec {

// The first byte that begins no well-formed sequence (RFC 3629: no surrogates, nothing overlong, at most U+10FFFF).
std::optional<std::size_t> first_non_utf8(std::string_view text);

// "--set: byte 0xFF at position 12 of 'runtime.isa=\xFF' is not UTF-8"; positions count from 0.
Status check_utf8(const std::string& what, std::string_view text);

}  // namespace assay::spec
