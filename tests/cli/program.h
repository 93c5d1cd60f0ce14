// SPDX-License-Identifier: Apache-2.0
// Runs the built program in a folder of its own and keeps what it printed.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay::test {

struct Ran {
  int code = -1;  // exit code; 128 + n where signal n ended it
  std::string out;
  std::string err;
};

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // `line` is a POSIX shell's, run in the test's folder; "assay" in it is the program. `environment` is added.
  Ran shell(const std::string& line, const std::map<std::string, std::string>& environment = {}) const;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  // A case "good" with a Conv and a Relu: relu x isa, four variants that pass.
  void write_good_case() const;
  // A case of one check, "y at most `limit` off", one variant per name of `isas`.
  void write_case(const std::string& name, const std::string& matrix, const std::string& expect,
                  const std::string& more = "") const;

 private:
  std::filesystem::path folder_;
};

std::vector<std::string> lines_of(const std::string& text);

}  // namespace assay::test
