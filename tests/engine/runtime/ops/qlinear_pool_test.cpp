// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/engine/runtime/ops/quantized_data.h"
#include "tests/engine/runtime/ops/run_microsoft.h"
#include "tests/support/oracle/elementwise.h"

namespace assay {
namespace {

using test::NodeRun;
using test::Random;

// 4x5 planes: window 2x3, stride 2x1, one row above and one column to the right.
TEST(QLinearAveragePool, EqualsTheNaiveFormulaInBothLayouts) {
  Random random(2);
  constexpr Index kChannels = 3;
  for (const bool count_include_pad : {false, true}) {
    const oracle::Integers x = test::random_bytes(random, 2 * kChannels * 20, false);
    oracle::Integers expected;
    oracle::Integers last(x.size());
    oracle::Integers expected_last(static_cast<std::size_t>(2 * kChannels * 8));
    for (Index plane = 0; plane < 2 * kChannels; ++plane) {
      for (Index oy = 0; oy < 2; ++oy) {
        for (Index ox = 0; ox < 4; ++ox) {
          oracle::Integers taps;
          for (Index iy = oy * 2 - 1; iy < oy * 2 + 1; ++iy) {
            for (Index ix = ox; ix < ox + 3; ++ix) {
              if (iy >= 0 && ix < 5) {
                taps.push_back(x[static_cast<std::size_t>(plane * 20 + iy * 5 + ix)]);
              }
            }
          }
          const Index padding = count_include_pad ? 6 - static_cast<Index>(taps.size()) : 0;
          expected.push_back(oracle::qlinear_average(taps, padding, {.scale = 0.1F, .zero_point = 7},
                                                     {.scale = 0.08F, .type = {.zero_point = 9}}));
        }
      }
    }
    const auto to_last = [](const oracle::Integers& from, Index positions, oracle::Integers& to) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        const Index plane = static_cast<Index>(i) / positions;
        const Index position = static_cast<Index>(i) % positions;
        const Index at = (plane / kChannels * positions + position) * kChannels + plane % kChannels;
        to[static_cast<std::size_t>(at)] = from[i];
      }
    };
    to_last(x, 20, last);
    to_last(expected, 8, expected_last);
    NodeRun run = test::microsoft_node("QLinearAveragePool", {test::byte_tensor({2, kChannels, 4, 5}, x, false),
                                                              Tensor::scalar(0.1F), Tensor::scalar<std::uint8_t>(7),
                                                              Tensor::scalar(0.08F), Tensor::scalar<std::uint8_t>(9)});
    run.attributes = {{"kernel_shape", std::vector<Index>{2, 3}},
                      {"strides", std::vector<Index>{2, 1}},
                      {"pads", std::vector<Index>{1, 0, 0, 1}},
                      {"count_include_pad", Index{count_include_pad}}};
    EXPECT_TRUE(bytes_equal(test::run_one(run), test::byte_tensor({2, kChannels, 2, 4}, expected, false)));
    run.attributes["channels_last"] = Index{1};
    run.inputs[0] = test::byte_tensor({2, 4, 5, kChannels}, last, false);
    EXPECT_TRUE(bytes_equal(test::run_one(run), test::byte_tensor({2, 2, 4, kChannels}, expected_last, false)));
  }
}

// ONNX Runtime's rule: with count_include_pad the whole kernel counts, also what ceil_mode lets reach beyond the pads,
// which AveragePool leaves out.
TEST(QLinearAveragePool, CountIncludePadDividesByTheWholeKernel) {
  NodeRun run = test::microsoft_node(
      "QLinearAveragePool", {Tensor::from<std::uint8_t>({1, 1, 5}, {90, 90, 90, 90, 90}), Tensor::scalar(1.0F),
                             Tensor::scalar<std::uint8_t>(0), Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(0)});
  run.attributes = {{"kernel_shape", std::vector<Index>{2}},
                    {"strides", std::vector<Index>{2}},
                    {"ceil_mode", Index{1}},
                    {"count_include_pad", Index{1}}};
  EXPECT_TRUE(bytes_equal(test::run_one(run), Tensor::from<std::uint8_t>({1, 1, 3}, {90, 90, 45})));
  run.attributes["count_include_pad"] = Index{0};
  EXPECT_TRUE(bytes_equal(test::run_one(run), Tensor::from<std::uint8_t>({1, 1, 3}, {90, 90, 90})));
}

TEST(QLinearGlobalAveragePool, EqualsTheNaiveFormulaInBothLayouts) {
  Random random(3);
  const oracle::Integers x = test::random_bytes(random, 2 * 3 * 6, true);
  oracle::Integers expected;
  oracle::Integers last(x.size());
  for (std::size_t plane = 0; plane < 6; ++plane) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(plane * 6);
    expected.push_back(
        oracle::qlinear_global_average(oracle::Integers(first, first + 6), {.scale = 0.1F, .zero_point = -7},
                                       {.scale = 0.03F, .type = {.zero_point = 5, .min = -128, .max = 127}}));
    for (std::size_t position = 0; position < 6; ++position) {
      last[(plane / 3 * 6 + position) * 3 + plane % 3] = x[plane * 6 + position];
    }
  }
  NodeRun run =
      test::microsoft_node("QLinearGlobalAveragePool",
                           {test::byte_tensor({2, 3, 2, 3}, x, true), Tensor::scalar(0.1F),
                            Tensor::scalar<std::int8_t>(-7), Tensor::scalar(0.03F), Tensor::scalar<std::int8_t>(5)});
  EXPECT_TRUE(bytes_equal(test::run_one(run), test::byte_tensor({2, 3, 1, 1}, expected, true)));
  run.attributes["channels_last"] = Index{1};
  run.inputs[0] = test::byte_tensor({2, 2, 3, 3}, last, true);
  EXPECT_TRUE(bytes_equal(test::run_one(run), test::byte_tensor({2, 1, 1, 3}, expected, true)));
  run.inputs[0] = Tensor::allocate(DType::kInt8, {2, 0, 3, 3}).value();
  EXPECT_THAT(test::refusal(run), testing::HasSubstr("mean of no elements"));
}

}  // namespace
}  // namespace assay
