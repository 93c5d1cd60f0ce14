// SPDX-License-Identifier: Apache-2.0
#include "harness/run/output_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "reports/files.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

class OutputFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::path(testing::TempDir()) /
               ("output_folder_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name())))
                  .string();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static reports::VariantResult result(const std::string& name, reports::Outcome outcome) {
    reports::VariantResult made;
    made.case_name = "c";
    made.name = name;
    made.outcome = outcome;
    return made;
  }
  std::string folder_;
};

TEST_F(OutputFolder, WritesEveryFileAndNoLeftovers) {
  ASSERT_TRUE(prepare_folder(folder_ + "/deep").ok());
  reports::RunRecord run;
  run.results = {result("c[a=1]", reports::Outcome::kPass)};
  ASSERT_TRUE(write_reports(folder_ + "/deep", run).ok());
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_ + "/deep")) {
    EXPECT_NE(entry.path().extension(), ".part");
    ++files;
  }
  EXPECT_EQ(files, reports::report_files().size());
  const Result<reports::RunRecord> read = read_run(folder_ + "/deep");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().results.size(), 1U);
}

TEST_F(OutputFolder, FolderThatCannotBeMadeIsAnError) {
  ASSERT_TRUE(prepare_folder(folder_).ok());
  ASSERT_TRUE(write_text_file(folder_ + "/file", "").ok());
  const Status status = prepare_folder(folder_ + "/file/inside");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find(folder_ + "/file/inside"), std::string::npos);
}

TEST_F(OutputFolder, JournalKeepsTheLastLineOfAName) {
  ASSERT_TRUE(prepare_folder(folder_).ok());
  Result<Journal> journal = Journal::open(folder_, false);
  ASSERT_TRUE(journal.ok());
  ASSERT_TRUE(journal.value().append(result("a", reports::Outcome::kPass)).ok());
  ASSERT_TRUE(journal.value().append(result("b", reports::Outcome::kPass)).ok());
  ASSERT_TRUE(journal.value().append(result("a", reports::Outcome::kFail)).ok());
  const auto read = read_journal(folder_);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.value().size(), 2U);
  EXPECT_EQ(read.value()[0].outcome, reports::Outcome::kFail);
  // A folder with a journal only (a killed run) can be reported.
  const Result<reports::RunRecord> run = read_run(folder_);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run.value().results.size(), 2U);
}

TEST_F(OutputFolder, ReopenedJournalDropsATornEndAndGoesOn) {
  ASSERT_TRUE(prepare_folder(folder_).ok());
  const std::string path = folder_ + "/" + reports::kJournalName;
  {
    Result<Journal> journal = Journal::open(folder_, false);
    ASSERT_TRUE(journal.value().append(result("a", reports::Outcome::kPass)).ok());
  }
  const std::string whole = read_text_file(path).value();
  ASSERT_TRUE(write_text_file(path, whole + whole.substr(0, 30)).ok());
  {
    Result<Journal> journal = Journal::open(folder_, true);
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE(journal.value().append(result("b", reports::Outcome::kPass)).ok());
  }
  EXPECT_EQ(read_journal(folder_).value().size(), 2U);
  ASSERT_TRUE(Journal::open(folder_, false).ok());
  EXPECT_TRUE(read_journal(folder_).value().empty());
}

TEST_F(OutputFolder, FullDiskIsAnErrorThatNamesTheFile) {
  const Status status = write_text_file("/dev/full", std::string(100000, 'x'));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("/dev/full"), std::string::npos);
}

TEST_F(OutputFolder, MissingOrBrokenRunIsAnError) {
  EXPECT_FALSE(read_run(folder_ + "/nowhere").ok());
  ASSERT_TRUE(prepare_folder(folder_).ok());
  EXPECT_FALSE(read_run(folder_).ok());
  ASSERT_TRUE(write_text_file(folder_ + "/results.json", "{").ok());
  EXPECT_FALSE(read_run(folder_).ok());
}

}  // namespace
}  // namespace assay::run
