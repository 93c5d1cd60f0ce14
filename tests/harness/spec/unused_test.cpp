// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/unused.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::spec {
namespace {

using testing::ElementsAre;

std::vector<std::string> unused_in(const std::string& rest) {
  const std::string text = R"({"name": "c", "model": {"recipe": "mlp"}, "inputs": {"x": {"random": {}}},
"matrix": {"quantizer.format": ["qdq", "none"], "quantizer.per_channel": [false, true], "runtime.isa": ["scalar", "avx2"]},
)" + rest + "}";
  const CaseOrErrors parsed = parse_case("c.json", text);
  EXPECT_TRUE(parsed.value) << parsed.errors.front();
  return unused_entries(*parsed.value, expand(*parsed.value).value());
}

TEST(UnusedEntries, AreExpectationsThatApplyToNoVariant) {
  EXPECT_THAT(unused_in(R"("expect": [
 {"metric": "sqnr_db", "at_least": 1, "when": {"runtime.isa": ["avx512", "sse41"]}},
 {"metric": "sqnr_db", "at_least": 1, "unless": {"runtime.threads": 1}},
 {"metric": "sqnr_db", "at_least": 1, "when": {"quantizer.format": "none", "quantizer.per_channel": true}},
 {"outcome": "xfail", "reason": "r", "when": {"runtime.isa": "avx2", "runtime.precision": "exact"}},
 {"metric": "sqnr_db", "at_least": 1, "when": {"quantizer.format": "qdq", "quantizer.per_channel": true}}])"),
              ElementsAre("c.json:4:2: warning: this expectation applies to no variant of the case",
                          "c.json:5:2: warning: this expectation applies to no variant of the case",
                          "c.json:6:2: warning: this expectation applies to no variant of the case",
                          "c.json:7:2: warning: this expectation applies to no variant of the case"));
}

TEST(UnusedEntries, AreNeedsReferencesAndExclusionsToo) {
  EXPECT_THAT(unused_in(R"("needs": [
 {"when": {"runtime.isa": "avx512"}, "cores": 1},
 {"when": {"runtime.isa": "avx2"}, "cores": 1}],
"reference": [
 {"when": {"runtime.isa": "avx2"}, "configuration": {}},
 {"when": {"runtime.isa": "avx2", "quantizer.format": "qdq"}, "configuration": {}}],
"exclude": [
 {"runtime.isa": "avx2", "runtime.threads": 2},
 {"runtime.isa": "avx2", "runtime.threads": 1, "quantizer.format": "none"}],
"expect": [{"metric": "sqnr_db", "at_least": 1}])"),
              ElementsAre("c.json:4:2: warning: this need is that of no variant of the case",
                          "c.json:8:2: warning: this reference is that of no variant of the case",
                          "c.json:10:2: warning: this entry excludes no variant of the case"));
}

// An entry that stands once and is used twice.
TEST(UnusedEntries, OfSetsAreThoseThatNoUseOfThemNeeds) {
  const std::string sets =
      R"("sets": {"limit": {"metric": "sqnr_db", "at_least": 1}, "avx512": {"runtime.isa": "avx512"}},)";
  EXPECT_TRUE(unused_in(sets + R"("expect": [{"use": "limit", "when": {"runtime.isa": "avx2"}}])").empty());
  EXPECT_EQ(unused_in(sets + R"("expect": [{"use": "limit", "when": {"use": "avx512"}}])").size(), 1U);
}

TEST(UnusedEntries, AreNoneWhereEverythingIsUsed) {
  EXPECT_TRUE(unused_in(R"("reference": {"configuration": {}}, "needs": {"cores": 1},
    "expect": [{"metric": "sqnr_db", "at_least": 1}])")
                  .empty());
}

}  // namespace
}  // namespace assay::spec
