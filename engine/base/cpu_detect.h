// SPDX-License-Identifier: Apache-2.0
// Detection of the CPU's features; the build compiles one of cpu_detect_*.cpp.
#pragma once

#include "engine/base/cpu_features.h"

namespace assay {

// Everything that this process may execute here, nothing hidden.
CpuFeatures detect_cpu();

}  // namespace assay
