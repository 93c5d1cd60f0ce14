// SPDX-License-Identifier: Apache-2.0
// Whether memory for a large buffer is there. Linux grants almost any request and kills the process when the pages are
// touched, so a large request is compared with what is available first.
#pragma once

#include <cstddef>

#include "engine/base/result.h"

namespace assay {

// Requests below this are not checked.
inline constexpr std::size_t kCheckedBytes = std::size_t{64} << 20U;

// kResource if `size_bytes` exceeds the memory that the system, or the control group of this process, can still give.
// Systems that do not say are taken to have enough.
Status check_memory(std::size_t size_bytes);

}  // namespace assay
