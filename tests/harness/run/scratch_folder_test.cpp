// SPDX-License-Identifier: Apache-2.0
#include "harness/run/scratch_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace assay::run {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolder, TouchesNothingThatItHasNotMade) {
  const fs::path folder = fs::path(testing::TempDir()) / "scratch_folder";
  fs::remove_all(folder);
  fs::create_directories(folder / "scratch" / "thesis");
  fs::create_directories(folder / ".assay-scratch-killed");
  std::ofstream(folder / ".assay-scratch-killed" / "left") << "x";
  std::string path;
  {
    const ScratchFolder scratch(folder.string());
    path = scratch.path();
    EXPECT_TRUE(fs::is_directory(path));
    EXPECT_EQ(fs::path(path).parent_path(), folder);
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    EXPECT_FALSE(fs::exists(folder / ".assay-scratch-killed"));
    std::ofstream(fs::path(path) / "file") << "x";
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(folder / "scratch" / "thesis"));
  fs::remove_all(folder);
}

TEST(ScratchFolder, HasAFolderOfItsOwnWithoutAnOutputFolder) {
  const ScratchFolder one("");
  const ScratchFolder other("");
  EXPECT_NE(one.path(), other.path());
  EXPECT_TRUE(fs::is_directory(one.path()));
  EXPECT_TRUE(fs::is_directory(other.path()));
}

}  // namespace
}  // namespace assay::run
