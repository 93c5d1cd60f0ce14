// SPDX-License-Identifier: Apache-2.0
#include "harness/run/alike_groups.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay::run {
namespace {

using spec::Json;

Judged judged(const std::string& isa, const std::string& optimization, bool per_channel, double value) {
  Judged made;
  made.configuration.set("runtime.isa", isa);
  made.configuration.set("runtime.optimization", optimization);
  made.configuration.set("quantizer.per_channel", per_channel);
  made.value = value;
  return made;
}

// Every combination, valued by `value_of`.
template <typename Value>
std::vector<Judged> every(const Value& value_of) {
  std::vector<Judged> all;
  for (const char* isa : {"scalar", "avx2", "avx512"}) {
    for (const char* optimization : {"none", "all"}) {
      for (const bool per_channel : {false, true}) {
        all.push_back(judged(isa, optimization, per_channel, 0));
        all.back().value = value_of(all.back().configuration);
      }
    }
  }
  return all;
}

bool saturates(const spec::Configuration& c) {
  return c.text("runtime.isa") != "scalar" && c.text("runtime.optimization") == "all";
}

TEST(AlikeGroups, AreOneWithoutConditionWhereAllAreAlike) {
  const std::vector<AlikeGroup> groups =
      alike_groups(every([](const auto& c) { return saturates(c) ? 1.0 : 0.0; }), 1.0);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_TRUE(groups[0].when.terms.empty());
  EXPECT_EQ(groups[0].members.size(), 12U);
  EXPECT_TRUE(alike_groups({}, 1.0).empty());
}

TEST(AlikeGroups, AreToldApartByAsManyAxesAsItTakes) {
  const std::vector<Judged> all = every([](const auto& c) { return saturates(c) ? 6.0 : 0.0; });
  const std::vector<AlikeGroup> groups = alike_groups(all, 1.0);
  ASSERT_GE(groups.size(), 2U);
  EXPECT_EQ(condition_json(groups.back().when),
            Json::parse(R"({"runtime.optimization": "all", "runtime.isa": ["avx2", "avx512"]})"));
  EXPECT_EQ(condition_text(groups.back().when), "runtime.optimization=all runtime.isa=avx2,avx512");
  // Each variant is in exactly the group whose condition holds for it.
  for (std::size_t i = 0; i < all.size(); ++i) {
    int in = 0;
    for (const AlikeGroup& group : groups) {
      const bool member = std::find(group.members.begin(), group.members.end(), i) != group.members.end();
      EXPECT_EQ(group.when.holds(all[i].configuration), member) << i;
      in += member ? 1 : 0;
      EXPECT_EQ(all[group.members.front()].value, all[group.members.back()].value);
    }
    EXPECT_EQ(in, 1) << i;
  }
}

// Where no axis by itself helps (one or the other, but not both), it still ends in groups that are alike.
TEST(AlikeGroups, EndAlsoWhereNoSplitHelpsByItself) {
  const std::vector<Judged> all = every([](const auto& c) {
    return (c.text("runtime.optimization") == "all") != c.flag("quantizer.per_channel") ? 8.0 : 0.0;
  });
  for (const AlikeGroup& group : alike_groups(all, 1.0)) {
    for (const std::size_t i : group.members) {
      EXPECT_EQ(all[i].value, all[group.members.front()].value);
    }
  }
}

TEST(AlikeGroups, ComeByAscendingMeanAndGrowApartByOneAxisAgain) {
  const std::vector<Judged> all = every([](const auto& c) {
    const std::string isa = c.text("runtime.isa");
    return isa == "scalar" ? 20.0 : isa == "avx2" ? 0.0 : 10.0;
  });
  const std::vector<AlikeGroup> groups = alike_groups(all, 1.0);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(condition_text(groups[0].when), "runtime.isa=avx2");
  EXPECT_EQ(condition_text(groups[1].when), "runtime.isa=avx512");
  EXPECT_EQ(condition_text(groups[2].when), "runtime.isa=scalar");
}

TEST(AlikeGroups, StayTogetherWhereNoAxisTellsThemApart) {
  const std::vector<AlikeGroup> groups =
      alike_groups({judged("avx2", "all", true, 0), judged("avx2", "all", true, 9)}, 1.0);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members.size(), 2U);
}

TEST(ConditionJson, KeepsAListThatIsOneValueApartFromAListOfValues) {
  const spec::Condition condition{{{"runtime.disable_passes", {Json::parse(R"(["fuse_relu"])")}}}};
  EXPECT_EQ(condition_json(condition), Json::parse(R"({"runtime.disable_passes": [["fuse_relu"]]})"));
}

}  // namespace
}  // namespace assay::run
