// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/gemm/gemm_form.h"

#include <algorithm>

namespace assay::kernels {

void form_copied(const GemmFormArgs& args) {
  for (std::int64_t i = 0; i < args.rows; ++i) {
    const auto* from = static_cast<const std::uint8_t*>(args.from) + i * args.from_stride_bytes;
    auto* to = static_cast<std::uint8_t*>(args.to) + i * args.to_stride_bytes;
    std::copy_n(from, args.count, to);
    std::fill(to + args.count, to + args.padded, std::uint8_t{0});
  }
}

}  // namespace assay::kernels
