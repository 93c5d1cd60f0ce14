// SPDX-License-Identifier: Apache-2.0
// Names from a file, which may hold any bytes.
#pragma once

#include <string>
#include <string_view>

namespace assay::onnx {

// Whether the bytes are well-formed UTF-8, as ONNX asks of every name.
bool is_utf8(std::string_view text);

// The text for a message: bytes that are no printable ASCII as \xNN where the text is not UTF-8, and cut after 120
// bytes.
std::string printable(std::string_view text);

}  // namespace assay::onnx
