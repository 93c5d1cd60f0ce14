// SPDX-License-Identifier: Apache-2.0
#include "harness/run/maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/host.h"

namespace assay::run {
namespace {

using reports::Json;

TEST(Maker, HasTheProgramsBuildId) {
  EXPECT_THAT(build_id(), testing::MatchesRegex("[0-9a-f]{16,}"));
  EXPECT_EQ(build_id(), build_id());
  EXPECT_EQ(this_maker().at("build"), build_id());
  EXPECT_EQ(host_facts().at("build"), build_id());
}

TEST(Maker, ChangesNameBothValues) {
  const Json maker = {
      {"assay", "1.0"}, {"build", "aa"}, {"cpu", "X"}, {"features", {"sse41", "avx2"}}, {"best_isa", "avx2"}};
  EXPECT_EQ(changed_maker(maker, maker), "");
  EXPECT_EQ(changed_maker(this_maker(), this_maker()), "");
  Json other = maker;
  other["best_isa"] = "scalar";
  other["build"] = "bb";
  EXPECT_EQ(changed_maker(other, maker), "build was bb, now aa; best_isa was scalar, now avx2");
  other = maker;
  other["features"] = {"sse41"};
  EXPECT_THAT(changed_maker(maker, other), testing::StartsWith("features was "));
  EXPECT_THAT(changed_maker({}, maker), testing::StartsWith("assay was unknown, now 1.0; build was unknown, now aa"));
  EXPECT_EQ(program_text(maker), "assay 1.0, build aa");
  EXPECT_EQ(program_text(5), "assay unknown, build unknown");
}

TEST(Maker, AnotherVersionOfAnExternalRuntimeIsAChange) {
  const Json old = {{"assay", "1"}, {"runtimes", {{"fake", "fake 1.2"}, {"gone", "gone 1"}}}};
  const Json same = {{"assay", "1"}, {"runtimes", {{"fake", "fake 1.2"}}}};
  const Json other = {{"assay", "1"}, {"runtimes", {{"fake", "fake 1.3"}}}};
  EXPECT_EQ(changed_maker(old, same), "");
  EXPECT_EQ(changed_maker(old, other), "runtime fake was fake 1.2, now fake 1.3");
  EXPECT_EQ(changed_maker({{"assay", "1"}}, same), "runtime fake was unknown, now fake 1.2");
}

}  // namespace
}  // namespace assay::run
