// SPDX-License-Identifier: Apache-2.0
#include "harness/run/external/adapter_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "harness/run/external/protocol.h"
#include "tests/harness/run/external/fake_adapter.h"

namespace assay::run {
namespace {

using testing::HasSubstr;

TEST(AdapterProcess, AnswersOneRequestAfterTheOther) {
  const std::string folder = test::test_folder("answers");
  auto adapter = AdapterProcess::start(test::fake_entry(folder), folder);
  ASSERT_TRUE(adapter.ok()) << adapter.error().message;
  for (int i = 0; i < 3; ++i) {
    const Result<Json> answer = adapter.value()->ask(hello_request());
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer.value().at("version"), "1.2");
  }
}

TEST(AdapterProcess, RefusalIsAnAnswerAndTheAdapterLives) {
  const std::string folder = test::test_folder("refuses");
  auto adapter = AdapterProcess::start(test::fake_entry(folder, "refuse-load"), folder);
  ASSERT_TRUE(adapter.ok());
  const Result<Json> answer = adapter.value()->ask(load_request("m.onnx", {}));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(answer.error().message, "runtime 'fake': no load today");
  EXPECT_TRUE(adapter.value()->alive());
  EXPECT_TRUE(adapter.value()->ask(hello_request()).ok());
}

struct Death {
  std::string mode;
  std::string message;
};

TEST(AdapterProcess, DeathSaysHowAndWhatWasPrintedLast) {
  for (const Death& death :
       {Death{"die-hello",
              "runtime 'fake' ended instead of answering (killed by SIGSEGV); it said last: about to die for good"},
        Death{"leave-hello", "runtime 'fake' ended instead of answering (exited with status 7)"},
        Death{"babble-hello", "answered with 'hello there', which is not a JSON object with \"ok\""},
        Death{"twice-hello", "printed on stdout what is no answer to a request: '{\"ok\": true"},
        Death{"other-id-hello", "answered request 1 with the \"id\" 2"}}) {
    const std::string folder = test::test_folder(death.mode);
    auto adapter = AdapterProcess::start(test::fake_entry(folder, death.mode), folder);
    ASSERT_TRUE(adapter.ok()) << death.mode;
    const Result<Json> answer = adapter.value()->ask(hello_request());
    ASSERT_FALSE(answer.ok()) << death.mode;
    EXPECT_EQ(answer.error().kind, ErrorKind::kIo);
    EXPECT_THAT(answer.error().message, HasSubstr(death.message));
    EXPECT_FALSE(adapter.value()->alive());
  }
}

TEST(AdapterProcess, DeathIsSeenThoughAChildHoldsThePipes) {
  const std::string folder = test::test_folder("orphan");
  auto adapter = AdapterProcess::start(test::fake_entry(folder, "orphan-hello"), folder);
  ASSERT_TRUE(adapter.ok());
  const auto start = std::chrono::steady_clock::now();
  const Result<Json> answer = adapter.value()->ask(hello_request());
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, HasSubstr("ended instead of answering (killed by SIGSEGV)"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));  // the child lives for 60
}

TEST(AdapterProcess, ItsWordsAreShortened) {
  const std::string folder = test::test_folder("long");
  auto adapter = AdapterProcess::start(test::fake_entry(folder, "long-load"), folder);
  ASSERT_TRUE(adapter.ok());
  const Result<Json> answer = adapter.value()->ask(load_request("m.onnx", {}));
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, testing::StartsWith("runtime 'fake': long long"));
  EXPECT_THAT(answer.error().message, testing::EndsWith("..."));
  EXPECT_LT(answer.error().message.size(), 2100U);
}

// The error of the request after `count` that went well.
Error error_after(AdapterProcess& adapter, int count) {
  for (int i = 0; i < count; ++i) {
    const Result<Json> answer = adapter.ask(hello_request());
    EXPECT_TRUE(answer.ok()) << answer.error().message;
  }
  const Result<Json> answer = adapter.ask(hello_request());
  EXPECT_FALSE(answer.ok());
  return answer.ok() ? Error{} : answer.error();
}

TEST(AdapterProcess, SurplusAnswerIsNeverTakenForThatToTheNextRequest) {
  const std::string folder = test::test_folder("late");
  auto adapter = AdapterProcess::start(test::fake_entry(folder, "late-hello"), folder);
  ASSERT_TRUE(adapter.ok());
  // The second request is sent while the surplus answer to the first one is on its way.
  EXPECT_THAT(error_after(*adapter.value(), 1).message, HasSubstr("answered request 2 with the \"id\" 1"));
  EXPECT_FALSE(adapter.value()->alive());

  auto other = AdapterProcess::start(test::fake_entry(folder, "late-hello"), folder);
  ASSERT_TRUE(other.ok());
  ASSERT_TRUE(other.value()->ask(hello_request()).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_THAT(error_after(*other.value(), 0).message, HasSubstr("printed on stdout what is no answer to a request"));
  EXPECT_FALSE(other.value()->alive());
}

TEST(AdapterProcess, IdsMayBeLeftOutByAllAnswersOnly) {
  const std::string folder = test::test_folder("ids");
  auto without = AdapterProcess::start(test::fake_entry(folder, "no-id"), folder);
  ASSERT_TRUE(without.ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(without.value()->ask(hello_request()).ok());
  }
  auto some = AdapterProcess::start(test::fake_entry(folder, "lose-id-load"), folder);
  ASSERT_TRUE(some.ok());
  ASSERT_TRUE(some.value()->ask(hello_request()).ok());
  const Result<Json> answer = some.value()->ask(load_request("m.onnx", {}));
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, HasSubstr("answered request 2 with no \"id\", which its first answer had"));
}

TEST(AdapterProcess, ProgramThatCannotStartIsNamed) {
  const std::string folder = test::test_folder("nowhere");
  RuntimeEntry entry = test::fake_entry(folder);
  entry.command = {folder + "/no-such-program"};
  const auto adapter = AdapterProcess::start(entry, folder);
  ASSERT_FALSE(adapter.ok());
  EXPECT_THAT(adapter.error().message, HasSubstr("no-such-program' cannot be started: No such file or directory"));
}

}  // namespace
}  // namespace assay::run
