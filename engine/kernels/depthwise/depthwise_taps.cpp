// SPDX-License-Identifier: Apache-2.0
// What the kernels that multiply two or four neighbours at a time prepare for a channel. Portable.
#include <algorithm>

#include "engine/kernels/depthwise/depthwise_args.h"

namespace assay::kernels {
namespace {

std::int32_t tap_weight(const DepthwiseArgs& args, std::int64_t ky, std::int64_t kx) {
  const std::int64_t tap = ky * args.kernel_w + kx;
  const std::int32_t raw =
      args.w_signed ? static_cast<const std::int8_t*>(args.w)[tap] : static_cast<const std::uint8_t*>(args.w)[tap];
  return raw - args.w_zero_point;
}

bool is_tap(const DepthwiseArgs& args, std::int64_t element) {
  return element >= 0 && element % args.dilation_w == 0 && element / args.dilation_w < args.kernel_w;
}

// Of an element of a window's row; 0 before, between and behind the taps.
std::int32_t element_weight(const DepthwiseArgs& args, std::int64_t ky, std::int64_t element) {
  return is_tap(args, element) ? tap_weight(args, ky, element / args.dilation_w) : 0;
}

std::int32_t int16_pair(std::int32_t first, std::int32_t second) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(first) & 0xFFFFU) |
                                   (static_cast<std::uint32_t>(second) << 16U));
}

bool add_quads(const DepthwiseArgs& args, std::int64_t ky, std::int64_t byte, std::int64_t offset,
               DepthwiseQuads& quads) {
  std::int32_t rest[4];
  for (int i = 0; i < 4; ++i) {
    rest[i] = element_weight(args, ky, byte + i);
    quads.sum += static_cast<std::uint32_t>(rest[i]);
  }
  bool more = true;
  while (more) {
    if (quads.count == DepthwiseQuads::kMost) {
      return false;
    }
    std::uint32_t bits = 0;
    more = false;
    for (int i = 0; i < 4; ++i) {
      const std::int32_t kept = std::clamp(rest[i], -128, 127);
      rest[i] -= kept;
      more = more || rest[i] != 0;
      bits |= (static_cast<std::uint32_t>(kept) & 0xFFU) << (8 * i);
    }
    quads.offset[quads.count] = offset;
    quads.weights[quads.count] = static_cast<std::int32_t>(bits);
    ++quads.count;
  }
  return true;
}

}  // namespace

// False if there are too many.
bool list_depthwise_pairs(const DepthwiseArgs& args, std::int64_t pitch, DepthwisePairs& pairs) {
  for (std::int64_t ky = 0; ky < args.kernel_h; ++ky) {
    for (std::int64_t kx = 0; kx < args.kernel_w;) {
      if (pairs.count == DepthwisePairs::kMost) {
        return false;
      }
      const bool paired = args.dilation_w == 1 && kx + 1 < args.kernel_w;
      pairs.offset[pairs.count] = ky * args.dilation_h * pitch + kx * args.dilation_w;
      pairs.weights[pairs.count] = int16_pair(tap_weight(args, ky, kx), paired ? tap_weight(args, ky, kx + 1) : 0);
      ++pairs.count;
      kx += paired ? 2 : 1;
    }
  }
  return true;
}

// False if there are too many.
bool list_depthwise_lanes(const DepthwiseArgs& args, std::int64_t pitch, DepthwiseLanes& lanes) {
  const std::int64_t elements = (args.kernel_w - 1) * args.dilation_w + 1;
  for (std::int64_t ky = 0; ky < args.kernel_h; ++ky) {
    for (std::int64_t at = 0; at <= elements; at += 2) {
      if (!is_tap(args, at - 1) && !is_tap(args, at) && !is_tap(args, at + 1)) {
        continue;
      }
      if (lanes.count == DepthwiseLanes::kMost) {
        return false;
      }
      const std::int32_t here = element_weight(args, ky, at);
      lanes.offset[lanes.count] = ky * args.dilation_h * pitch + at;
      lanes.even[lanes.count] = int16_pair(here, element_weight(args, ky, at + 1));
      lanes.odd[lanes.count] = int16_pair(element_weight(args, ky, at - 1), here);
      ++lanes.count;
    }
  }
  return true;
}

// False if there are too many.
bool list_depthwise_quads(const DepthwiseArgs& args, std::int64_t pitch, DepthwiseQuads& quads) {
  const std::int64_t bytes = (args.kernel_w - 1) * args.dilation_w + 1;
  for (std::int64_t ky = 0; ky < args.kernel_h; ++ky) {
    for (std::int64_t byte = 0; byte < bytes; byte += 4) {
      if (!add_quads(args, ky, byte, ky * args.dilation_h * pitch + byte, quads)) {
        return false;
      }
    }
  }
  return true;
}

DepthwiseBandRow depthwise_band_row(const DepthwiseArgs& args, std::int64_t vector_bytes) {
  const auto whole = [&](std::int64_t bytes) { return (bytes + vector_bytes - 1) / vector_bytes * vector_bytes; };
  const std::int64_t read = (args.out_w - 1) * args.stride_w + (args.kernel_w - 1) * args.dilation_w + 1;
  const std::int64_t padding = std::clamp<std::int64_t>(args.pad_left, 0, read);
  DepthwiseBandRow row;
  row.before = whole(padding);
  row.first = row.before - padding;
  row.skipped = std::max<std::int64_t>(-args.pad_left, 0);
  row.inside = std::min(std::max<std::int64_t>(args.width - row.skipped, 0), read - padding);
  row.pitch = row.before + whole(read - padding);
  return row;
}

}  // namespace assay::kernels
