// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/gemm_shapes.h"

#include <fmt/format.h>

namespace assay::bench {
namespace {

constexpr GemmShape kShapes[] = {
    {"", 256, 256, 256},
    {"", 1024, 1024, 1024},
    {"", 128, 768, 3072},
    {"", 1, 1024, 1024},
    {"", 49, 512, 512},
    // MobileNetV2 (Sandler et al. 2018), table 2, images of 224 x 224.
    {"mobilenetv2_expand1", 12544, 96, 16},
    {"mobilenetv2_project2", 3136, 24, 96},
    {"mobilenetv2_expand3", 784, 192, 32},
    {"mobilenetv2_project4", 196, 64, 384},
    {"mobilenetv2_expand4", 196, 384, 64},
    {"mobilenetv2_expand6", 49, 960, 160},
    {"mobilenetv2_last", 49, 1280, 320},
    {"mobilenetv2_classifier", 1, 1000, 1280},
    // ResNet-50 (He et al. 2015), table 1.
    {"resnet50_conv1", 12544, 64, 147},
    {"resnet50_conv2_3x3", 3136, 64, 576},
    {"resnet50_conv2_expand", 3136, 256, 64},
    {"resnet50_conv3_3x3", 784, 128, 1152},
    {"resnet50_conv4_3x3", 196, 256, 2304},
    {"resnet50_conv4_expand", 196, 1024, 256},
    {"resnet50_conv5_3x3", 49, 512, 4608},
    {"resnet50_classifier", 1, 1000, 2048},
    // BERT-base (Devlin et al. 2018), 128 tokens.
    {"bert_projection", 128, 768, 768},
    {"bert_feed_forward", 128, 3072, 768},
    {"bert_scores", 128, 128, 64},
    {"bert_context", 128, 64, 128},
};

}  // namespace

std::span<const GemmShape> gemm_shapes() { return kShapes; }

std::string shape_name(const GemmShape& shape) {
  const std::string size = fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
  return *shape.name == '\0' ? size : fmt::format("{}_{}", shape.name, size);
}

}  // namespace assay::bench
