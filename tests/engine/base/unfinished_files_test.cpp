// SPDX-License-Identifier: Apache-2.0
#include "engine/base/unfinished_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(UnfinishedFiles, ThoseThatAreNotedAreRemoved) {
  const fs::path folder = fs::path(testing::TempDir()) / "assay_unfinished_files_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto file = [&](int i) {
    const fs::path path = folder / std::to_string(i);
    std::ofstream(path) << i;
    return path.string();
  };
  const auto left = [&] { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); };
  { const UnfinishedFile finished(file(0)); }
  remove_unfinished_files();
  EXPECT_EQ(left(), 1);

  UnfinishedFile moved;
  {
    UnfinishedFile first(file(1));
    moved = std::move(first);
  }
  const UnfinishedFile too_long(std::string(5000, 'x'));
  remove_unfinished_files();
  EXPECT_EQ(left(), 1);

  // More than there is room for: some stay, none of them harms.
  std::vector<UnfinishedFile> many;
  for (int i = 0; i < 70; ++i) {
    many.emplace_back(file(2 + i));
  }
  remove_unfinished_files();
  EXPECT_EQ(left(), 1 + 70 - 63);
  many.clear();
  const UnfinishedFile again(file(200));
  remove_unfinished_files();
  EXPECT_EQ(left(), 1 + 70 - 63);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace assay
