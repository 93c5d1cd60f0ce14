// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/engine/runtime/ops/random_conv.h"
#include "tests/engine/runtime/ops/run_node.h"
#include "tests/engine/runtime/ops/run_operator.h"
#include "tests/support/oracle/matmul.h"

namespace assay {
namespace {

using test::NodeRun;
using test::Random;
using test::Setting;

// The operands of one QLinearConv, in order.
struct Operands {
  Tensor x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, bias;
  std::vector<Tensor> list() const {
    return {x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, bias};
  }
};

struct QConv {
  test::RandomConv conv;
  oracle::ConvScales scales;
  oracle::OutputType y;
  bool y_signed = false;

  NodeRun run(bool weights_computed) const {
    Operands operands{.x = conv.x,
                      .x_scale = Tensor::scalar(scales.x),
                      .x_zero_point = test::zero_point_tensor(conv.args.x_zero_point, conv.x_signed),
                      .w = conv.w,
                      .w_scale = Tensor::from(scales.w.size() == 1 ? Shape{} : Shape{conv.outputs()}, scales.w),
                      .w_zero_point = conv.w_zero_points(),
                      .y_scale = Tensor::scalar(scales.y),
                      .y_zero_point = test::zero_point_tensor(y.zero_point, y_signed),
                      .bias = {}};
    if (!conv.args.bias.empty()) {
      operands.bias = Tensor::from(Shape{conv.outputs()}, conv.args.bias);
    }
    NodeRun out{.op_type = "QLinearConv",
                .attributes = conv.attributes(),
                .inputs = operands.list(),
                .computed = {true, false, false, weights_computed}};
    if (conv.args.bias.empty()) {
      out.inputs.pop_back();
    }
    return out;
  }
  // u8 x s8 saturates where the profile says so, unless depthwise with one zero point for all weights.
  Arithmetic arithmetic(const Profile& profile) const {
    const bool pairs = !conv.x_signed && conv.w_signed && !(conv.args.geometry.depthwise() && conv.one_w_zero_point());
    return pairs ? u8s8_arithmetic(profile) : Arithmetic::kExact;
  }
  Tensor expected(Arithmetic arithmetic) const {
    oracle::ConvArgs args = conv.args;
    args.arithmetic = arithmetic;
    return test::byte_tensor(conv.output_shape(), oracle::qlinear_conv(args, scales, y), y_signed);
  }
};

QConv random_qconv(Random& random) {
  QConv out;
  out.conv = test::random_conv(random);
  const Index outputs = out.conv.outputs();
  if (random.chance(0.7)) {
    for (Index m = 0; m < outputs; ++m) {
      const bool huge = random.chance(0.1);
      out.conv.args.bias.push_back(static_cast<std::int32_t>(random.integer(-20000, 20000) * (huge ? 100000 : 1)));
    }
  }
  out.scales.x = random.uniform(0.001F, 0.1F);
  const Index scales = random.chance(0.5) ? outputs : 1;
  for (Index m = 0; m < scales; ++m) {
    out.scales.w.push_back(random.uniform(0.001F, 0.1F));
  }
  out.scales.y = out.scales.x * random.uniform(1.0F, 20.0F);
  out.y_signed = random.chance(0.3) ? !out.conv.x_signed : out.conv.x_signed;
  const std::int32_t low = out.y_signed ? -128 : 0;
  out.y = {.zero_point = static_cast<std::int32_t>(random.integer(low, low + 255)), .min = low, .max = low + 255};
  return out;
}

TEST(QLinearConv, EqualsTheNaiveSumInEveryProfile) {
  Random random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const QConv conv = random_qconv(random);
    const NodeRun run = conv.run(random.chance(0.3));
    test::PerArithmetic<Tensor> expected;
    for (const Setting& setting : test::all_settings()) {
      SCOPED_TRACE("trial " + std::to_string(trial) + " " + test::setting_text(setting));
      const auto outcome = test::run_node(run, setting);
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      const Arithmetic arithmetic = conv.arithmetic(setting.profile);
      const Tensor& wanted = expected.get(arithmetic, [&](Arithmetic a) { return conv.expected(a); });
      ASSERT_TRUE(bytes_equal(outcome.value().outputs[0], wanted));
      const bool saturates = arithmetic == Arithmetic::kSat16Pairs;
      EXPECT_EQ(outcome.value().saturates, saturates);
      EXPECT_EQ(outcome.value().kernel.arithmetic, saturates ? "sat16-pairs" : "exact");
      EXPECT_EQ(outcome.value().kernel.isa, isa_name(setting.profile.isa));
      EXPECT_EQ(outcome.value().kernel.native, can_run(setting.features, setting.profile.isa));
    }
  }
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::int64_t kShapes = 1000;  // ten times as slow
#else
constexpr std::int64_t kShapes = 10000;
#endif

// Many shapes, each under one setting.
TEST(QLinearConv, EqualsTheNaiveSumOnManyShapes) {
  const std::vector<Setting> settings = test::all_settings();
  for (std::uint64_t trial = 0; trial < static_cast<std::uint64_t>(test::case_count(kShapes)); ++trial) {
    Random random(1000 + trial);
    const QConv conv = random_qconv(random);
    const auto last = static_cast<std::int64_t>(settings.size()) - 1;
    Setting setting = settings[static_cast<std::size_t>(random.integer(0, last))];
    setting.threads = random.chance(0.02) ? 3 : 1;
    const auto outcome = test::run_node(conv.run(random.chance(0.3)), setting);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    ASSERT_TRUE(bytes_equal(outcome.value().outputs[0], conv.expected(conv.arithmetic(setting.profile))))
        << "trial " << trial << " " << test::setting_text(setting);
  }
}

// More positions and columns than one block of work holds.
QConv large_conv(Random& random, Index kernel, Index stride) {
  QConv out;
  oracle::ConvGeometry& g = out.conv.args.geometry;
  g.channels = 8;
  g.height = 70;
  g.width = 90;
  g.outputs = 40;
  g.kernel_h = g.kernel_w = kernel;
  g.stride_h = g.stride_w = stride;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = kernel / 2;
  out.conv.args.x = test::random_bytes(random, g.channels * g.height * g.width, false);
  out.conv.args.w = test::random_bytes(random, g.outputs * g.channels * kernel * kernel, true);
  out.conv.args.x_zero_point = 3;
  out.conv.args.w_zero_points = {0};
  out.conv.x = test::byte_tensor({1, g.channels, g.height, g.width}, out.conv.args.x, false);
  out.conv.w = test::byte_tensor({g.outputs, g.channels, kernel, kernel}, out.conv.args.w, true);
  out.scales = {.x = 0.02F, .w = {0.003F}, .y = 0.1F};
  out.y = {.zero_point = 128};
  return out;
}

TEST(QLinearConv, SplitsLargeImagesIntoBlocks) {
  Random random(2);
  for (const auto& [kernel, stride] : {std::pair<Index, Index>{3, 1}, {3, 2}, {1, 1}}) {
    const QConv conv = large_conv(random, kernel, stride);
    for (const Isa isa : {Isa::kAvx2, Isa::kAvx512Vnni}) {
      const Profile profile = {isa, Precision::kFast};
      const Tensor expected = conv.expected(conv.arithmetic(profile));
      for (const int threads : {1, 3}) {
        const auto outcome = test::run_node(conv.run(false), {.profile = profile, .threads = threads});
        ASSERT_TRUE(outcome.ok()) << outcome.error().message;
        EXPECT_TRUE(bytes_equal(outcome.value().outputs[0], expected));
        EXPECT_EQ(outcome.value().multiply_accumulates, expected.size() * 8 * kernel * kernel);
      }
    }
  }
}

// One operator, run after run: what it keeps must never show.
class KeptOperator {
 public:
  explicit KeptOperator(const NodeRun& run) {
    graph_.opsets = {{"", run.opset}};
    Node node;
    node.op_type = run.op_type;
    node.attributes = run.attributes;
    node.outputs = {"y"};
    for (std::size_t i = 0; i < run.inputs.size(); ++i) {
      node.inputs.push_back("input" + std::to_string(i));
      if (!run.computed[i]) {
        graph_.initializers[node.inputs.back()] = run.inputs[i];
      }
    }
    graph_.nodes.push_back(node);
    operator_ = runtime::prepare_operator({.graph = graph_,
                                           .node = graph_.nodes[0],
                                           .profile = {best_isa(host_features()), Precision::kFast},
                                           .features = host_features()})
                    .value();
  }
  Tensor run(const std::vector<Tensor>& inputs) {
    runtime::RunContext context{.inputs = inputs};
    return test::run_operator(*operator_, context).value()[0];
  }

