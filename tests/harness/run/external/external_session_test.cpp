// SPDX-License-Identifier: Apache-2.0
#include "harness/run/external/external_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/harness/run/external/fake_adapter.h"
#include "tests/harness/run/small_models.h"

namespace assay::run {
namespace {

using testing::HasSubstr;

// A registry with the one runtime "fake", for as long as it lives.
class FakeRegistry {
 public:
  explicit FakeRegistry(const std::string& mode) : folder_(test::test_folder("session_" + mode)) {
    const RuntimeEntry entry = test::fake_entry(folder_);
    const Json json = {
        {"runtimes", {{"fake", {{"command", {"/usr/bin/python3", "./fake.py", mode}}, {"isa", "any"}}}}}};
    EXPECT_TRUE(replace_file(folder_ + "/registry.json", json.dump()).ok());
    ::setenv("ASSAY_RUNTIMES", (folder_ + "/registry.json").c_str(), 1);
  }
  ~FakeRegistry() { ::unsetenv("ASSAY_RUNTIMES"); }

 private:
  std::string folder_;
};

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

TEST(ExternalSession, AnswerWithoutTimesIsAnError) {
  const FakeRegistry registry("untimed");
  RuntimeHost host;
  const auto session = open_external_session(relu_model(), "fake", {}, host);
  ASSERT_TRUE(session.ok());
  const Result<std::optional<RunTime>> time = session.value()->timed_run(kInputs);
  ASSERT_FALSE(time.ok());
  EXPECT_THAT(time.error().message, HasSubstr("must have \"times_ns\" with one time, found []"));
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
