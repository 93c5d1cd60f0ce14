// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/timing_engine.h"

#include <gtest/gtest.h>

namespace assay::measure {
namespace {

constexpr TimingOptions kQuick{.repetitions = 3, .min_time_s = 1e-4};

TEST(TimingEngine, GivesOneSamplePerRepetitionAndPrintsNothing) {
  int calls = 0;
  const std::vector<TimedCall> timed = {{"a[x=1,y=2]/odd name",
                                         [&] {
                                           ++calls;
                                           return Status();
                                         }},
                                        {"a[x=1,y=2]/odd name", [] { return Status(); }}};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const std::vector<TimedSamples> samples = time_calls(timed, kQuick);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(samples.size(), 2U);
  for (const TimedSamples& entry : samples) {
    EXPECT_EQ(entry.name, "a[x=1,y=2]/odd name");
    EXPECT_EQ(entry.error, "");
    EXPECT_EQ(entry.real_ns.size(), 3U);
    EXPECT_EQ(entry.cpu_ns.size(), 3U);
    EXPECT_GT(entry.iterations, 0);
  }
  EXPECT_GE(calls, 1 + 3 * static_cast<int>(samples[0].iterations));
}

TEST(TimingEngine, FailedCallHasAnErrorAndNoTimes) {
  int calls = 0;
  const std::vector<TimedCall> timed = {
      {"at once", [] { return Status(invalid_argument("no")); }},
      {"later", [&] { return ++calls < 3 ? Status() : Status(invalid_argument("third call")); }},
      {"never", [] { return Status(); }}};
  const std::vector<TimedSamples> samples = time_calls(timed, kQuick);
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0].error, "no");
  EXPECT_EQ(samples[1].error, "third call");
  EXPECT_TRUE(samples[1].real_ns.empty());
  EXPECT_EQ(samples[2].error, "");
  EXPECT_EQ(samples[2].real_ns.size(), 3U);
}

TEST(TimingEngine, CanRunTwiceInOneProcess) {
  const std::vector<TimedCall> timed = {{"a", [] { return Status(); }}};
  EXPECT_EQ(time_calls(timed, kQuick)[0].real_ns.size(), 3U);
  EXPECT_EQ(time_calls(timed, kQuick)[0].real_ns.size(), 3U);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(time_calls({}, kQuick).empty());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace assay::measure