 private:
  Graph graph_;
  std::unique_ptr<runtime::Operator> operator_;
};

QConv small_conv(Random& random, Index height, bool x_signed, bool depthwise) {
  QConv out;
  out.conv.x_signed = x_signed;
  out.conv.args.geometry = {.batch = 1, .channels = 3, .height = height, .width = 7, .outputs = depthwise ? 3 : 5};
  oracle::ConvGeometry& g = out.conv.args.geometry;
  g.group = depthwise ? 3 : 1;
  g.kernel_h = g.kernel_w = 3;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 1;
  out.conv.args.x = test::random_bytes(random, 3 * height * 7, x_signed);
  out.conv.args.x_zero_point = test::random_bytes(random, 1, x_signed)[0];
  out.conv.args.w_zero_points = {0};
  out.conv.x = test::byte_tensor({1, 3, height, 7}, out.conv.args.x, x_signed);
  out.scales = {.x = 0.02F, .w = {random.uniform(0.001F, 0.01F)}, .y = 0.1F};
  out.y = {.zero_point = 128};
  return out;
}

TEST(QLinearConv, FollowsShapesTypesAndParametersThatChange) {
  Random random(4);
  for (const bool depthwise : {false, true}) {
    for (const bool computed : {false, true}) {  // the parameters
      const Index taps = 9 * (depthwise ? 3 : 15);
      const oracle::Integers w = test::random_bytes(random, taps, true);
      QConv first = small_conv(random, 5, false, depthwise);
      const auto with_weights = [&](QConv conv) {
        conv.conv.args.w = w;
        conv.conv.w = test::byte_tensor(depthwise ? Shape{3, 1, 3, 3} : Shape{5, 3, 3, 3}, w, true);
        return conv;
      };
      first = with_weights(first);
      NodeRun run = first.run(false);
      run.computed = {true, computed, computed, false, computed, computed, computed, computed};
      KeptOperator kept(run);
      for (const auto& [height, x_signed] :
           {std::pair<Index, bool>{5, false}, {5, false}, {9, false}, {4, true}, {5, false}}) {
        QConv next = with_weights(small_conv(random, height, x_signed && computed, depthwise));
        if (!computed) {
          next.scales = first.scales;
          next.conv.args.x_zero_point = first.conv.args.x_zero_point;
        }
        const Arithmetic arithmetic = next.arithmetic({best_isa(host_features()), Precision::kFast});
        EXPECT_TRUE(bytes_equal(kept.run(next.run(false).inputs), next.expected(arithmetic)))
            << "height " << height << " signed " << x_signed << " depthwise " << depthwise << " computed " << computed;
      }
    }
  }
}

TEST(QLinearConv, WitnessCountsThePairsOfEveryGroup) {
  Random random(3);
  QConv conv;
  conv.conv.args.geometry = {.batch = 2, .channels = 6, .height = 5, .width = 4, .outputs = 4, .group = 2};
  conv.conv.args.x = test::random_bytes(random, 2 * 6 * 20, false);
  conv.conv.args.w = test::random_bytes(random, 4 * 3, true);
  conv.conv.args.w_zero_points = {0};
  conv.conv.x = test::byte_tensor({2, 6, 5, 4}, conv.conv.args.x, false);
  conv.conv.w = test::byte_tensor({4, 3, 1, 1}, conv.conv.args.w, true);
  conv.scales = {.x = 0.02F, .w = {0.003F}, .y = 0.1F};
  oracle::PairCounts expected;
  for (Index sample = 0; sample < 2; ++sample) {
    for (Index group = 0; group < 2; ++group) {
      oracle::MatmulArgs product;
      product.m = 20;
      product.n = 2;
      product.k = 3;
      for (Index position = 0; position < 20; ++position) {
        for (Index c = 0; c < 3; ++c) {
          product.a.push_back(conv.conv.args.x[static_cast<std::size_t>((sample * 6 + group * 3 + c) * 20 + position)]);
        }
      }
      for (Index c = 0; c < 3; ++c) {
        for (Index m = 0; m < 2; ++m) {
          product.b.push_back(conv.conv.args.w[static_cast<std::size_t>((group * 2 + m) * 3 + c)]);
        }
      }
      const oracle::PairCounts counts = oracle::count_pairs(product);
      expected.pairs += counts.pairs;
      expected.saturated += counts.saturated;
      expected.largest_loss = std::max(expected.largest_loss, counts.largest_loss);
    }
  }
  const Setting setting{.profile = {Isa::kAvx512, Precision::kFast}, .threads = 2, .witness = true};
  const auto outcome = test::run_node(conv.run(false), setting);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_GT(expected.saturated, 0U);
  EXPECT_EQ(outcome.value().saturation.pairs, expected.pairs);
  EXPECT_EQ(outcome.value().saturation.saturated, expected.saturated);
  EXPECT_EQ(outcome.value().saturation.largest_loss, expected.largest_loss);
  // The outputs of both groups, each with its share.
  const auto& channels = outcome.value().saturation.channels;
  ASSERT_EQ(channels.size(), 4U);
  std::uint64_t pairs = 0;
  for (std::size_t m = 0; m < channels.size(); ++m) {
    EXPECT_EQ(channels[m].pairs, expected.pairs / 4);
    pairs += channels[m].pairs;
    // Of three weights, the first two make a pair; it counts once for both samples.
    const std::int64_t first = conv.conv.args.w[m * 3];
    const std::int64_t second = conv.conv.args.w[m * 3 + 1];
    const std::int64_t most = 255 * (std::max<std::int64_t>(first, 0) + std::max<std::int64_t>(second, 0));
    const std::int64_t least = 255 * (std::min<std::int64_t>(first, 0) + std::min<std::int64_t>(second, 0));
    EXPECT_EQ(channels[m].weight_pairs, 1U);
    EXPECT_EQ(channels[m].weight_pairs_at_risk, most > 32767 || least < -32768 ? 1U : 0U);
    EXPECT_EQ(channels[m].largest_possible_loss, std::max<std::int64_t>({0, most - 32767, -32768 - least}));
  }
  EXPECT_EQ(pairs, expected.pairs);
}

// Two taps per channel: 255 * 127 twice is beyond int16. Exact where ONNX Runtime multiplies depthwise: as many groups
// as channels and outputs, one or more, and one zero point for all weights. Expected: the requantized sums at scale
// 300.
TEST(QLinearConv, DepthwiseIsExactWhereAllWeightZeroPointsAreEqual) {
  struct Case {
    std::vector<std::int8_t> zero_points;
    std::vector<std::uint8_t> y;
    bool saturates = false;
  };
  const std::vector<Case> cases = {{{0, 0}, {216, 216}, false}, {{1, 1}, {214, 214}, false},
                                   {{0, 1}, {109, 108}, true},  {{0}, {216}, false},
                                   {{1}, {214}, false},         {{0, 0, 0}, {216, 216, 216}, false}};
  for (const Case& wanted : cases) {
    const auto channels = static_cast<Index>(wanted.zero_points.size());
    const Tensor x = Tensor::from({1, channels, 1, 2}, std::vector<std::uint8_t>(wanted.y.size() * 2, 255));
    const Tensor w = Tensor::from({channels, 1, 1, 2}, std::vector<std::int8_t>(wanted.y.size() * 2, 127));
    NodeRun run{.op_type = "QLinearConv",
                .attributes = {{"group", channels}},
                .inputs = {x, Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(0), w, Tensor::scalar(1.0F),
                           Tensor::from({channels}, wanted.zero_points), Tensor::scalar(300.0F),
                           Tensor::scalar<std::uint8_t>(0)}};
    for (const std::size_t computed : {std::size_t{0}, std::size_t{3}, std::size_t{5}}) {  // x, w, w_zero_point
      run.computed = std::vector<bool>(8, false);
      run.computed[0] = run.computed[computed] = true;
      const Setting setting{.profile = {Isa::kAvx2, Precision::kFast}, .witness = true};
      const auto outcome = test::run_node(run, setting);
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      EXPECT_EQ(outcome.value().saturates, wanted.saturates) << channels << " computed " << computed;
      EXPECT_EQ(outcome.value().saturation.saturated, wanted.saturates ? 2U : 0U);
      const auto y = outcome.value().outputs[0].data<std::uint8_t>();
      EXPECT_EQ(std::vector<std::uint8_t>(y.begin(), y.end()), wanted.y) << channels << " computed " << computed;
    }
  }
}

// 1x1 on one value: y = clamp(x * w), scales 1, zero points 0 but for y's.
NodeRun one_value(std::int8_t x, std::int8_t w) {
  return {.op_type = "QLinearConv",
          .inputs = {Tensor::from<std::int8_t>({1, 1, 1, 1}, {x}), Tensor::scalar(1.0F), Tensor::scalar<std::int8_t>(0),
                     Tensor::from<std::int8_t>({1, 1, 1, 1}, {w}), Tensor::scalar(1.0F), Tensor::scalar<std::int8_t>(0),
                     Tensor::scalar(1.0F), Tensor::scalar<std::int8_t>(0)}};
}

TEST(QLinearConv, FusedClampLimitsTheOutput) {
  NodeRun run = one_value(-3, 5);
  run.domain = kAssayDomain;
  run.attributes["clamp_min"] = Index{-7};
  run.attributes["clamp_max"] = Index{6};
  EXPECT_EQ(test::run_node(run, {}).value().outputs[0].data<std::int8_t>()[0], -7);
  run.inputs[0] = Tensor::from<std::int8_t>({1, 1, 1, 1}, {3});
  EXPECT_EQ(test::run_node(run, {}).value().outputs[0].data<std::int8_t>()[0], 6);
  run.inputs[0] = Tensor::from<std::int8_t>({1, 1, 1, 1}, {1});
  EXPECT_EQ(test::run_node(run, {}).value().outputs[0].data<std::int8_t>()[0], 5);
}

TEST(QLinearConv, EmptyDimensionsGiveEmptyOutputs) {
  NodeRun run = one_value(1, 1);
  run.inputs[0] = Tensor::allocate(DType::kInt8, {0, 1, 1, 1}).value();
  EXPECT_EQ(test::run_node(run, {}).value().outputs[0].shape(), (Shape{0, 1, 1, 1}));
  run = one_value(1, 1);
  run.inputs[3] = Tensor::allocate(DType::kInt8, {0, 1, 1, 1}).value();
  EXPECT_EQ(test::run_node(run, {}).value().outputs[0].shape(), (Shape{1, 0, 1, 1}));
  run = one_value(1, 1);  // no input channel: only the zero point is left
  run.inputs[0] = Tensor::allocate(DType::kInt8, {1, 0, 1, 1}).value();
  run.inputs[3] = Tensor::allocate(DType::kInt8, {1, 0, 1, 1}).value();
  run.inputs[7] = Tensor::scalar<std::int8_t>(9);
  for (const Setting& setting : test::all_settings()) {
    EXPECT_EQ(test::run_node(run, setting).value().outputs[0].data<std::int8_t>()[0], 9);
  }
}

TEST(QLinearConv, NamesTheOperandThatIsWrong) {
  using testing::HasSubstr;
  const NodeRun good = one_value(1, 1);
  NodeRun run = good;
  run.inputs[0] = Tensor::from<float>({1, 1, 1, 1}, {1});
  EXPECT_THAT(test::refusal(run), HasSubstr("x is int8 or uint8, found float32[1,1,1,1]"));
  run = good;
  run.inputs[0] = Tensor::allocate(DType::kInt8, {1, 2, 1, 1}).value();
  EXPECT_THAT(test::refusal(run), HasSubstr("w has C/group input channels; found x [1,2,1,1], w [1,1,1,1]"));
  run = good;
  run.inputs[2] = Tensor::scalar<std::uint8_t>(0);
  EXPECT_THAT(test::refusal(run), HasSubstr("x_zero_point is int8, found uint8[]"));
  run = good;
  run.inputs[4] = Tensor::from<float>({2}, {1, 1});
  EXPECT_THAT(test::refusal(run), HasSubstr("w_scale has one element or [1], found float32[2]"));
  run = good;
  run.inputs[6] = Tensor::from<float>({2}, {1, 1});
  EXPECT_THAT(test::refusal(run), HasSubstr("y_scale has one element, found float32[2]"));
  run = good;
  run.inputs[7] = Tensor::scalar<std::int32_t>(0);
  EXPECT_THAT(test::refusal(run), HasSubstr("y_zero_point is int8 or uint8, found int32[]"));
  run = good;
  run.inputs.push_back(Tensor::from<std::int32_t>({2}, {1, 1}));
  EXPECT_THAT(test::refusal(run), HasSubstr("B has the shape [1], found [2]"));
  run = good;
  run.attributes["group"] = Index{0};
  EXPECT_THAT(test::refusal(run), HasSubstr("group"));
  run = good;
  run.inputs[0] = Tensor::allocate(DType::kInt8, {1, 1, 1, 1, 1}).value();
  EXPECT_THAT(test::refusal(run), HasSubstr("[1,1,1,1,1]"));
  run = good;
  run.attributes["clamp_min"] = Index{5};
  run.attributes["clamp_max"] = Index{4};
  EXPECT_THAT(test::refusal(run), HasSubstr("clamp_min is at most clamp_max, found 5 and 4"));
}

}  // namespace
}  // namespace assay
