// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/range_collector.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;

ObservedValue observed(const RangeCollector& collector, const std::string& name) {
  for (std::size_t i = 0; i < collector.value_count(); ++i) {
    if (collector.name(i) == name) {
      return collector.observed(i, {});
    }
  }
  ADD_FAILURE() << name << " was not seen";
  return {};
}

TEST(RangeCollector, RemembersTheFirstNonFiniteElement) {
  const CalibrationOptions options;
  RangeCollector collector(options);
  SampleRecord record(options);
  for (const std::vector<float>& sample : {std::vector<float>{1, 2},
                                           {0, -std::numeric_limits<float>::infinity(), 5},
                                           {std::numeric_limits<float>::quiet_NaN()}}) {
    record.begin_sample();
    record.observe("x", floats({static_cast<Index>(sample.size())}, sample));
    collector.add_sample(record);
  }
  collector.end_first_pass({&record, 1});
  EXPECT_EQ(collector.samples(), 3);
  EXPECT_EQ(observed(collector, "x").fault, "sample 1: element 1 is -inf");
  EXPECT_EQ(observed(collector, "x").range.max, 5);
  EXPECT_EQ(observed(collector, "x").range.min, 0);
  EXPECT_EQ(observed(collector, "x").rank, 1);
}

TEST(RangeCollector, PassesOverOtherTypesAndTakesEmptyTensors) {
  for (const Calibration method : {Calibration::kMinMax, Calibration::kMovingAverage, Calibration::kPercentile,
                                   Calibration::kEntropy, Calibration::kMse, Calibration::kMeanSigma}) {
    const CalibrationOptions options{.method = method};
    RangeCollector collector(options);
    SampleRecord record(options);
    record.begin_sample();
    record.observe("i", Tensor::scalar<Index>(3));
    record.observe("e", floats({0}, {}));
    record.observe("z", floats({2}, {0, 0}));
    collector.add_sample(record);
    collector.end_first_pass({&record, 1});
    if (collector.needs_second_pass()) {
      CountRecord counts(collector);
      counts.observe(0, "i", Tensor::scalar<Index>(3));
      counts.observe(0, "e", floats({0}, {}));
      counts.observe(0, "z", floats({2}, {0, 0}));
      collector.add(counts);
    }
    EXPECT_EQ(collector.value_count(), 2U);
    for (const char* name : {"e", "z"}) {
      EXPECT_EQ(observed(collector, name).range.min, 0);
      EXPECT_EQ(observed(collector, name).range.max, 0);
    }
  }
}

TEST(RangeCollector, CountsNoSamplesAtFirst) { EXPECT_EQ(RangeCollector({}).samples(), 0); }

TEST(CheckCalibration, NamesTheAxisTheRuleAndTheValue) {
  EXPECT_TRUE(check_calibration({}).ok());
  EXPECT_EQ(check_calibration({.percentile = 100.5}).error().message,
            "quantizer.percentile must lie in [0, 100]; found 100.5");
  EXPECT_EQ(check_calibration({.moving_average_constant = -1}).error().message,
            "quantizer.moving_average_constant must lie in [0, 1]; found -1");
  EXPECT_EQ(check_calibration({.method = Calibration::kEntropy, .bins = 127}).error().message,
            "quantizer.bins must lie in [128, 16777216]; found 127");
  EXPECT_TRUE(check_calibration({.method = Calibration::kMse, .bins = 127}).ok());
  EXPECT_FALSE(check_calibration({.sigmas = -1}).ok());
  EXPECT_FALSE(check_calibration({.stride = -2}).ok());
  EXPECT_FALSE(check_calibration({.percentile = std::numeric_limits<double>::quiet_NaN()}).ok());
}

}  // namespace
}  // namespace assay::quantizer
