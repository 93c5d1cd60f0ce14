// SPDX-License-Identifier: Apache-2.0
#include "engine/base/input_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace assay {
namespace {

std::string temporary(const std::string& name) { return (std::filesystem::path(testing::TempDir()) / name).string(); }

TEST(InputFile, GivesAllBytes) {
  const std::string path = temporary("input_file_bytes");
  std::string bytes(100000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 7 % 251);
  }
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(read_file(path).value(), bytes);
  EXPECT_EQ(read_file(path, bytes.size()).value(), bytes);
  const auto refused = read_file(path, bytes.size() - 1);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(refused.error().message, path + ": has 100000 bytes; the most is 99999");
  std::filesystem::remove(path);
}

TEST(InputFile, GivesAnEmptyFileAndOneWhoseSizeIsNotKnown) {
  const std::string path = temporary("input_file_empty");
  std::ofstream(path, std::ios::binary).flush();
  EXPECT_EQ(read_file(path).value(), "");
  std::filesystem::remove(path);
  EXPECT_NE(read_file("/proc/self/status").value().find("Name:"), std::string::npos);
}

TEST(InputFile, RefusesWhatIsNoRegularFileWithoutReadingIt) {
  const auto message = [](const std::string& path) {
    const auto read = read_file(path);
    EXPECT_EQ(read.error().kind, ErrorKind::kIo);
    return read.error().message;
  };
  EXPECT_EQ(message("/nonexistent/x"), "/nonexistent/x: cannot be read: No such file or directory");
  EXPECT_EQ(message("/"), "/: cannot be read: this is a folder, not a file");
  EXPECT_EQ(message("/dev/zero"), "/dev/zero: cannot be read: this is not a regular file");
  const std::string fifo = temporary("input_file_fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(message(fifo), fifo + ": cannot be read: this is not a regular file");
  std::filesystem::remove(fifo);
}

}  // namespace
}  // namespace assay
