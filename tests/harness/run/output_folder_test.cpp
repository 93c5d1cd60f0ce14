// SPDX-License-Identifier: Apache-2.0
#include "harness/run/output_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/input_file.h"
#include "engine/base/output_file.h"
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
  ASSERT_TRUE(replace_file(folder_ + "/file", "").ok());
  const Status status = prepare_folder(folder_ + "/file/inside");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find(folder_ + "/file/inside"), std::string::npos);
}

TEST_F(OutputFolder, FileThatCannotBeWrittenIsWhatAllOthersSay) {
  ASSERT_TRUE(prepare_folder(folder_).ok());
  ASSERT_TRUE(fs::create_directories(folder_ + "/junit.xml"));  // in the way of a file
  reports::RunRecord run;
  run.results = {result("c[a=1]", reports::Outcome::kPass)};
  const Status status = write_reports(folder_, run);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("junit.xml"), std::string::npos);
  EXPECT_EQ(run.harness_error, status.error().message);
  EXPECT_EQ(reports::Json::parse(read_file(folder_ + "/verdict.json").value()).at("exit_code"), 4);
  EXPECT_EQ(reports::Json::parse(read_file(folder_ + "/results.json").value()).at("harness_error"),
            status.error().message);
}

TEST_F(OutputFolder, MissingOrBrokenRunIsAnError) {
  EXPECT_FALSE(read_run(folder_ + "/nowhere").ok());
  ASSERT_TRUE(prepare_folder(folder_).ok());
  EXPECT_FALSE(read_run(folder_).ok());
  ASSERT_TRUE(replace_file(folder_ + "/results.json", "{").ok());
  const Result<reports::RunRecord> broken = read_run(folder_);
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().message.find("json.exception"), std::string::npos) << broken.error().message;
}

}  // namespace
}  // namespace assay::run
