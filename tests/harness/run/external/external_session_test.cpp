// SPDX-License-Identifier: Apache-2.0
#include "harness/run/external/external_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tests/harness/run/external/fake_adapter.h"
#include "tests/harness/run/small_models.h"

namespace assay::run {
namespace {

using test::FakeRegistry;
using testing::HasSubstr;

api::Model relu_model() { return api::Model::from_graph(test::relu_graph({{2, ""}})).value(); }

const api::NamedTensors kInputs = {{"x", Tensor::from<float>({2}, std::vector<float>{-3, 4})}};

TEST(ExternalSession, RunsTimesAndSaysWhatRan) {
  const FakeRegistry registry("plain");
  RuntimeHost host;
  const auto session = open_external_session(relu_model(), "fake", {}, host);
  ASSERT_TRUE(session.ok()) << session.error().message;
  for (int i = 0; i < 2; ++i) {
    const Result<api::RunResult> result = session.value()->run(kInputs);
    ASSERT_TRUE(result.ok()) << result.error().message;
    const Tensor& y = result.value().outputs.at("y");
    EXPECT_THAT(y.data<float>(), testing::ElementsAre(0, 8));
  }
  const Result<std::optional<RunTime>> time = session.value()->timed_run(kInputs);
  ASSERT_TRUE(time.ok()) << time.error().message;
  EXPECT_DOUBLE_EQ(time.value()->real_s, 0.005);
  EXPECT_DOUBLE_EQ(time.value()->cpu_s, 0.004);
  ASSERT_EQ(session.value()->kernels().size(), 1U);
  EXPECT_EQ(session.value()->kernels()[0].kernel, "fake 1.2");
  EXPECT_EQ(session.value()->kernels()[0].isa, "any");
  EXPECT_TRUE(session.value()->kernels()[0].native);
  EXPECT_EQ(session.value()->own(), nullptr);
}

TEST(ExternalSession, LooksInsideNoRuntime) {
  const FakeRegistry registry("plain");
  RuntimeHost host;
  const auto session = open_external_session(relu_model(), "fake", {}, host);
  ASSERT_TRUE(session.ok());
  api::RunOptions options;
  options.witness_saturation = true;
  const Result<api::RunResult> result = session.value()->run(kInputs, options);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("outputs only"));
}

TEST(ExternalSession, CrashIsNotedOnceAndTheNextVariantGetsANewAdapter) {
  const FakeRegistry registry("die-run");
  RuntimeHost host;
  for (int i = 0; i < 2; ++i) {
    const auto session = open_external_session(relu_model(), "fake", {}, host);
    ASSERT_TRUE(session.ok()) << session.error().message;
    EXPECT_FALSE(session.value()->run(kInputs).ok());
    const std::optional<std::string> crash = host.take_crash();
    ASSERT_TRUE(crash.has_value());
    EXPECT_THAT(*crash, HasSubstr("killed by SIGSEGV"));
    EXPECT_FALSE(host.take_crash().has_value());
  }
}

TEST(ExternalSession, RefusalIsNoCrash) {
  const FakeRegistry registry("refuse-load");
  RuntimeHost host;
  const auto session = open_external_session(relu_model(), "fake", {}, host);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().message, "runtime 'fake': no load today");
  EXPECT_FALSE(host.take_crash().has_value());
}

TEST(ExternalSession, OutputThatIsNotWrittenIsAnError) {
  const FakeRegistry registry("forget");
  RuntimeHost host;
  const auto session = open_external_session(relu_model(), "fake", {}, host);
  ASSERT_TRUE(session.ok());
  const Result<api::RunResult> result = session.value()->run(kInputs);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("runtime 'fake' left no output 'y'"));
}

