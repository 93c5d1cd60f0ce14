// SPDX-License-Identifier: Apache-2.0
// What an ISA file of im2col does. A plain struct and no other header of the project, because files compiled for one
// ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

// `count` stretches of `bytes` each, `from_step` and `to_step` bytes apart. Those of `to` do not overlap.
struct StretchArgs {
  const std::uint8_t* from = nullptr;
  std::int64_t from_step = 0;
  std::uint8_t* to = nullptr;
  std::int64_t to_step = 0;
  std::int64_t bytes = 0;
  std::int64_t count = 0;
};

}  // namespace assay::kernels
