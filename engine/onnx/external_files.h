// SPDX-License-Identifier: Apache-2.0
// The files beside a model that hold its external data.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace assay::onnx {

// The locations that a model's initializers and constants name, as they are written, each once, in the model's order.
// Empty where the bytes are no model: reading it says what is wrong.
std::vector<std::string> external_files(std::span<const std::byte> bytes);

}  // namespace assay::onnx