TEST(ExternalSession, OutputThatCannotBeReadIsNotCalledMissing) {
  const FakeRegistry registry("garbage");
  RuntimeHost host;
  const auto session = open_external_session(relu_model(), "fake", {}, host);
  ASSERT_TRUE(session.ok());
  const Result<api::RunResult> result = session.value()->run(kInputs);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("runtime 'fake' wrote an output 'y' that cannot be read: "));
}

TEST(ExternalSession, OutputOfAnEarlierRunIsNoAnswer) {
  const FakeRegistry registry("once");  // writes, says that it failed, and writes no more
  RuntimeHost host;
  for (const char* message : {"too late", "left no output 'y'"}) {
    const auto session = open_external_session(relu_model(), "fake", {}, host);
    ASSERT_TRUE(session.ok());
    const Result<api::RunResult> result = session.value()->run(kInputs);
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message, HasSubstr(message));
  }
}

TEST(ExternalSession, WhateverStandsAtAnOutputsPlaceIsRemoved) {
  const FakeRegistry registry("plain");
  RuntimeHost host;
  const auto session = open_external_session(relu_model(), "fake", {}, host);
  ASSERT_TRUE(session.ok());
  std::filesystem::create_directories(host.running("fake")->folder() + "/output_0.npy/inside");
  const Result<api::RunResult> result = session.value()->run(kInputs);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(std::filesystem::exists(host.running("fake")->folder() + "/output_0.npy"));
}

struct BadTimes {
  std::string mode;
  std::string message;
};

TEST(ExternalSession, TimesOutsideTheRequestAreErrors) {
  for (const BadTimes& bad : {
           BadTimes{"times=[]", "must have \"times_ns\" with one time from 0 ns to the "},
           BadTimes{"times=[1,1]", "that the request took, found [1,1]"},
           BadTimes{"times=[null]", "found [null]"},
           BadTimes{"times=[-1]", "found [-1]"},
           BadTimes{"times=[NaN]", "is not a JSON object"},
           BadTimes{"times=[1e300]", "found [1e+300]"},
           BadTimes{"times=[3600000000000]", "found [3600000000000]"},
           BadTimes{"times=7", "found 7"},
           BadTimes{"times=[0]", "runtime 'fake' measured 0 ns: its clock is too coarse"},
           BadTimes{"cpu=[-1]", "must have \"cpu_times_ns\" with one time"},
           BadTimes{"cpu=[1e300]", "found [1e+300]"},
       }) {
    const FakeRegistry registry(bad.mode);
    RuntimeHost host;
    const auto session = open_external_session(relu_model(), "fake", {}, host);
    ASSERT_TRUE(session.ok()) << session.error().message;
    const Result<std::optional<RunTime>> time = session.value()->timed_run(kInputs);
    ASSERT_FALSE(time.ok()) << bad.mode;
    EXPECT_THAT(time.error().message, HasSubstr(bad.message)) << bad.mode;
  }
}

TEST(ExternalSession, AdapterThatDoesNotLiveThroughHelloIsACrash) {
  for (const BadTimes& bad : {
           BadTimes{"die-hello", "killed by SIGSEGV"},
           BadTimes{"leave-hello", "exited with status 7"},
           BadTimes{"babble-hello", "which is not a JSON object"},
           BadTimes{"refuse-hello", "refused hello: runtime 'fake': no hello today"},
           BadTimes{"protocol=9", "answered hello with protocol 9; this assay speaks 1"},
           BadTimes{"protocol=\"1\"", "answered hello with protocol \"1\"; this assay speaks 1"},
           BadTimes{"protocol=null", "answered hello with protocol null; this assay speaks 1"},
           BadTimes{"no-handle", "answered load without the text \"handle\""},
       }) {
    const FakeRegistry registry(bad.mode);
    RuntimeHost host;
    const auto session = open_external_session(relu_model(), "fake", {}, host);
    ASSERT_FALSE(session.ok()) << bad.mode;
    EXPECT_THAT(session.error().message, HasSubstr(bad.message));
    EXPECT_THAT(host.take_crash().value_or("none"), HasSubstr(bad.message));
    EXPECT_EQ(host.running("fake"), nullptr);
  }
}

