// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace assay::compare {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor row(const std::vector<float>& values) {
  return Tensor::from<float>({static_cast<Index>(values.size())}, values);
}

Result<CheckResult> judged(const std::string& metric, const Tensor& actual, const Tensor& reference,
                           const MetricOptions& options = {}, const Limits& limits = {}) {
  return evaluate(*find_metric(metric), {actual, reference, options}, limits);
}

TEST(Metric, TableHasEachNameOnce) {
  std::set<std::string_view> names;
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_EQ(metric.compute == nullptr, metric.kind == MetricKind::kRunFact) << metric.name;
    EXPECT_FALSE(metric.description.empty()) << metric.name;
  }
  EXPECT_EQ(names.size(), 20U);
  EXPECT_EQ(find_metric("nonsense"), nullptr);
}

TEST(Evaluate, LimitsIncludeTheirEnds) {
  const Tensor zero = row({0});
  const Tensor half = row({0.5});
  const auto passed = [&](std::optional<double> at_most, std::optional<double> at_least) {
    return judged("max_abs_error", half, zero, {}, {at_most, at_least}).value().passed;
  };
  EXPECT_TRUE(passed(0.5, {}));
  EXPECT_FALSE(passed(0.49, {}));
  EXPECT_TRUE(passed({}, 0.5));
  EXPECT_FALSE(passed({}, 0.51));
  EXPECT_TRUE(passed(1.0, 0.1));
  EXPECT_FALSE(within(kNan, {}));
  EXPECT_TRUE(within(kInfinity, {{}, 30.0}));
}

TEST(Evaluate, AnotherTypeOrShapeFails) {
  const CheckResult type = judged("exact", Tensor::from<std::uint8_t>({1}, {1}), row({1})).value();
  EXPECT_FALSE(type.passed);
  EXPECT_TRUE(std::isnan(type.measured.value));
  EXPECT_EQ(type.measured.detail, "type uint8, reference float32");
  const CheckResult shape =
      judged("max_abs_error", Tensor::from<float>({1, 2}, {1, 2}), row({1, 2}), {}, {.at_most = 9.0, .at_least = {}})
          .value();
  EXPECT_FALSE(shape.passed);
  EXPECT_EQ(shape.measured.detail, "shape [1,2], reference [2]");
  EXPECT_EQ(evaluate(*find_metric("node_count"), {row({1}), row({1}), {}}, {}).error().kind, ErrorKind::kInternal);
}

TEST(CouldFail, NotWhereEachTensorIsOneConstant) {
  EXPECT_FALSE(could_fail(row({0, 0, 0}), row({0, 0, 0})));
  EXPECT_FALSE(could_fail(row({0, 0, 0}), row({1, 1, 1})));
  EXPECT_FALSE(could_fail(row({0, -0.0F}), row({5, 5})));
  EXPECT_FALSE(could_fail(row({7}), row({7})));
  EXPECT_TRUE(could_fail(row({0, 1}), row({0, 0})));
  EXPECT_TRUE(could_fail(row({0, 0}), row({0, 1})));
}

}  // namespace
}  // namespace assay::compare
