// SPDX-License-Identifier: Apache-2.0
#include "engine/base/output_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace assay {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("output_file_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

// Writing more than a file may have fails, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(OutputFile, IsMadeAndReplacedAsAWhole) {
  ASSERT_TRUE(replace_file(path("f"), "long first text").ok());
  EXPECT_EQ(text_of(path("f")), "long first text");
  std::ifstream reader(path("f"));
  ASSERT_TRUE(replace_file(path("f"), "second").ok());
  EXPECT_EQ(text_of(path("f")), "second");
  std::ostringstream seen;
  seen << reader.rdbuf();
  EXPECT_EQ(seen.str(), "long first text") << "who reads the old file reads all of it";
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFile, FailureLeavesTheOldFileAndNothingElse) {
  ASSERT_TRUE(replace_file(path("f"), "old").ok());
  {
    const FileSizeLimit limit(1000);
    for (const char* name : {"f", "new"}) {
      const Status status = replace_file(path(name), std::string(5000, 'x'));
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.error().kind, ErrorKind::kIo);
      EXPECT_NE(status.error().message.find(path(name)), std::string::npos) << status.error().message;
    }
  }
  EXPECT_EQ(text_of(path("f")), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFile, KeepsPermissionsAndFollowsLinks) {
  ASSERT_TRUE(replace_file(path("f"), "old").ok());
  ASSERT_EQ(::chmod(path("f").c_str(), 0640), 0);
  fs::create_symlink("f", folder_ / "link");
  ASSERT_TRUE(replace_file(path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(path("f")), "new");
  EXPECT_EQ(fs::status(folder_ / "f").permissions(), static_cast<fs::perms>(0640));
}

TEST_F(OutputFile, NewFileHasTheMaskOfTheProcess) {
  const mode_t mask = ::umask(027);
  const Status status = replace_file(path("f"), "text");
  ::umask(mask);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(fs::status(folder_ / "f").permissions(), static_cast<fs::perms>(0640));
}

TEST_F(OutputFile, FoldersAndBadNamesAreErrors) {
  for (const auto& name : {folder_.string(), path("nowhere/f"), path("new/"), std::string("/dev/full/f")}) {
    const Status status = replace_file(name, "text");
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().kind, ErrorKind::kIo) << name;
    EXPECT_NE(status.error().message.find(name), std::string::npos) << status.error().message;
    EXPECT_FALSE(check_replaceable(name).ok()) << name;
  }
  EXPECT_EQ(replace_file("", "text").error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputFile, DevicesAndFifosAreWrittenAsTheyAre) {
  EXPECT_TRUE(replace_file("/dev/null", "text").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const Status full = replace_file("/dev/full", "text");
  ASSERT_FALSE(full.ok());
  EXPECT_NE(full.error().message.find("/dev/full"), std::string::npos);
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = text_of(path("fifo")); });
  const Status status = replace_file(path("fifo"), "through the pipe");
  reader.join();
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(folder_ / "fifo"));
}

TEST_F(OutputFile, SeveralAreWrittenAtOnceAndAppearWhenCommitted) {
  ASSERT_TRUE(replace_file(path("a"), "old").ok());
  {
    Result<FileReplacement> a = FileReplacement::begin(path("a"));
    Result<FileReplacement> b = FileReplacement::begin(path("b"));
    Result<FileReplacement> never = FileReplacement::begin(path("c"));
    ASSERT_TRUE(a.ok() && b.ok() && never.ok());
    for (int i = 0; i < 3; ++i) {
      a.value().write(std::to_string(i));
      b.value().write(std::string(50000, 'b'));
      never.value().write("c");
    }
    EXPECT_EQ(text_of(path("a")), "old");
    EXPECT_FALSE(fs::exists(path("b")));
    EXPECT_TRUE(a.value().commit().ok());
    EXPECT_EQ(text_of(path("a")), "012");
    EXPECT_TRUE(b.value().commit().ok());
    EXPECT_EQ(text_of(path("b")).size(), 150000U);
  }
  EXPECT_EQ(files(), 2U);
}

TEST_F(OutputFile, OneThatCannotBeWrittenIsRemovedAtOnceAndTheOthersStay) {
  Result<FileReplacement> large = FileReplacement::begin(path("large"));
  Result<FileReplacement> small = FileReplacement::begin(path("small"));
  ASSERT_TRUE(large.ok() && small.ok());
  {
    const FileSizeLimit limit(100000);
    large.value().write(std::string(200000, 'x'));
    EXPECT_EQ(files(), 1U);
    large.value().write("more");
    small.value().write("fits");
    const Status failed = large.value().commit();
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(failed.error().message.find("cannot write '" + path("large") + "'"), std::string::npos)
        << failed.error().message;
    EXPECT_TRUE(small.value().commit().ok());
  }
  EXPECT_EQ(text_of(path("small")), "fits");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFile, CheckChangesNothing) {
  ASSERT_TRUE(replace_file(path("f"), "old").ok());
  EXPECT_TRUE(check_replaceable(path("f")).ok());
  EXPECT_TRUE(check_replaceable(path("new")).ok());
  EXPECT_TRUE(check_replaceable("/dev/null").ok());
  EXPECT_EQ(text_of(path("f")), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFile, AbandonedPartsAreRemovedAndNothingElse) {
  const pid_t child = ::fork();
  if (child == 0) {
    Result<FileReplacement> begun = FileReplacement::begin(path("killed"));
    begun.value().write(std::string(100000, 'x'));
    Result<FileReplacement> empty = FileReplacement::begin(path("killed too"));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files(), 2U);
  const std::vector<std::string> others = {".assay-1.part",    ".assay-1-.part",   ".assay--1.part",  ".assay-a-1.part",
                                           ".assay-1-2.part.", "x.assay-1-2.part", ".assay-1-2x.part"};
  for (const std::string& name : others) {
    ASSERT_TRUE(replace_file(path(name), "own").ok());
  }
  fs::create_directory(path(".assay-1-7.part"));
  fs::create_symlink(path(others[0]), path(".assay-1-8.part"));
  Result<FileReplacement> own = FileReplacement::begin(path("own"));
  own.value().write(std::string(100000, 'y'));
  Result<FileReplacement> begun = FileReplacement::begin(path("begun"));
  EXPECT_EQ(files(), 2 + others.size() + 4);
  remove_abandoned_parts(folder_.string());
  EXPECT_EQ(files(), others.size() + 4);
  EXPECT_TRUE(own.value().commit().ok());
  EXPECT_TRUE(begun.value().commit().ok());
  EXPECT_EQ(text_of(path("own")).size(), 100000U);
  remove_abandoned_parts(path("none"));
}

}  // namespace
}  // namespace assay
