// SPDX-License-Identifier: Apache-2.0
// What the kernel does where memory is short.
#pragma once

#include <cstdint>

namespace assay::run {

// How many processes this kernel has killed for want of memory so far; 0 where it does not say.
std::int64_t oom_kills();

}  // namespace assay::run
