// SPDX-License-Identifier: Apache-2.0
// Small convolutions for tests of what they are made of.
#pragma once

#include "engine/runtime/conv_shape.h"

namespace assay::test {

// `channels` a group, 4 outputs a group, a square kernel, no padding, strides of 1.
inline runtime::ConvShape shape_of(Index batch, Index group, Index channels, Index height, Index width, Index kernel) {
  runtime::ConvShape shape;
  shape.batch = batch;
  shape.group = group;
  shape.group_channels = channels;
  shape.group_outputs = 4;
  shape.window.h = {.input = height, .kernel = kernel, .output = height - kernel + 1};
  shape.window.w = {.input = width, .kernel = kernel, .output = width - kernel + 1};
  return shape;
}

}  // namespace assay::test
