// SPDX-License-Identifier: Apache-2.0
#include "harness/run/journal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "engine/base/input_file.h"
#include "engine/base/output_file.h"
#include "harness/run/output_folder.h"
#include "reports/files.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

std::size_t lines(const Journal& journal) {
  std::size_t count = 0;
  EXPECT_TRUE(journal.for_each([&](const JournalEntry&, const Extent&) { ++count; }).ok());
  return count;
}

class JournalFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::path(testing::TempDir()) /
               ("journal_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name())))
                  .string();
    fs::remove_all(folder_);
    ASSERT_TRUE(prepare_folder(folder_).ok());
    path_ = folder_ + "/" + reports::kJournalName;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static reports::VariantResult result(const std::string& name, reports::Outcome outcome) {
    reports::VariantResult made;
    made.case_name = "c";
    made.name = name;
    made.outcome = outcome;
    return made;
  }
  // Whether another process could have the folder now.
  bool free_for_others() const {
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(check_not_running(folder_).ok() ? 0 : 1);
    }
    int status = -1;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  std::string folder_;
  std::string path_;
};

TEST_F(JournalFile, KeepsTheLastLineOfAName) {
  {
    Result<Journal> journal = Journal::open(folder_);
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE(journal.value().append(result("a", reports::Outcome::kPass)).ok());
    ASSERT_TRUE(journal.value().append(result("b", reports::Outcome::kPass)).ok());
    const Result<Extent> last = journal.value().append(result("a", reports::Outcome::kFail));
    ASSERT_TRUE(last.ok());
    EXPECT_EQ(lines(journal.value()), 3U);
    EXPECT_EQ(journal.value().read(last.value()).value().outcome, reports::Outcome::kFail);
  }
  const auto read = read_journal(folder_);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.value().results.size(), 2U);
  EXPECT_EQ(read.value().lost, 0U);
  EXPECT_EQ(read.value().results[0].outcome, reports::Outcome::kFail);
  // A folder with a journal only (a killed run) can be reported.
  const Result<reports::RunRecord> run = read_run(folder_);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run.value().results.size(), 2U);
}

TEST_F(JournalFile, SetsADamagedLineAsideOnce) {
  {
    Result<Journal> journal = Journal::open(folder_);
    ASSERT_TRUE(journal.value().append(result("a", reports::Outcome::kPass)).ok());
  }
  const std::string good = read_file(path_).value();
  ASSERT_TRUE(replace_file(path_, good + "{\"case\": garbage\n" + good).ok());
  for (int round = 0; round < 2; ++round) {
    Result<Journal> journal = Journal::open(folder_);
    ASSERT_TRUE(journal.ok());
    std::vector<Extent> damaged;
    const auto count = journal.value().for_each([](const JournalEntry&, const Extent&) {},
                                                [&](const Extent& extent) { damaged.push_back(extent); });
    EXPECT_EQ(count.value(), round == 0 ? 1U : 0U);
    EXPECT_EQ(damaged.size(), round == 0 ? 1U : 0U);
    ASSERT_TRUE(journal.value().set_aside(damaged).ok());
    // What is appended afterwards goes to the end, and nothing whole has been touched.
    ASSERT_TRUE(journal.value().append(result("b", reports::Outcome::kPass)).ok());
    EXPECT_EQ(lines(journal.value()), 3U + static_cast<std::size_t>(round));
    EXPECT_FALSE(free_for_others());
  }
  EXPECT_EQ(read_file(folder_ + "/" + kDamagedName).value(), "{\"case\": garbage\n");
  EXPECT_TRUE(read_file(path_).value().starts_with(good + std::string(16, ' ') + "\n" + good));
}

TEST_F(JournalFile, SaysWhatMadeEachResult) {
  for (const char* version : {"1", "2"}) {
    Result<Journal> journal = Journal::open(folder_);
    journal.value().set_maker({{"assay", version}});
    ASSERT_TRUE(journal.value().append(result(version, reports::Outcome::kPass)).ok());
  }
  const Result<Journal> journal = Journal::open(folder_);
  std::size_t count = 0;
  ASSERT_TRUE(journal.value()
                  .for_each([&](const JournalEntry& entry, const Extent&) {
                    EXPECT_EQ(entry.made_by.at("assay"), entry.result.name);
                    ++count;
                  })
                  .ok());
  EXPECT_EQ(count, 2U);
}

TEST_F(JournalFile, AnAlteredLineIsNoResult) {
  {
    Result<Journal> journal = Journal::open(folder_);
    ASSERT_TRUE(journal.value().append(result("a", reports::Outcome::kFail)).ok());
  }
  std::string text = read_file(path_).value();
  text.replace(text.find("\"fail\""), 6, "\"pass\"");
  ASSERT_TRUE(replace_file(path_, text).ok());
  EXPECT_TRUE(read_journal(folder_).value().results.empty());
  EXPECT_EQ(read_journal(folder_).value().lost, 1U);
  ASSERT_TRUE(replace_file(path_, text + "{\"cut off").ok());
  EXPECT_EQ(read_journal(folder_).value().lost, 2U);
  ASSERT_TRUE(replace_file(path_, text).ok());
  const Result<Journal> journal = Journal::open(folder_);
  EXPECT_EQ(lines(journal.value()), 0U);
}

TEST_F(JournalFile, RepairCutsATornEndWithoutWritingTheRestAgain) {
  {
    Result<Journal> journal = Journal::open(folder_);
    ASSERT_TRUE(journal.value().append(result("a", reports::Outcome::kPass)).ok());
  }
  const std::string whole = read_file(path_).value();
  ASSERT_TRUE(replace_file(path_, whole + whole.substr(0, 30)).ok());
  struct stat before {};
  ASSERT_EQ(::stat(path_.c_str(), &before), 0);
  {
    Result<Journal> journal = Journal::open(folder_);
    ASSERT_TRUE(journal.ok());
    EXPECT_EQ(read_file(path_).value().size(), whole.size() + 30) << "opening changes nothing";
  }
  {
    Result<Journal> journal = Journal::open(folder_);
    ASSERT_TRUE(journal.value().repair().ok());
    ASSERT_TRUE(journal.value().append(result("b", reports::Outcome::kPass)).ok());
    EXPECT_EQ(lines(journal.value()), 2U);
    ASSERT_TRUE(journal.value().clear().ok());
    EXPECT_EQ(lines(journal.value()), 0U);
  }
  struct stat after {};
  ASSERT_EQ(::stat(path_.c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino);
}

TEST_F(JournalFile, SecondProcessIsRefusedAndToldWhoHasTheFolder) {
  Result<Journal> mine = Journal::open(folder_);
  ASSERT_TRUE(mine.ok());
  const std::string holder = "process " + std::to_string(::getpid());
  const auto second_is_refused = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      const Result<Journal> other = Journal::open(folder_);
      const bool refused = !other.ok() && other.error().message.find(holder) != std::string::npos &&
                           other.error().message.find(folder_) != std::string::npos;
      ::_exit(refused ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  };
  EXPECT_TRUE(second_is_refused());
  EXPECT_TRUE(second_is_refused()) << "the first child's end must not release it";
  { const Journal gone = std::move(mine).value(); }
  EXPECT_FALSE(second_is_refused());
}

}  // namespace
}  // namespace assay::run
