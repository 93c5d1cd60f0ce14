// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/signals.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "engine/base/output_file.h"
#include "harness/run/interrupt.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// A process of its own, which a signal ends while it writes a file.
[[noreturn]] void end_by(int signal, const std::string& path, bool after_a_run) {
  end_cleanly_on_signals();
  if (after_a_run) {
    const run::InterruptGuard guard;
  }
  const Status status = replace_file(path, [signal](const ByteSink& sink) {
    sink(std::string(1 << 20, 'x'));
    ::raise(signal);
  });
  ::_exit(status.ok() ? 0 : 1);
}

TEST(Signals, EndAVerbWithItsOwnCodeAndNoFileHalfWritten) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const fs::path folder = fs::path(testing::TempDir()) / "assay_signals_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string path = folder / "file";
  ASSERT_TRUE(replace_file(path, "before").ok());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (const bool after_a_run : {false, true}) {
      EXPECT_EXIT(end_by(signal, path, after_a_run), testing::ExitedWithCode(130), "assay: interrupted: files");
    }
  }
  EXPECT_EQ(fs::file_size(path), 6U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1) << "a part was left";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace assay::cli
