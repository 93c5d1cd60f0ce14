// SPDX-License-Identifier: Apache-2.0
#include "harness/run/needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/output_file.h"
#include "harness/run/variant.h"
#include "tests/harness/run/small_case.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string missing(const std::string& needs, const HostQuery& host, const spec::Configuration& configuration = {}) {
  const spec::Case test_case = test::parse(test::conv_relu_case(R"("needs": )" + needs));
  RuntimeHost runtimes;
  return missing_need(test_case, configuration, runtimes, host).value_or("");
}

TEST(Needs, AreHeldAgainstTheHost) {
  const HostQuery host{.features = {"sse41", "avx2"}, .cores = 2, .memory_mb = 4096, .package_folder = "/no/such"};
  EXPECT_EQ(missing(R"({"features": ["avx2"], "cores": 2, "memory_mb": 4096})", host), "");
  EXPECT_EQ(missing(R"({"features": ["avx2", "avx_vnni"]})", host),
            "needs CPU feature 'avx_vnni', this host has sse41, avx2");
  EXPECT_EQ(missing(R"({"features": ["avx2"]})", {}), "needs CPU feature 'avx2', this host has none");
  EXPECT_EQ(missing(R"({"cores": 3})", host), "needs 3 cores, 2 may be used here");
  EXPECT_EQ(missing(R"({"memory_mb": 4097})", host), "needs 4097 MiB of memory, this host has 4096");
  EXPECT_EQ(missing(R"({"packages": ["nodejs"]})", host), "needs Debian package 'nodejs', which is not installed");
  EXPECT_EQ(missing(R"({"programs": ["sh"]})", host), "");
  EXPECT_EQ(missing(R"({"programs": ["no-such-program"]})", host),
            "needs program 'no-such-program', which is not on the PATH");
  EXPECT_EQ(missing(R"({"files": ["/no/such/file"]})", host), "needs '/no/such/file', which is not there");
  EXPECT_THAT(missing(R"({"runtimes": ["nobody"]})", host), HasSubstr("needs runtime 'nobody': "));
}

TEST(Needs, PackagesAreThoseOfThePackageFolder) {
  const std::string folder = testing::TempDir() + "assay_packages";
  fs::create_directories(folder);
  for (const char* file : {"plain.list", "libfoo:amd64.list", "half.md5sums"}) {
    ASSERT_TRUE(replace_file(folder + "/" + file, "").ok());
  }
  const HostQuery host{.features = {}, .cores = 1, .memory_mb = 1, .package_folder = folder};
  EXPECT_EQ(missing(R"({"packages": ["plain", "libfoo"]})", host), "");
  EXPECT_NE(missing(R"({"packages": ["half"]})", host), "");
  EXPECT_NE(missing(R"({"packages": ["lib"]})", host), "");
  fs::remove_all(folder);
}

TEST(Needs, MayDependOnTheConfiguration) {
  const std::string needs = R"([{"cores": 1}, {"when": {"runtime.isa": "avx512"}, "features": ["avx512"]}])";
  const HostQuery host{.features = {}, .cores = 1, .memory_mb = 1, .package_folder = ""};
  spec::Configuration configuration;
  EXPECT_EQ(missing(needs, host, configuration), "");
  configuration.set("runtime.isa", "avx512");
  EXPECT_NE(missing(needs, host, configuration), "");
}

TEST(Needs, WhatIsMissingIsASkipThatSaysSo) {
  const spec::Case test_case =
      test::parse(test::conv_relu_case(R"("needs": {"files": ["/no/such/file"]}, "expect": [{"metric": "exact"}])"));
  RuntimeHost host;
  Execution execution(test_case, host);
  const reports::VariantResult result = run_variant(execution, {"c", {}, {}});
  EXPECT_EQ(result.outcome, reports::Outcome::kSkip);
  EXPECT_EQ(result.reason, "needs '/no/such/file', which is not there");
}

}  // namespace
}  // namespace assay::run
