// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/minmax_observer.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;

TEST(MinMaxObserver, WidensOverSamples) {
  MinMaxObserver observer;
  observer.begin_sample();
  observer.observe("x", floats({3}, {1, 2, 3}));
  observer.begin_sample();
  observer.observe("x", floats({2}, {2.5, 0.5}));
  EXPECT_EQ(observer.samples(), 2);
  EXPECT_EQ(observer.table().at("x").range.min, 0.5);
  EXPECT_EQ(observer.table().at("x").range.max, 3);
  EXPECT_EQ(observer.table().at("x").rank, 1);
}

TEST(MinMaxObserver, RemembersTheFirstNonFiniteElement) {
  MinMaxObserver observer;
  observer.begin_sample();
  observer.observe("x", floats({2}, {1, 2}));
  observer.begin_sample();
  observer.observe("x", floats({3}, {0, -std::numeric_limits<float>::infinity(), 5}));
  observer.begin_sample();
  observer.observe("x", floats({1}, {std::numeric_limits<float>::quiet_NaN()}));
  EXPECT_EQ(observer.table().at("x").fault, "sample 1: element 1 is -inf");
  EXPECT_EQ(observer.table().at("x").range.max, 5);
}

TEST(MinMaxObserver, PassesOverOtherTypesAndEmptyTensors) {
  MinMaxObserver observer;
  observer.begin_sample();
  observer.observe("i", Tensor::scalar<Index>(3));
  observer.observe("e", floats({0}, {}));
  EXPECT_FALSE(observer.table().contains("i"));
  EXPECT_EQ(observer.table().at("e").range.min, 0);
  EXPECT_EQ(observer.table().at("e").range.max, 0);
}

TEST(MinMaxObserver, CountsNoSamplesAtFirst) { EXPECT_EQ(MinMaxObserver().samples(), 0); }

}  // namespace
}  // namespace assay::quantizer
