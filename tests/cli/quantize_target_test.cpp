// SPDX-License-Identifier: Apache-2.0
// `assay quantize --target` and --explain on a bundled network: without VNNI, int16 pair sums of its first convolution
// saturate and cost it its accuracy.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/small_model.h"

namespace assay::test {
namespace {

using nlohmann::json;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

class QuantizeTarget : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    images("fashion_mnist_calibration_images.npy", 32, "calibration.npy");
    images("fashion_mnist_test_images.npy", 100, "validation.npy");
    const Result<Tensor> labels =
        spec::load_npy(std::string(ASSAY_CASES) + "/reported/data/fashion_mnist_test_labels.npy");
    ASSERT_TRUE(labels.ok()) << labels.error().message;
    std::vector<Index> all = labels.value().to_indices();
    all.resize(100);
    ASSERT_TRUE(spec::save_npy(path("labels.npy"), Tensor::from<Index>({100}, all)).ok());
  }

  // The first images of a file, bright: 1 - byte / 255.
  void images(const std::string& name, Index count, const std::string& target) const {
    const Result<Tensor> bytes = spec::load_npy(std::string(ASSAY_CASES) + "/reported/data/" + name);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    const std::vector<double> values = bytes.value().to_doubles();
    std::vector<float> bright;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) * 28 * 28; ++i) {
      bright.push_back(static_cast<float>(1 - values[i] / 255));
    }
    ASSERT_TRUE(spec::save_npy(path(target), Tensor::from<float>({count, 1, 28, 28}, bright)).ok());
  }

  Ran search(const std::string& more) const {
    return shell("assay quantize '" ASSAY_CASES
                 "/reported/models/mobile_bright.onnx' -o q.onnx --report r.json --calibration image=calibration.npy "
                 "--validation image=validation.npy --set runtime.isa=avx2 "
                 "--set quantizer.per_channel=true " +
                 more);
  }
};

TEST_F(QuantizeTarget, OptionsMendWhatPlainSettingsMiss) {
  const Ran ran = search("--labels labels.npy --target 'top1_drop<=1'");
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("The path"));
  EXPECT_THAT(ran.out, HasSubstr("target top1_drop<=1 met"));
  const json found = json::parse(read("r.json")).at("search");
  EXPECT_EQ(found.at("met"), true);
  EXPECT_GT(found.at("steps")[0].at("value").get<double>(), 10) << "plain settings lose more than ten points";
  EXPECT_EQ(found.at("float_layers").size(), 0U);
  EXPECT_LE(found.at("value").get<double>(), 1);
  EXPECT_LE(found.at("calibrations").get<int>(), 4);
}

// The options that would help are forbidden: few layers in float have to do.
TEST_F(QuantizeTarget, FewFloatLayersMendWhatOptionsMayNot) {
  const Ran ran = search(
      "--labels labels.npy --target 'top1_drop<=1' --set quantizer.reduce_range=false --set quantizer.weight_type=int8 "
      "--set quantizer.activation_type=uint8 --set quantizer.calibration=minmax --set quantizer.equalize=false "
      "--set quantizer.bias_correction=false --explain");
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  const json report = json::parse(read("r.json"));
  const json& found = report.at("search");
  EXPECT_EQ(found.at("met"), true);
  EXPECT_GE(found.at("float_layers").size(), 1U);
  EXPECT_LE(found.at("float_layers").size(), 3U) << ran.out;
  EXPECT_EQ(found.at("calibrations"), 1);
  EXPECT_EQ(found.at("sensitivity")[0].at("node"), "stem/conv") << "the reported layer";
  EXPECT_THAT(ran.out, HasSubstr("Why nodes stayed float"));
  EXPECT_THAT(ran.out, HasSubstr("excluded by quantizer.nodes_to_exclude"));
  for (const json& node : report.at("nodes")) {
    EXPECT_TRUE(node.at("quantized").get<bool>() || !node.at("reason").get<std::string>().empty()) << node.dump();
  }
  // The settings that it prints give the same model.
  std::string settings;
  for (const auto& [axis, value] : found.at("settings").items()) {
    settings += " --set '" + axis + "=" + (value.is_string() ? value.get<std::string>() : value.dump()) + "'";
  }
  ASSERT_EQ(shell("assay quantize '" ASSAY_CASES "/reported/models/mobile_bright.onnx' -o again.onnx "
                  "--calibration image=calibration.npy" +
                  settings)
                .code,
            0);
  EXPECT_EQ(read("again.onnx"), read("q.onnx"));
}

TEST_F(QuantizeTarget, TheBestIsWrittenWhereTheTargetIsMissed) {
  const Ran ran = search("--target 'sqnr>=200' --max-float-layers 0 --search quantizer.calibration=mse");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("MISSED"));
  EXPECT_TRUE(exists("q.onnx"));
  const json found = json::parse(read("r.json")).at("search");
  EXPECT_EQ(found.at("met"), false);
  double best = -1e9;
  for (const json& step : found.at("steps")) {
    best = std::max(best, step.value("value", -1e9));
  }
  EXPECT_EQ(found.at("value"), best);
}

// The settings as given are measured whatever the time; what is best then is written.
TEST_F(QuantizeTarget, TheBestIsWrittenWhereTimeRunsOut) {
  const Ran ran = search("--target 'sqnr>=200' --budget-seconds 0.001");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("ended because the time limit of 0.001 s is reached"));
  EXPECT_TRUE(exists("q.onnx"));
  const json found = json::parse(read("r.json")).at("search");
  EXPECT_EQ(found.at("trials"), 1);
  EXPECT_EQ(found.at("settings").size(), 1U) << "those given";
  EXPECT_EQ(shell("assay quantize '" ASSAY_CASES "/reported/models/mobile_bright.onnx' -o plain.onnx "
                  "--calibration image=calibration.npy --set quantizer.per_channel=true")
                .code,
            0);
  EXPECT_EQ(read("plain.onnx"), read("q.onnx"));
}

TEST_F(QuantizeTarget, AnInterruptedSearchWritesNothing) {
  const std::string before = shell("ls").out;
  // A shell without job control starts its background processes with SIGINT ignored, so SIGTERM and SIGHUP stand for
  // it.
  for (const std::string signal : {"TERM", "HUP"}) {
    const Ran ran = shell("'" ASSAY_PROGRAM "' quantize '" ASSAY_CASES
                          "/reported/models/mobile_bright.onnx' -o q.onnx --report r.json --save-ranges ranges.json "
                          "--calibration image=calibration.npy --target 'sqnr>=200' & pid=$!; sleep 0.5; kill -" +
                          signal + " $pid; wait $pid");
    EXPECT_EQ(ran.code, 130) << ran.out << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("interrupted"));
    EXPECT_EQ(shell("ls").out, before);
  }
}

TEST_F(QuantizeTarget, ProgressIsOnStderrAlone) {
  const Ran ran = search("--target 'sqnr>=1' --budget-seconds 100");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(lines_of(ran.out), Each(Not(HasSubstr("sensitivity of"))));
}

}  // namespace
}  // namespace assay::test
