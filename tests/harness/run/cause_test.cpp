// SPDX-License-Identifier: Apache-2.0
#include "harness/run/cause.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/spec/axis.h"

namespace assay::run {
namespace {

// Fails by pair saturation, a dropped clamp and one scale for all channels, but for what `helps` lists.
class FailingVariant {
 public:
  FailingVariant() {
    configuration_.set("runtime.isa", "avx2");
    configuration_.set("quantizer.relu", "drop");
  }

  Failing failing(const std::set<std::string>& helps, const Graph* model = nullptr) {
    return {
        .configuration = configuration_, .model = model, .holds_under = [this, helps](const spec::Configuration& c) {
          std::string change;
          for (const spec::Axis& axis : spec::axes()) {
            if (c.get(axis.name) != configuration_.get(axis.name)) {
              change += std::string(axis.name) + "=" + spec::axis_value_text(c.get(axis.name));
            }
          }
          tried_.push_back(change);
          return helps.contains(change);
        }};
  }
  spec::Configuration& configuration() { return configuration_; }
  const std::vector<std::string>& tried() const { return tried_; }

 private:
  spec::Configuration configuration_;
  std::vector<std::string> tried_;
};

Graph graph_of(const std::vector<std::string>& ops) {
  Graph graph;
  for (const std::string& op : ops) {
    Node node;
    node.op_type = op;
    graph.nodes.push_back(node);
  }
  return graph;
}

constexpr char kExact[] = "runtime.precision=exact";
constexpr char kSafe[] = "quantizer.relu=safe";
constexpr char kPerChannel[] = "quantizer.per_channel=true";

TEST(FindCause, IsWhatTheOneChangeAvoidsThatMakesEveryCheckHold) {
  const Graph relu = graph_of({"Conv", "Relu", "Clip"});
  const Graph clip = graph_of({"Conv", "Clip"});
  const auto cause_of = [](const std::string& change, const Graph& model) {
    FailingVariant variant;
    const std::optional<Cause> cause = find_cause(variant.failing({change}, &model));
    EXPECT_TRUE(cause) << change;
    EXPECT_EQ(cause ? cause->change : "", change);
    return cause ? cause->name : "";
  };
  EXPECT_EQ(cause_of(kExact, relu), "pair-saturation");
  EXPECT_EQ(cause_of(kSafe, relu), "relu-dropped");
  EXPECT_EQ(cause_of(kSafe, clip), "clip-dropped");
  EXPECT_EQ(cause_of(kPerChannel, relu), "per-tensor-range");
  FailingVariant none;
  EXPECT_FALSE(find_cause(none.failing({})));
  EXPECT_EQ(none.tried(), (std::vector<std::string>{kExact, kSafe, kPerChannel}));
}

TEST(FindCause, TriesNoChangeThatIsNoneOrCannotMatter) {
  FailingVariant variant;
  variant.configuration().set("runtime.precision", "exact");
  variant.configuration().set("quantizer.per_channel", true);
  EXPECT_FALSE(find_cause(variant.failing({})));
  EXPECT_EQ(variant.tried(), (std::vector<std::string>{kSafe}));

  FailingVariant floats;
  floats.configuration().set("quantizer.format", "none");
  EXPECT_FALSE(find_cause(floats.failing({})));
  EXPECT_EQ(floats.tried(), (std::vector<std::string>{kExact}));
}

// The cause of a failure that one change of the configuration `set` undoes.
std::string cause_by(const std::string& axis, const spec::Json& value, const std::string& change) {
  FailingVariant variant;
  variant.configuration().set(axis, value);
  const std::optional<Cause> cause = find_cause(variant.failing({change}));
  return cause ? cause->name + " by " + cause->change : "";
}

TEST(FindCause, KnowsCoarseWeightsAndRangesThatDoNotFit) {
  EXPECT_EQ(cause_by("quantizer.weight_type", "int4", "quantizer.weight_type=int8"),
            "rounding by quantizer.weight_type=int8");
  EXPECT_EQ(cause_by("quantizer.weight_type", "uint4", "quantizer.weight_type=int8"),
            "rounding by quantizer.weight_type=int8");
  EXPECT_EQ(cause_by("quantizer.weight_type", "uint8", "quantizer.weight_type=int8"), "");  // as many bits
  EXPECT_EQ(cause_by("quantizer.reduce_range", true, "quantizer.reduce_range=false"),
            "rounding by quantizer.reduce_range=false");
  EXPECT_EQ(cause_by("quantizer.calibration", "percentile", "quantizer.calibration=minmax"),
            "calibration-range by quantizer.calibration=minmax");
  EXPECT_EQ(cause_by("quantizer.ranges", {{"x", {0, 1}}}, "quantizer.ranges={}"),
            "calibration-range by quantizer.ranges={}");
}

TEST(FindCause, TriesTheInputsAsCalibrationLast) {
  FailingVariant variant;
  Failing failing = variant.failing({});
  bool holds = true;
  failing.holds_calibrated_on_inputs = [&] { return holds; };
  const std::optional<Cause> cause = find_cause(failing);
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->name, "calibration-range");
  EXPECT_EQ(cause->evidence(), "every check holds with the inputs as calibration");
  EXPECT_EQ(variant.tried(), (std::vector<std::string>{kExact, kSafe, kPerChannel}));
  EXPECT_FALSE(check_cause(failing, "calibration-range").other);
  holds = false;
  EXPECT_FALSE(find_cause(failing));
}

TEST(FindCause, OfAnExternalRuntimeIsThatOfTheOwnOneThatFailsAlike) {
  FailingVariant variant;
  variant.configuration().set("runtime.name", "onnxruntime");
  Failing failing = variant.failing({});
  failing.fails_as_saturating = [] { return true; };
  const std::optional<Cause> cause = find_cause(failing);
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->name, "pair-saturation");
  EXPECT_EQ(cause->evidence(),
            "the same failure as runtime.name=assay has with runtime.isa=avx2 and not with runtime.precision=exact: "
            "pair-saturation is likely");
  EXPECT_TRUE(variant.tried().empty());  // no other run of the external runtime
  EXPECT_FALSE(check_cause(failing, "pair-saturation").other);
}

