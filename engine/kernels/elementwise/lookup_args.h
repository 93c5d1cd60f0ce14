// SPDX-License-Identifier: Apache-2.0
// The arguments of table look-ups and integer clamps; lookup.h has the contract. Plain structs and no other header of
// the project, because files compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct LookupArgs {
  const std::uint8_t* table = nullptr;  // 256 bytes
  const std::uint8_t* x = nullptr;
  std::int64_t count = 0;
  std::uint8_t* y = nullptr;
};

struct ClampArgs {
  const void* x = nullptr;
  bool is_signed = false;
  std::int64_t count = 0;
  std::int32_t min = 0;
  std::int32_t max = 255;
  void* y = nullptr;
};

}  // namespace assay::kernels
