// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/peak_meter.h"

#include <gtest/gtest.h>

namespace assay::bench {
namespace {

TEST(PeakMeter, MedianIsTheMiddle) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1}), 5);
  EXPECT_EQ(median({100, 1, 3}), 3);
  EXPECT_EQ(median({8, 100, 2, 4}), 6);
}

TEST(PeakMeter, ShareIsTheStretchOverTheBurstsBesideIt) {
  const kernels::PeakKernel* kernel = kernels::find_peak(Isa::kScalar, Arithmetic::kExact);
  if (kernel == nullptr) {
    return;  // this architecture's mix has no row
  }
  PeakMeter meter(*kernel);
  EXPECT_GT(meter.peak(), 0);
  EXPECT_EQ(meter.share(), 0);  // no stretch yet
  const double rate = meter.peak() * 3;
  meter.stretch(rate);
  EXPECT_DOUBLE_EQ(meter.share(), rate / meter.peak());  // of two bursts the median is the mean
}

}  // namespace
}  // namespace assay::bench