TEST(CheckCause, OnlyWhereTheDeclaredOneIsNotConfirmed) {
  FailingVariant confirmed;
  EXPECT_FALSE(check_cause(confirmed.failing({kSafe, kExact}), "relu-dropped").other);
  EXPECT_EQ(confirmed.tried(), (std::vector<std::string>{kSafe}));

  FailingVariant wrong;
  const std::optional<Cause> other = check_cause(wrong.failing({kExact}), "relu-dropped").other;
  ASSERT_TRUE(other);
  EXPECT_EQ(other->name, "pair-saturation");
  EXPECT_EQ(other->change, kExact);

  // Two faults at once: no single change helps, and nothing is known against the declared one.
  FailingVariant both;
  EXPECT_FALSE(check_cause(both.failing({}), "relu-dropped").other);

  const Graph clip = graph_of({"Clip"});
  FailingVariant clips;
  EXPECT_FALSE(check_cause(clips.failing({kSafe}, &clip), "clip-dropped").other);
  EXPECT_FALSE(check_cause(clips.failing({kSafe}, &clip), "relu-dropped").other);
  EXPECT_TRUE(check_cause(clips.failing({kSafe}, &clip), "rounding").other);
}

TEST(CheckCause, AFaultThatNothingConfirmsIsRefuted) {
  FailingVariant confirmed;
  const CauseCheck held = check_cause(confirmed.failing({kExact}), "pair-saturation");
  EXPECT_TRUE(held.is_confirmed);
  EXPECT_FALSE(held.is_refuted);
  FailingVariant refuted;
  EXPECT_TRUE(check_cause(refuted.failing({}), "pair-saturation").is_refuted);
  EXPECT_TRUE(check_cause(refuted.failing({}), "relu-dropped").is_refuted);
  FailingVariant scalar;  // where pairs cannot saturate
  scalar.configuration().set("runtime.isa", "scalar");
  EXPECT_TRUE(check_cause(scalar.failing({}), "pair-saturation").is_refuted);
  FailingVariant unknown;  // what no change could show
  EXPECT_FALSE(check_cause(unknown.failing({}), "rounding").is_refuted);
  EXPECT_FALSE(check_cause(unknown.failing({}), "").is_refuted);
}

}  // namespace
}  // namespace assay::run
