// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/conv_finish.h"

#include <algorithm>

#include "engine/runtime/parallel.h"

namespace assay::runtime {
namespace {

template <typename Function>
void update(float* y, const float* z, Index count, Function function) {
#pragma GCC ivdep
  for (Index i = 0; i < count; ++i) {
    y[i] = function(y[i], z[i]);
  }
}

template <ConvEpilogue::Activation kActivation>
void finish_values(float* y, const float* z, Index count, const ConvEpilogue& given) {
  ConvEpilogue epilogue = given;
  epilogue.activation = kActivation;
  if (z == nullptr) {
    update(y, y, count, [epilogue](float sum, float) { return activated(sum, epilogue); });
  } else {
    update(y, z, count, [epilogue](float sum, float other) { return activated(sum + other, epilogue); });
  }
}

void finish_values(float* y, const float* z, Index count, const ConvEpilogue& epilogue) {
  using Activation = ConvEpilogue::Activation;
  switch (epilogue.activation) {
    case Activation::kNone:
      return finish_values<Activation::kNone>(y, z, count, epilogue);
    case Activation::kLeakyRelu:
      return finish_values<Activation::kLeakyRelu>(y, z, count, epilogue);
    case Activation::kClip:
      return finish_values<Activation::kClip>(y, z, count, epilogue);
  }
}

}  // namespace

void finish_conv(const ConvFinishArgs& args) {
  const Index blocks = (args.channels + args.block - 1) / args.block;
  const Index size = args.pixels * args.block;
  for_each_task(args.images * blocks, args.threads, [&](Index task, int) {
    float* y = args.y + task * size;
    const float* z = args.z == nullptr ? nullptr : args.z + task * size;
    const Index lanes = std::min(args.block, args.channels - task % blocks * args.block);
    if (lanes == args.block) {
      finish_values(y, z, size, args.epilogue);
      return;
    }
    for (Index at = 0; at < size; at += args.block) {
      finish_values(y + at, z == nullptr ? nullptr : z + at, lanes, args.epilogue);
    }
  });
}

}  // namespace assay::runtime
