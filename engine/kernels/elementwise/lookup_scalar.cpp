// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/kernels/elementwise/lookup_args.h"

namespace assay::kernels {

void lookup_scalar(const LookupArgs& args);
void clamp_bytes_scalar(const ClampArgs& args);

namespace {

template <typename T>
void clamp_to(const ClampArgs& args) {
  const T* x = static_cast<const T*>(args.x);
  T* y = static_cast<T*>(args.y);
  const T low = static_cast<T>(args.min);
  const T high = static_cast<T>(args.max);
  for (std::int64_t i = 0; i < args.count; ++i) {
    y[i] = std::min(std::max(x[i], low), high);
  }
}

}  // namespace

void lookup_scalar(const LookupArgs& args) {
  const std::uint8_t* table = args.table;
  std::transform(args.x, args.x + args.count, args.y, [table](std::uint8_t byte) { return table[byte]; });
}

void clamp_bytes_scalar(const ClampArgs& args) {
  if (args.is_signed) {
    clamp_to<std::int8_t>(args);
  } else {
    clamp_to<std::uint8_t>(args);
  }
}

}  // namespace assay::kernels
