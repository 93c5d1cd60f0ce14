// SPDX-License-Identifier: Apache-2.0
#include "harness/run/rerun.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

namespace assay::run {
namespace {

std::string through_shell(const std::string& word) {
  const std::string command = "printf %s " + shell_quoted(word);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::array<char, 256> buffer{};
  const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
  return {buffer.data(), got};
}

TEST(Rerun, QuotedWordsSurviveTheShell) {
  for (const char* word :
       {"plain/path.json", "", "a b", "it's", "case[axis=a,b=\"c\"]", "$HOME `x` \\ ! *", "-x", "~"}) {
    EXPECT_EQ(through_shell(word), word);
  }
}

TEST(Rerun, SafeWordsStayBare) { EXPECT_EQ(shell_quoted("cases/a-b_c.json"), "cases/a-b_c.json"); }

TEST(Rerun, LineHasSettingsAndTheExactName) {
  EXPECT_EQ(rerun_line({.settings = {"runtime.isa=avx2"}}, "cases/a.json", "a[runtime.isa=avx2]"),
            "assay run cases/a.json --set runtime.isa=avx2 --filter 'a[runtime.isa=avx2]'");
  EXPECT_EQ(rerun_line({}, "-odd.json", "a"), "assay run ./-odd.json --filter a");
}

TEST(Rerun, LineCallsTheProgramAsTheUserDidWithItsTimeout) {
  EXPECT_EQ(rerun_line({.program = "my tree/scripts/assay", .settings = {}, .timeout_s = 0.5}, "a.json", "a"),
            "'my tree/scripts/assay' run a.json --timeout 0.5 --filter a");
  EXPECT_EQ(rerun_line({.settings = {}, .timeout_s = {}, .memory_limit_mib = 60}, "a.json", "a"),
            "assay run a.json --memory-limit 60 --filter a");
}

}  // namespace
}  // namespace assay::run
