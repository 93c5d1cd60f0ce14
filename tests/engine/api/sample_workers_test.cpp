// SPDX-License-Identifier: Apache-2.0
#include "engine/api/sample_workers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace assay::api {
namespace {

// Even samples take longer than odd ones, so that two workers finish out of order.
TEST(RunSamples, TakesSamplesInOrderHoweverLongEachRuns) {
  const CalibrationSource source = [](Index position, NamedTensors&) -> Result<bool> { return position < 10; };
  std::vector<Index> order;
  const SampleWork work{.run = [](int, Index sample, const NamedTensors&) -> Status {
                          std::this_thread::sleep_for(std::chrono::milliseconds(sample % 2 == 0 ? 20 : 0));
                          return {};
                        },
                        .in_order = [&](int, Index sample) { order.push_back(sample); }};
  EXPECT_EQ(run_samples(source, 3, work).value(), 10);
  EXPECT_EQ(order, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

}  // namespace
}  // namespace assay::api
