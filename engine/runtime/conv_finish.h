// SPDX-License-Identifier: Apache-2.0
// What a convolution's epilogue does, in a pass of its own over the results.
#pragma once

#include "engine/runtime/ops/conv_epilogue.h"

namespace assay::runtime {

struct ConvFinishArgs {
  const ConvEpilogue& epilogue;
  float* y = nullptr;
  const float* z = nullptr;  // lies as y does; null: nothing is added
  Index images = 0;
  Index channels = 0;
  Index pixels = 0;  // of an image
  Index block = 1;   // channels that lie side by side (channel_blocks.h); 1: rows
  int threads = 1;
};

// y = activation(y + z). What fills up the last block stays as it is.
void finish_conv(const ConvFinishArgs& args);

}  // namespace assay::runtime
