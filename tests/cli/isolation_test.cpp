// SPDX-License-Identifier: Apache-2.0
// What a variant may do to the machine is an outcome of that variant.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace assay::test {
namespace {

using testing::HasSubstr;

constexpr const char* kVictim = "good[quantizer.relu=keep,runtime.isa=scalar]";

class Isolation : public ProgramTest {};

TEST_F(Isolation, WantOfMemoryIsTheOutcomeOfItsVariant) {
  write_good_case();
  const Ran ran = shell("assay run cases --no-timing --memory-limit 2000", {{"ASSAY_TEST_EAT", kVictim}});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("3 pass, 1 crash"));
  EXPECT_THAT(ran.out, HasSubstr("out of memory"));
}

TEST_F(Isolation, NothingOutlivesAVariantThatHangs) {
  write_good_case();
  const Ran ran = shell(
      "assay run cases --no-timing --timeout 0.5; code=$?; "
      "grep -l isolation-test /proc/[0-9]*/environ 2>/dev/null | grep -v \"/$$/\" | while read file; do "
      "tr '\\0' '\\n' <$(dirname $file)/cmdline | grep -q '^run$' && echo left $file; done; exit $code",
      {{"ASSAY_TEST_HANG", kVictim}, {"ASSAY_TEST_STRAY", kVictim}, {"MARK", "isolation-test"}});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("3 pass, 1 timeout"));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("left ")));
}

// The journal's disk is full: the run goes on, its reports go where they can, and the exit code says so.
TEST_F(Isolation, FullDiskIsNoLossOfTheRun) {
  write_good_case();
  const Ran full = shell("ulimit -f 4; assay run cases --no-timing -o full");
  EXPECT_EQ(full.code, 4) << full.err;
  EXPECT_THAT(full.out, HasSubstr("4 variants of 1 case"));
  EXPECT_THAT(full.out, HasSubstr("4 pass"));
}

}  // namespace
}  // namespace assay::test
