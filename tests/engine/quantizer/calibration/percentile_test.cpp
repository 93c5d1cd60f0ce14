// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/percentile.h"

#include <gtest/gtest.h>

#include "engine/quantizer/calibration/range_collector.h"
#include "tests/engine/quantizer/calibration/samples.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

ValueRange calibrated(const CalibrationOptions& options) {
  RangeCollector collector(options);
  SampleRecord record(options);
  const auto tensor = [](std::uint64_t sample) { return test::floats({4000}, test::hashed_sample(sample)); };
  for (std::uint64_t sample = 0; sample < 4; ++sample) {
    record.begin_sample();
    record.observe("x", tensor(sample));
    collector.add_sample(record);
  }
  collector.end_first_pass({&record, 1});
  CountRecord counts(collector);
  for (std::uint64_t sample = 0; sample < 4; ++sample) {
    counts.observe(static_cast<Index>(sample), "x", tensor(sample));
  }
  collector.add(counts);
  return collector.observed(0, {}).range;
}

struct Golden {
  bool symmetric;
  Index stride;
  double percentile;
  Index bins;
  float min;
  float max;
};

// HistogramCollector of ONNX Runtime 1.32 (numpy 2.4) on the same samples, collected 4, 1 or 2 at a time.
constexpr Golden kGolden[] = {{false, 4, 99.9, 2048, -2.312588930130005F, 2.28918194770813F},
                              {false, 4, 99.99, 512, -2.39685320854187F, 2.3781278133392334F},
                              {false, 4, 90, 100, -1.246363639831543F, 1.1984267234802246F},
                              {false, 1, 99.9, 2048, -2.3117804527282715F, 2.2916111946105957F},
                              {false, 1, 99.99, 512, -2.39685320854187F, 2.381892442703247F},
                              {false, 1, 90, 100, -1.2195290327072144F, 1.1998591423034668F},
                              {false, 2, 99.9, 2048, -2.3123602867126465F, 2.2919228076934814F},
                              {false, 2, 99.99, 512, -2.39685320854187F, 2.382431745529175F},
                              {false, 2, 90, 100, -1.2257845401763916F, 1.1958873271942139F},
                              {true, 4, 99.9, 2048, -2.3102481365203857F, 2.3102481365203857F},
                              {true, 4, 99.99, 512, -2.392171859741211F, 2.3827195167541504F},
                              {true, 4, 90, 100, -1.198426604270935F, 1.198426604270935F},
                              {true, 1, 99.9, 2048, -2.3102781772613525F, 2.3102781772613525F},
                              {true, 1, 99.99, 512, -2.395364999771118F, 2.3827195167541504F},
                              {true, 1, 90, 100, -1.209693431854248F, 1.209693431854248F},
                              {true, 2, 99.9, 2048, -2.310178279876709F, 2.310178279876709F},
                              {true, 2, 99.99, 512, -2.3941187858581543F, 2.3827195167541504F},
                              {true, 2, 90, 100, -1.1958874464035034F, 1.1958874464035034F}};

TEST(Percentile, EqualsThePeer) {
  for (const Golden& golden : kGolden) {
    const ValueRange range = calibrated({.method = Calibration::kPercentile,
                                         .symmetric = golden.symmetric,
                                         .percentile = golden.percentile,
                                         .bins = golden.bins,
                                         .stride = golden.stride});
    const auto what = testing::Message() << "symmetric " << golden.symmetric << " stride " << golden.stride
                                         << " percentile " << golden.percentile;
    EXPECT_EQ(static_cast<float>(range.min), golden.min) << what;
    EXPECT_EQ(static_cast<float>(range.max), golden.max) << what;
  }
}

TEST(Percentile, TakesTheLowerEdgeOfTheBin) {
  const Histogram histogram{.edges = {-2, -1, 0, 1, 2}, .counts = {1, 4, 4, 1}, .min = -1.5F, .max = 1.5F};
  EXPECT_EQ(percentile_range(histogram, 80, false).min, -1.5);  // the edge is -2, cut to what was observed
  EXPECT_EQ(percentile_range(histogram, 80, false).max, 0);
  EXPECT_EQ(percentile_range(histogram, 81, false).max, 1);
  EXPECT_EQ(percentile_range(histogram, 100, false).max, 1);
  EXPECT_EQ(percentile_range(histogram, 79, false).min, -1);
}

TEST(Percentile, SymmetricRangesAreCutToo) {
  const Histogram histogram{.edges = {0, 1, 2, 3}, .counts = {5, 3, 2}, .min = 0.5F, .max = 2.5F};
  const ValueRange range = percentile_range(histogram, 90, true);
  EXPECT_EQ(range.min, 0.5);
  EXPECT_EQ(range.max, 2);
}

TEST(Percentile, AConstantKeepsItself) {
  const Histogram histogram{.edges = {-3, -1, 1, 3}, .counts = {0, 0, 7}, .min = 2.5F, .max = 2.5F};
  EXPECT_EQ(percentile_range(histogram, 99, false).min, 2.5);
  EXPECT_EQ(percentile_range(histogram, 99, false).max, 2.5);
}

// The range keeps the share that was asked for, up to a bin on each side.
TEST(Percentile, KeepsItsShare) {
  std::vector<float> all;
  for (std::uint64_t sample = 0; sample < 4; ++sample) {
    const std::vector<float> part = test::hashed_sample(sample);
    all.insert(all.end(), part.begin(), part.end());
  }
  for (const double percentile : {50.0, 90.0, 99.0, 99.9}) {
    const ValueRange range = calibrated({.method = Calibration::kPercentile, .percentile = percentile});
    const double bin = 2 * 2.39685320854187 / 2048;
    const auto inside = std::count_if(all.begin(), all.end(), [&](float value) {
      return static_cast<double>(value) >= range.min && static_cast<double>(value) <= range.max + bin;
    });
    EXPECT_GE(static_cast<double>(inside), percentile / 100 * static_cast<double>(all.size()) - 1);
    const auto narrower = std::count_if(all.begin(), all.end(), [&](float value) {
      return static_cast<double>(value) >= range.min + bin && static_cast<double>(value) < range.max;
    });
    EXPECT_LE(static_cast<double>(narrower), percentile / 100 * static_cast<double>(all.size()) + 1);
  }
}

}  // namespace
}  // namespace assay::quantizer