TEST(ExternalSession, ProgramThatCannotBeStartedIsACrash) {
  const FakeRegistry registry("plain");
  const std::string folder = test::test_folder("broken_program");
  ASSERT_TRUE(replace_file(folder + "/adapter", "#!/no/such/interpreter\n").ok());
  std::filesystem::permissions(folder + "/adapter", std::filesystem::perms::all);
  const Json json = {{"runtimes", {{"fake", {{"command", {"./adapter"}}}}}}};
  ASSERT_TRUE(replace_file(folder + "/registry.json", json.dump()).ok());
  ::setenv("ASSAY_RUNTIMES", (folder + "/registry.json").c_str(), 1);
  RuntimeHost host;
  EXPECT_FALSE(open_external_session(relu_model(), "fake", {}, host).ok());
  EXPECT_THAT(host.take_crash().value_or("none"), HasSubstr("cannot be started"));
}

TEST(ExternalSession, SurplusAnswerToTheLastRequestIsACrash) {
  for (const char* mode : {"twice-run", "twice-unload", "late-run"}) {
    const FakeRegistry registry(mode);
    RuntimeHost host;
    {
      const auto session = open_external_session(relu_model(), "fake", {}, host);
      ASSERT_TRUE(session.ok());
      (void)session.value()->run(kInputs);
    }
    EXPECT_TRUE(host.take_crash().has_value()) << mode;
    EXPECT_EQ(host.running("fake"), nullptr) << mode;
  }
}

TEST(ExternalSession, LateSurplusIsNoFaultOfTheNextVariant) {
  for (const char* mode : {"late-unload", "leave-after-unload"}) {
    const FakeRegistry registry(mode);
    RuntimeHost host;
    std::string folder;
    for (int i = 0; i < 2; ++i) {
      {
        const auto session = open_external_session(relu_model(), "fake", {}, host);
        ASSERT_TRUE(session.ok()) << session.error().message;
        const Result<api::RunResult> result = session.value()->run(kInputs);
        ASSERT_TRUE(result.ok()) << result.error().message;
        EXPECT_NE(host.running("fake")->folder(), folder) << "the same adapter";
        folder = host.running("fake")->folder();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
    }
    EXPECT_FALSE(host.take_crash().has_value());
  }
}

TEST(ExternalSession, NewAdapterLoadsTheModelsOfTheOldOneAgain) {
  const FakeRegistry registry("die-once");
  RuntimeHost host;
  const auto first = open_external_session(relu_model(), "fake", {}, host);
  const auto second = open_external_session(relu_model(), "fake", {.optimization = "none"}, host);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_FALSE(first.value()->run(kInputs).ok());
  EXPECT_TRUE(host.take_crash().has_value());
  for (const auto* session : {&second, &first}) {
    const Result<api::RunResult> result = session->value()->run(kInputs);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_THAT(result.value().outputs.at("y").data<float>(), testing::ElementsAre(0, 8));
  }
}

TEST(ExternalSession, FolderThatTheAdapterRemovedIsMadeAgain) {
  const FakeRegistry registry("remove-folder");
  RuntimeHost host;
  for (int i = 0; i < 2; ++i) {
    const auto session = open_external_session(relu_model(), "fake", {}, host);
    ASSERT_TRUE(session.ok()) << session.error().message;
    const Result<api::RunResult> result = session.value()->run(kInputs);
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message, HasSubstr("left no output 'y'"));
  }
}

TEST(ExternalSession, TemporaryFolderGoesWithTheHost) {
  const FakeRegistry registry("plain");
  std::string folder;
  {
    RuntimeHost host;
    folder = host.adapter("fake").value()->folder();
    EXPECT_TRUE(std::filesystem::exists(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(folder).parent_path()));
}

}  // namespace
}  // namespace assay::run
