// SPDX-License-Identifier: Apache-2.0
// Moving elements of any type: chooses a type of the element's size, since only bytes move.
#pragma once

#include <cstdint>

#include "engine/base/dtype.h"

namespace assay::runtime {

// Calls f.template operator()<T>() with an unsigned T of `size_bytes` (1, 2, 4 or 8).
template <typename F>
void with_element_size(std::size_t size_bytes, const F& f) {
  switch (size_bytes) {
    case 1:
      f.template operator()<std::uint8_t>();
      break;
    case 2:
      f.template operator()<std::uint16_t>();
      break;
    case 4:
      f.template operator()<std::uint32_t>();
      break;
    default:
      f.template operator()<std::uint64_t>();
      break;
  }
}

}  // namespace assay::runtime
