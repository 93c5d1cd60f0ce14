// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/timing_engine.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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

TimedCall sleeping(int& calls, int milliseconds, double own_s = 0) {
  TimedCall timed{"slow", [&calls, milliseconds] {
                    ++calls;
                    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
                    return Status();
                  }};
  if (own_s > 0) {
    timed.timed_elsewhere = [call = timed.call, own_s]() -> Result<OwnTime> {
      ASSAY_TRY(call());
      return OwnTime{own_s, own_s};
    };
  }
  return timed;
}

TEST(TimingEngine, SlowCallsAreRepeatedLessOften) {
  int calls = 0;
  const TimingOptions options{.repetitions = 9, .min_time_s = 1e-3, .limit_s = 0.15};
  const TimedSamples samples = time_calls({sleeping(calls, 20)}, options)[0];
  EXPECT_EQ(samples.error, "");
  EXPECT_GE(samples.real_ns.size(), 3U);
  EXPECT_LE(samples.real_ns.size(), 7U);
  EXPECT_EQ(samples.iterations, 1);
}

// As an adapter whose requests take far longer than what it times.
TEST(TimingEngine, RequestsThatTakeLongerThanWhatTheyTimeAreDoneLessOften) {
  int calls = 0;
  const TimingOptions options{.repetitions = 9, .min_time_s = 1e-2, .limit_s = 0.4};
  const TimedSamples samples = time_calls({sleeping(calls, 10, 1e-6)}, options)[0];  // else 10,000 a repetition
  EXPECT_EQ(samples.error, "");
  EXPECT_EQ(samples.real_ns.size(), 9U);
  EXPECT_LE(calls, 42);
  EXPECT_NEAR(samples.real_ns[0], 1e3, 1);
}

TEST(TimingEngine, WhatTakesTooLongIsNotTimed) {
  int calls = 0;
  const TimingOptions options{.repetitions = 9, .min_time_s = 1e-3, .limit_s = 0.1};
  const std::vector<TimedSamples> samples =
      time_calls({sleeping(calls, 60), {"quick", [] { return Status(); }}}, options);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(samples[0].real_ns.empty());
  EXPECT_EQ(samples[0].error.substr(0, 20), "not timed: one call ");
  EXPECT_EQ(samples[1].error, "");
  EXPECT_EQ(samples[1].real_ns.size(), 9U);
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
