// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/percentile.h"

#include <gtest/gtest.h>

#include "engine/quantizer/calibration/range_collector.h"
#include "tests/engine/quantizer/calibration/samples.h"
#include "tests/engine/quantizer/graph_builder.h"
#include "tests/support/random.h"

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

struct Data {
  std::vector<float> values;
  Scan extremes;
  std::vector<float> edges;
  Histogram histogram;  // the counts in the bins of the edges
};

Data make_data(test::Random& random, bool symmetric) {
  Data data;
  const int kind = static_cast<int>(random.integer(0, 5));
  data.values.resize(
      static_cast<std::size_t>(random.chance(0.5) ? random.integer(1, 5000) : 100 * random.integer(1, 60)));
  const float scale = random.uniform(0.01F, 100);
  for (float& value : data.values) {
    const float x = random.normal(kind == 4 ? 3 * scale : 0, scale);
    value = kind == 0   ? x
            : kind == 1 ? std::max(x, 0.0F)
            : kind == 2 ? std::clamp(x, 0.0F, 1.5F * scale)
            : kind == 3 ? std::round(x / scale)
            : kind == 4 ? x
                        : scale;
  }
  data.extremes = scan(data.values);
  HistogramLayout layout(symmetric ? HistogramKind::kMagnitude : HistogramKind::kSigned, random.integer(2, 3000));
  layout.add_collection(0, data.extremes);
  data.edges = layout.stages()[0].edges;
  data.histogram = {.edges = data.edges,
                    .counts = std::vector<std::uint64_t>(data.edges.size() - 1, 0),
                    .min = data.extremes.min,
                    .max = data.extremes.max};
  CountScratch scratch;
  count_values(data.values, layout.stages()[0], layout.kind(), scratch, data.histogram.counts);
  return data;
}

// The outermost elements give the range that counts give, bit for bit, or nothing: and nothing seldom, where the cut is
// not a whole number of elements.
TEST(Percentile, TailsSayWhatCountsSay) {
  test::Random random(77);
  int known = 0;
  int likely = 0;
  for (int round = 0; round < 600; ++round) {
    const bool symmetric = random.chance(0.5);
    const Data data = make_data(random, symmetric);
    const double percentile = random.chance(0.2)   ? 99.0
                              : random.chance(0.2) ? 100.0
                              : random.chance(0.3) ? 99.99
                                                   : static_cast<double>(random.uniform(50, 100));
    std::vector<Tail> tails = {Tail(symmetric ? TailSide::kMagnitude : TailSide::kLargest), Tail(TailSide::kSmallest)};
    std::vector<BlockExtremes> blocks;
    scan(data.values, &blocks);
    for (Tail& tail : tails) {
      tail.add(data.values, blocks,
               percentile_tail_capacity(percentile, symmetric, static_cast<Index>(data.values.size())));
      tail.sort();
    }
    const auto found = percentile_range({.largest = tails.data(),
                                         .smallest = symmetric ? nullptr : &tails[1],
                                         .count = data.values.size(),
                                         .min = data.extremes.min,
                                         .max = data.extremes.max},
                                        data.edges, percentile, symmetric);
    const ValueRange expected = percentile_range(data.histogram, percentile, symmetric);
    const double cut = static_cast<double>(data.values.size()) * (100 - percentile) / (symmetric ? 100 : 200);
    const bool is_likely = std::abs(cut - std::round(cut)) > 1e-6 && percentile > 80;
    likely += is_likely ? 1 : 0;
    ASSERT_TRUE(found || !is_likely) << "seed " << test::test_seed() << " round " << round << " cut " << cut;
    if (found) {
      known += 1;
      ASSERT_EQ(found->min, expected.min) << "seed " << test::test_seed() << " round " << round;
      ASSERT_EQ(found->max, expected.max) << "seed " << test::test_seed() << " round " << round;
    }
  }
  EXPECT_GT(likely, 100);
  EXPECT_GT(known, likely);
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
