// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metrics/all.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/random.h"

namespace assay::compare {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor row(const std::vector<float>& values) {
  return Tensor::from<float>({static_cast<Index>(values.size())}, values);
}

Result<CheckResult> judged(const std::string& metric, const Tensor& actual, const Tensor& reference,
                           const MetricOptions& options = {}, const Limits& limits = {}) {
  return evaluate(*find_metric(metric), {actual, reference, options}, limits);
}

double value(const std::string& metric, const std::vector<float>& actual, const std::vector<float>& reference,
             const MetricOptions& options = {}) {
  const auto result = judged(metric, row(actual), row(reference), options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? result.value().measured.value : -1;
}

std::string detail(const std::string& metric, const std::vector<float>& actual, const std::vector<float>& reference,
                   const MetricOptions& options = {}) {
  return judged(metric, row(actual), row(reference), options).value().measured.detail;
}

TEST(Metric, Errors) {
  const std::vector<float> reference = {1, -2, 0, 4};
  const std::vector<float> actual = {1.5, -2, 0, 2};
  EXPECT_EQ(value("max_abs_error", actual, reference), 2.0);
  EXPECT_EQ(value("mean_abs_error", actual, reference), 0.625);
  EXPECT_EQ(value("rmse", actual, reference), std::sqrt(4.25 / 4));
  EXPECT_EQ(value("max_rel_error", actual, reference), 0.5);
  EXPECT_EQ(detail("max_abs_error", actual, reference), "at [3]: 2, reference 4");
  EXPECT_EQ(value("max_rel_error", {0.5}, {0}), kInfinity);
  EXPECT_EQ(value("max_rel_error", {0}, {0}), 0.0);
}

// Two rows of three classes. Read as double, actual and reference are the same.
Tensor wide(std::int64_t first, std::int64_t second) {
  constexpr std::int64_t kTop = std::int64_t{1} << 53;
  return Tensor::from<std::int64_t>({2, 3}, std::vector<std::int64_t>{kTop + first, kTop + second, 1, 2, -5, 0});
}

double wide_value(const std::string& metric, const MetricOptions& options = {}) {
  const auto result = judged(metric, wide(1, 0), wide(0, 1), options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? result.value().measured.value : -1;
}

TEST(Metric, IntegersBeyondDoubleAreComparedAsIntegers) {
  EXPECT_EQ(wide_value("max_abs_error"), 1);
  EXPECT_EQ(wide_value("mean_abs_error"), 2.0 / 6);
  EXPECT_EQ(wide_value("rmse"), std::sqrt(2.0 / 6));
  EXPECT_EQ(wide_value("max_rel_error"), 0x1p-53);
  EXPECT_EQ(wide_value("max_steps"), 1);
  EXPECT_EQ(wide_value("mismatch_share"), 2.0 / 6);
  EXPECT_EQ(wide_value("mismatch_share", {.beyond_steps = 0.5}), 2.0 / 6);
  EXPECT_EQ(wide_value("quantile_abs_error", {.quantile = 1}), 1);
  EXPECT_EQ(wide_value("tolerance_ratio", {.rtol = 0.5, .atol = 1}), kInfinity);
  EXPECT_LT(wide_value("sqnr_db"), 330);
  EXPECT_EQ(wide_value("top1_agreement"), 0.5);
  EXPECT_EQ(wide_value("topk_agreement", {.k = 1}), 0.5);
  const Tensor labels = Tensor::from<std::int64_t>({2}, std::vector<std::int64_t>{1, 0});
  EXPECT_EQ(wide_value("top1_accuracy", {.labels = &labels}), 0.5);
  EXPECT_EQ(wide_value("accuracy_drop", {.labels = &labels}), 0.5);
  EXPECT_FALSE(judged("kl_divergence", wide(1, 0), wide(0, 1)).ok());
}

TEST(Metric, OneSideOfIntegersBeyondDoubleAndTheirDigits) {
  MetricOptions options;
  options.side = Side::kAbove;
  const CheckResult above = judged("max_abs_error", wide(1, 0), wide(0, 0), options).value();
  EXPECT_EQ(above.measured.value, 1);
  EXPECT_EQ(above.measured.detail, "at [0,0]: 9007199254740993, reference 9007199254740992");
  options.side = Side::kBelow;
  EXPECT_EQ(judged("max_abs_error", wide(1, 0), wide(0, 0), options).value().measured.value, 0);
}

TEST(Metric, IntegersThatDifferBeyondDoubleAreNoConstant) {
  const Tensor values = Tensor::from<std::int64_t>({2}, std::vector<std::int64_t>{1LL << 53, (1LL << 53) + 1});
  EXPECT_TRUE(could_fail(values, values));
}

TEST(Metric, ToleranceRatioIsNumpysAllclose) {
  const MetricOptions options{.rtol = 0.25, .atol = 0.5};
  EXPECT_EQ(value("tolerance_ratio", {1, 7}, {1, 4}, options), 2.0);  // 3 / (0.5 + 1)
  EXPECT_EQ(value("tolerance_ratio", {0.5}, {0}, options), 1.0);
  EXPECT_EQ(value("tolerance_ratio", {0.5}, {0}, {.rtol = 1, .atol = 0}), kInfinity);
  EXPECT_TRUE(std::isnan(value("tolerance_ratio", {kNan}, {1}, options)));
  EXPECT_EQ(value("tolerance_ratio", {kNan, kInf}, {kNan, kInf}, options), 0.0);
}

TEST(Metric, ToleranceRatioOfIntegersIsEqualityAndOfHalvesAUnit) {
  const MetricOptions options{.rtol = 1, .atol = 100};
  const Tensor one = Tensor::scalar(std::int32_t{1});
  EXPECT_EQ(judged("tolerance_ratio", one, one, options).value().measured.value, 0.0);
  EXPECT_EQ(judged("tolerance_ratio", Tensor::scalar(std::int32_t{2}), one, options).value().measured.value, kInfinity);
  const auto half = [](DType dtype, std::uint16_t bits) {
    Tensor tensor = Tensor::allocate(dtype, {}).value();
    std::memcpy(tensor.mutable_bytes(), &bits, sizeof(bits));
    return tensor;
  };
  const MetricOptions strict{.rtol = 0, .atol = 0};
  for (const auto& [dtype, bits] : {std::pair(DType::kFloat16, 0x3C00), std::pair(DType::kBfloat16, 0x3F80)}) {
    const Tensor reference = half(dtype, static_cast<std::uint16_t>(bits));  // 1
    const auto ratio = [&, type = dtype](int beyond) {
      return judged("tolerance_ratio", half(type, static_cast<std::uint16_t>(bits + beyond)), reference, strict)
          .value()
          .measured.value;
    };
    EXPECT_EQ(ratio(1), 0.5);
    EXPECT_EQ(ratio(2), 1.0);
  }
}

TEST(Metric, DetailGivesThePlaceInTheShape) {
  const Tensor reference = Tensor::from<float>({2, 1, 3}, {0, 0, 0, 0, 0, 0});
  const Tensor actual = Tensor::from<float>({2, 1, 3}, {0, 1, 0, 0, -3, 2});
  EXPECT_EQ(judged("max_abs_error", actual, reference).value().measured.detail, "at [1,0,1]: -3, reference 0");
}

TEST(Metric, Quantile) {
  const std::vector<float> reference(10, 0.0F);
  const std::vector<float> actual = {10, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto at = [&](double quantile) {
    MetricOptions options;
    options.quantile = quantile;
    return value("quantile_abs_error", actual, reference, options);
  };
  EXPECT_EQ(at(1.0), 10.0);
  EXPECT_EQ(at(0.9), 9.0);
  EXPECT_EQ(at(0.91), 10.0);
  EXPECT_EQ(at(0.1), 1.0);
  EXPECT_EQ(at(0.3), 3.0);
  EXPECT_EQ(at(1e-9), 1.0);
}

TEST(Metric, Sqnr) {
  EXPECT_DOUBLE_EQ(value("sqnr_db", {11}, {10}), 20.0);
  EXPECT_EQ(value("sqnr_db", {1, 2}, {1, 2}), kInfinity);
  EXPECT_EQ(value("sqnr_db", {0, 0}, {0, 0}), kInfinity);
  EXPECT_EQ(value("sqnr_db", {1, 0}, {0, 0}), -kInfinity);
  EXPECT_EQ(value("sqnr_db", {kInf, 11}, {kInf, 10}), 20.0);
  EXPECT_EQ(value("sqnr_db", {kInf, 10}, {1, 10}), -kInfinity);
}

TEST(Metric, Cosine) {
  EXPECT_EQ(value("cosine", {1, 0}, {0, 1}), 0.0);
  EXPECT_EQ(value("cosine", {2, 4}, {1, 2}), 1.0);
  EXPECT_EQ(value("cosine", {-1, -2}, {1, 2}), -1.0);
  EXPECT_EQ(value("cosine", {0, 0}, {0, 0}), 1.0);
  EXPECT_EQ(value("cosine", {0, 0}, {1, 0}), 0.0);
  EXPECT_NEAR(value("cosine", {1e-30F, 1e-30F}, {3e38F, 0}), std::sqrt(0.5), 1e-12);
  EXPECT_TRUE(std::isnan(value("cosine", {kInf, 0}, {1, 0})));
}

TEST(Metric, Steps) {
  MetricOptions options;
  options.step = 0.5;
  EXPECT_EQ(value("max_steps", {1, 2}, {1, 3.25}, options), 2.5);
  EXPECT_EQ(detail("max_steps", {1, 2}, {1, 3.25}, options), "at [1]: 2, reference 3.25, step 0.5");
  // Neighbours on the grid of any scale are one step apart, though their float32 values are rounded.
  for (const float scale : {0.1F, 0.0482174791F, 0.0123F, 1.0F / 3.0F}) {
    std::vector<float> grid;
    std::vector<float> next;
    for (int q = -128; q < 127; ++q) {
      grid.push_back(static_cast<float>(q) * scale);
      next.push_back(static_cast<float>(q + 1) * scale);
    }
    const Tensor actual = Tensor::from<float>({255}, grid);
    const Tensor reference = Tensor::from<float>({255}, next);
    const MetricOptions steps{.beyond_steps = 1, .step = static_cast<double>(scale)};
    EXPECT_EQ(judged("max_steps", actual, reference, steps).value().measured.value, 1.0) << scale;
    EXPECT_EQ(judged("mismatch_share", actual, reference, steps).value().measured.value, 0.0) << scale;
    // A hundredth of a step is not rounding.
    next[200] += 0.01F * scale;
    EXPECT_GT(judged("max_steps", actual, Tensor::from<float>({255}, next), steps).value().measured.value, 1.009);
  }
  const Tensor bytes = Tensor::from<std::uint8_t>({2}, {3, 255});
  EXPECT_EQ(judged("max_steps", bytes, Tensor::from<std::uint8_t>({2}, {5, 255})).value().measured.value, 2.0);
  EXPECT_EQ(judged("max_steps", row({1}), row({1})).error().message,
            "max_steps: the output is not quantized, so it has no quantization step");
}

TEST(Metric, MismatchShare) {
  EXPECT_EQ(value("mismatch_share", {1, 2, 3, 4}, {1, 2, 3, 5}), 0.25);
  EXPECT_EQ(value("mismatch_share", {kNan, 2, kNan, 4}, {1, 2, kNan, 4}), 0.25);
  EXPECT_EQ(detail("mismatch_share", {1, 2, 3}, {1, 0, 0}), "2 of 3 elements, the first at [1]: 2, reference 0");
  MetricOptions options;
  options.beyond_steps = 1;
  options.step = 0.5;
  EXPECT_EQ(value("mismatch_share", {1, 2, 3, 4}, {1, 2.5, 3.75, 4}, options), 0.25);
  options.step.reset();
  EXPECT_FALSE(judged("mismatch_share", row({1}), row({1}), options).ok());
}

TEST(Metric, ExactComparesBytes) {
  EXPECT_EQ(value("exact", {0.0F, 1}, {-0.0F, 1}), 1.0);
  EXPECT_EQ(value("exact", {kNan}, {kNan}), 0.0);
  EXPECT_TRUE(judged("exact", row({1}), row({1})).value().passed);
  EXPECT_FALSE(judged("exact", row({1}), row({2})).value().passed);
  EXPECT_TRUE(judged("exact", row({1}), row({2}), {}, {.at_most = 1.0, .at_least = {}}).value().passed);
}

TEST(Metric, Top1) {
  const Tensor reference = Tensor::from<float>({4, 3}, {1, 2, 3, 3, 2, 1, 1, 3, 2, 5, 5, 1});
  const Tensor actual = Tensor::from<float>({4, 3}, {0, 0, 1, 0, 1, 0, 2, 9, 2, 7, 6, 1});
  const CheckResult agreement = judged("top1_agreement", actual, reference).value();
  EXPECT_EQ(agreement.measured.value, 0.75);
  EXPECT_EQ(agreement.measured.n, 4);
  EXPECT_EQ(agreement.measured.detail, "3 of 4 rows agree");
  MetricOptions options;
  const Tensor labels = Tensor::from<Index>({4}, {2, 1, 1, 2});
  options.labels = &labels;
  EXPECT_EQ(judged("top1_accuracy", actual, reference, options).value().measured.value, 0.75);
  const Tensor few = Tensor::from<Index>({1}, {2});
  options.labels = &few;
  EXPECT_EQ(judged("top1_accuracy", actual, reference, options).error().message,
            "top1_accuracy: 1 labels for an output of shape [4,3], which has 4 rows");
  const Tensor beyond = Tensor::from<Index>({4}, {2, 3, 1, 2});
  options.labels = &beyond;
  EXPECT_EQ(judged("top1_accuracy", actual, reference, options).error().message,
            "top1_accuracy: label 3 of row 1 is none of the 3 classes");
  options.labels = nullptr;
  EXPECT_FALSE(judged("top1_accuracy", actual, reference, options).ok());
}

// 95 % Wilson intervals as R's prop.test(correct = FALSE) gives them.
TEST(Metric, SharesHaveWilsonIntervals) {
  std::vector<float> right(100 * 2);
  for (std::size_t i = 0; i < 100; ++i) {
    right[2 * i + (i < 90 ? 1U : 0U)] = 1;
  }
  const Tensor actual = Tensor::from<float>({100, 2}, right);
  const Tensor labels = Tensor::from<Index>({100}, std::vector<Index>(100, 1));
  MetricOptions options;
  options.labels = &labels;
  const MetricValue measured = judged("top1_accuracy", actual, actual, options).value().measured;
  EXPECT_DOUBLE_EQ(measured.value, 0.9);
  EXPECT_NEAR(measured.interval->low, 0.8256343, 1e-7);
  EXPECT_NEAR(measured.interval->high, 0.9447708, 1e-7);
}

TEST(Metric, TopkAgreement) {
  MetricOptions options;
  options.k = 2;
  EXPECT_EQ(value("topk_agreement", {4, 3, 2, 1}, {3, 4, 1, 2}, options), 1.0);
  EXPECT_EQ(value("topk_agreement", {4, 3, 2, 1}, {4, 1, 3, 2}, options), 0.5);
  EXPECT_EQ(value("topk_agreement", {4, 3, 2, 1}, {1, 2, 3, 4}, options), 0.0);
  EXPECT_EQ(value("topk_agreement", {5, 4, 3, 2, 1}, {5, 4, 1, 2, 3}, options), 1.0);
  options.k = 1;
  EXPECT_EQ(value("topk_agreement", {kNan, 3}, {1, 2}, options), 0.0);
  // The top k of k classes agree whatever they are.
  for (const Index k : {2, 3, 100}) {
    options.k = k;
    EXPECT_FALSE(judged("topk_agreement", row({4, 3}), row({1, 2}), options).ok()) << k;
  }
}

TEST(Metric, KlDivergence) {
  EXPECT_NEAR(value("kl_divergence", {0.5, 0.5}, {0.25, 0.75}), 0.25 * std::log(0.5) + 0.75 * std::log(1.5), 1e-12);
  EXPECT_NEAR(value("kl_divergence", {0, 1}, {1, 0}), std::log(1e12), 1e-9);
  // Logits: a shift changes nothing.
  EXPECT_NEAR(value("kl_divergence", {11, 12, 13}, {1, 2, 3}), 0.0, 1e-12);
  EXPECT_NEAR(value("kl_divergence", {0, 0}, {0, std::log(3.0F)}), 0.25 * std::log(0.5) + 0.75 * std::log(1.5), 1e-7);
  EXPECT_TRUE(std::isnan(value("kl_divergence", {kNan, 0}, {1, 0})));
}

TEST(Metric, NanAndInfinity) {
  for (const char* metric :
       {"max_abs_error", "mean_abs_error", "rmse", "max_rel_error", "quantile_abs_error", "sqnr_db", "cosine"}) {
    EXPECT_TRUE(std::isnan(value(metric, {1, kNan, 5}, {1, 2, 3}))) << metric;
    EXPECT_TRUE(std::isnan(value(metric, {1, 2, 5}, {1, kNan, 3}))) << metric;
  }
  EXPECT_EQ(detail("max_abs_error", {1, kNan, 5}, {1, 2, 3}), "at [1]: nan, reference 2");
  for (const char* metric : {"max_abs_error", "mean_abs_error", "rmse", "max_rel_error", "quantile_abs_error"}) {
    EXPECT_EQ(value(metric, {kNan, kInf, -kInf, 1}, {kNan, kInf, -kInf, 1}), 0.0) << metric;
    EXPECT_EQ(value(metric, {kInf}, {1}), kInfinity) << metric;
    EXPECT_EQ(value(metric, {kInf}, {-kInf}), kInfinity) << metric;
  }
}

TEST(Metric, EmptyTensorsHaveNoError) {
  for (const Metric& metric : metrics()) {
    if (metric.kind != MetricKind::kPair) {
      continue;
    }
    const Tensor empty = Tensor::from<float>({2, 0}, {});
    MetricOptions options;
    options.step = 1;
    const auto result = evaluate(metric, {empty, empty, options}, {});
    ASSERT_TRUE(result.ok()) << metric.name;
    const double expected = metric.name == "sqnr_db" ? kInfinity : metric.better == Better::kHigher ? 1.0 : 0.0;
    EXPECT_EQ(result.value().measured.value, expected) << metric.name;
  }
}

// Against the formulas of the header, written without care for speed.
TEST(Metric, AgreesWithTheFormulasOnRandomTensors) {
  test::Random random;
  for (int round = 0; round < 200; ++round) {
    const Index rows = random.integer(1, 5);
    const Index length = random.integer(1, 40);
    const auto n = static_cast<std::size_t>(rows * length);
    std::vector<float> r(n);
    std::vector<float> a(n);
    long double signal = 0;
    long double noise = 0;
    long double sum = 0;
    long double product = 0;
    long double power = 0;
    double largest = 0;
    double relative = 0;
    std::vector<double> errors;
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = random.normal(0, 3);
      a[i] = random.chance(0.3) ? r[i] : r[i] + random.normal(0, 0.5);
      const double d = std::fabs(static_cast<double>(a[i]) - static_cast<double>(r[i]));
      errors.push_back(d);
      largest = std::max(largest, d);
      relative = std::max(relative, d / std::fabs(static_cast<double>(r[i])));
      sum += d;
      noise += static_cast<long double>(d) * d;
      signal += static_cast<long double>(r[i]) * r[i];
      product += static_cast<long double>(a[i]) * r[i];
      power += static_cast<long double>(a[i]) * a[i];
    }
    std::sort(errors.begin(), errors.end());
    const Tensor actual = Tensor::from<float>({rows, length}, a);
    const Tensor reference = Tensor::from<float>({rows, length}, r);
    MetricOptions options;
    options.quantile = 0.75;
    const auto of = [&](const std::string& metric) {
      return judged(metric, actual, reference, options).value().measured.value;
    };
    const auto count = static_cast<long double>(n);
    EXPECT_EQ(of("max_abs_error"), largest);
    EXPECT_EQ(of("max_rel_error"), relative);
    EXPECT_NEAR(of("mean_abs_error"), static_cast<double>(sum / count), 1e-12);
    EXPECT_NEAR(of("rmse"), static_cast<double>(std::sqrt(noise / count)), 1e-12);
    EXPECT_NEAR(of("cosine"), static_cast<double>(product / (std::sqrt(power) * std::sqrt(signal))), 1e-12);
    EXPECT_EQ(of("quantile_abs_error"), errors[static_cast<std::size_t>(std::ceil(0.75 * static_cast<double>(n))) - 1]);
    if (noise > 0) {
      EXPECT_NEAR(of("sqnr_db"), static_cast<double>(10 * std::log10(signal / noise)), 1e-9);
    }
    Index agreeing = 0;
    for (Index row_index = 0; row_index < rows; ++row_index) {
      const auto begin = static_cast<std::ptrdiff_t>(row_index * length);
      const auto best = [&](const std::vector<float>& values) {
        return std::max_element(values.begin() + begin, values.begin() + begin + length) - values.begin();
      };
      agreeing += best(a) == best(r) ? 1 : 0;
    }
    if (length > 1) {
      EXPECT_EQ(of("top1_agreement"), static_cast<double>(agreeing) / static_cast<double>(rows));
    }
    const auto different = n - static_cast<std::size_t>(std::count(errors.begin(), errors.end(), 0.0));
    EXPECT_EQ(of("mismatch_share"), static_cast<double>(different) / static_cast<double>(n));
    EXPECT_EQ(of("exact"), static_cast<double>(different));
  }
}

// A row of one class is right whatever comes out.
TEST(Metric, ClassesAreTwoOrMore) {
  const Tensor scores = Tensor::from<float>({3, 1}, {1, 2, 3});
  const Tensor labels = Tensor::from<Index>({3}, {0, 0, 0});
  for (const char* metric :
       {"top1_agreement", "top1_accuracy", "topk_agreement", "kl_divergence", "accuracy_drop", "mcnemar_p"}) {
    const auto result = judged(metric, scores, scores, {.labels = &labels});
    ASSERT_FALSE(result.ok()) << metric;
    EXPECT_NE(result.error().message.find("1 class"), std::string::npos) << result.error().message;
  }
}

TEST(Metric, OneSideAlone) {
  const std::vector<float> reference = {1, 2, 3, 4};
  const std::vector<float> actual = {1.5, 1, 3, 4.25};
  const MetricOptions above{.side = Side::kAbove};
  const MetricOptions below{.side = Side::kBelow};
  EXPECT_EQ(value("max_abs_error", actual, reference), 1.0);
  EXPECT_EQ(value("max_abs_error", actual, reference, above), 0.5);
  EXPECT_EQ(value("max_abs_error", actual, reference, below), 1.0);
  EXPECT_EQ(value("mismatch_share", actual, reference, above), 0.5);
  EXPECT_EQ(value("mismatch_share", actual, reference, below), 0.25);
  EXPECT_EQ(detail("max_abs_error", actual, reference, above), "at [0]: 1.5, reference 1");
  EXPECT_TRUE(std::isnan(value("max_abs_error", {kNan}, {1}, above)));
  EXPECT_TRUE(std::isnan(value("max_abs_error", {1}, {kNan}, below)));
}

TEST(Metric, WorstElementIsTheLargestErrorUnlessTheMetricHasItsOwn) {
  const auto worst = [](const std::string& metric) {
    return *judged(metric, row({1.5, 12, 3}), row({1, 10, 3})).value().measured.worst;
  };
  for (const char* metric :
       {"max_abs_error", "mean_abs_error", "rmse", "sqnr_db", "cosine", "exact", "mismatch_share"}) {
    EXPECT_EQ(worst(metric).at, (Shape{1})) << metric;
    EXPECT_EQ(worst(metric).actual, 12) << metric;
    EXPECT_EQ(worst(metric).reference, 10) << metric;
  }
  EXPECT_EQ(worst("max_rel_error").at, (Shape{0}));
  const auto classes = *judged("top1_agreement", Tensor::from<float>({2, 3}, {0, 1, 0, 0, 1, 0}),
                               Tensor::from<float>({2, 3}, {0, 1, 0, 0, 0, 1}))
                            .value()
                            .measured.worst;
  EXPECT_EQ(classes.at, (Shape{1}));
  EXPECT_EQ(classes.actual, 1);
  EXPECT_EQ(classes.reference, 2);
  const auto zeros = *judged("exact", row({1, 0.0F}), row({1, -0.0F})).value().measured.worst;
  EXPECT_EQ(zeros.at, (Shape{1}));
}

WouldPass would_pass(const std::string& metric, const Limits& limits, const MetricOptions& options = {}) {
  return judged(metric, row({1, 2, 3, 4}), row({1, 2.5, 3, 6}), options, limits).value().would_pass;
}

TEST(Metric, SaysWhatWouldHavePassed) {
  using Pairs = WouldPass;
  EXPECT_EQ(would_pass("max_abs_error", {.at_most = 1}), (Pairs{{"at_most", 2.0}}));
  EXPECT_EQ(would_pass("max_abs_error", {.at_most = 3}), (Pairs{{"at_most", 2.0}}));
  EXPECT_EQ(would_pass("max_abs_error", {.at_most = 9, .at_least = 3}), (Pairs{{"at_least", 2.0}}));
  EXPECT_EQ(would_pass("exact", {}), (Pairs{{"at_most", 2.0}}));
  EXPECT_EQ(would_pass("mismatch_share", {.at_most = 0.25}, {.beyond_steps = 0, .step = 0.5}),
            (Pairs{{"at_most", 0.5}, {"beyond_steps", 1.0}}));
  EXPECT_EQ(would_pass("mismatch_share", {.at_most = 0}, {.beyond_steps = 1, .step = 0.5}),
            (Pairs{{"at_most", 0.25}, {"beyond_steps", 4.0}}));
  EXPECT_EQ(would_pass("quantile_abs_error", {.at_most = 0.5}, {.quantile = 1}),
            (Pairs{{"at_most", 2.0}, {"quantile", 0.75}}));
  EXPECT_TRUE(judged("max_abs_error", row({kNan}), row({1}), {}, {.at_most = 1}).value().would_pass.empty());
}

// Whatever the data: with what a failed check says would have passed, it passes, and with anything tighter it fails.
TEST(Metric, WhatWouldHavePassedPasses) {
  test::Random random(23);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(testing::Message() << "seed " << test::test_seed() << " trial " << trial);
    std::vector<float> actual;
    std::vector<float> reference;
    for (std::int64_t i = random.integer(1, 40); i > 0; --i) {
      reference.push_back(static_cast<float>(random.integer(-20, 20)));
      actual.push_back(reference.back() + (random.chance(0.5) ? 0.0F : random.normal(0, 2)));
    }
    const Limits limits{.at_most = random.uniform(0, 0.4F)};
    const MetricOptions options{.quantile = 0.9, .beyond_steps = random.uniform(0, 2), .step = 0.5};
    for (const char* metric : {"max_abs_error", "rmse", "mismatch_share", "quantile_abs_error", "max_steps"}) {
      const auto check = [&](const MetricOptions& own, const Limits& limit) {
        return judged(metric, row(actual), row(reference), own, limit).value();
      };
      const CheckResult result = check(options, limits);
      for (const auto& [key, setting] : result.passed ? WouldPass{} : result.would_pass) {
        MetricOptions loose = options;
        MetricOptions tight = options;
        Limits loose_limits = limits;
        Limits tight_limits = limits;
        if (key == "at_most") {
          loose_limits.at_most = setting;
          tight_limits.at_most = std::nextafter(setting, 0);
        } else if (key == "beyond_steps") {
          loose.beyond_steps = setting;
          tight.beyond_steps = std::nextafter(setting, 0);
        } else {
          ASSERT_EQ(key, "quantile");
          loose.quantile = setting;
          tight.quantile = setting + 1e-9;
        }
        EXPECT_TRUE(check(loose, loose_limits).passed) << metric << " " << key << " " << setting;
        EXPECT_FALSE(check(tight, tight_limits).passed) << metric << " " << key << " " << setting;
      }
    }
  }
}

}  // namespace
}  // namespace assay::compare
