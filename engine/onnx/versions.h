// SPDX-License-Identifier: Apache-2.0
// The versions of ONNX this build reads and writes.
#pragma once

#include "engine/base/dtype.h"

namespace assay::onnx {

// ONNX 1.23.2, the newest release: ai.onnx opset 28, IR version 14.
inline constexpr Index kNewestOpset = 28;
inline constexpr Index kNewestIrVersion = 14;
// Older opsets broadcast by attribute; IR 1 and 2 have no opset imports.
inline constexpr Index kOldestOpset = 7;
inline constexpr Index kOldestIrVersion = 3;

// protobuf's own limit for one message.
inline constexpr Index kMaxModelBytes = 0x7FFFFFFF;

}  // namespace assay::onnx
