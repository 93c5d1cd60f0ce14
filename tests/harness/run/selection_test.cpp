// SPDX-License-Identifier: Apache-2.0
#include "harness/run/selection.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "engine/base/output_file.h"
#include "harness/run/output_folder.h"
#include "tests/harness/run/small_case.h"

namespace assay::run {
namespace {

TEST(Shard, ReadsIOfN) {
  EXPECT_EQ(parse_shard("2/5").value().index, 2U);
  EXPECT_EQ(parse_shard("2/5").value().count, 5U);
  for (const char* text : {"", "0/5", "6/5", "2", "2/", "/5", "a/b", "2/5x", "-1/5", "1/0"}) {
    EXPECT_FALSE(parse_shard(text).ok()) << text;
  }
}

std::optional<std::size_t> baseline_of(const std::string& text, std::size_t variant) {
  const Selection selection = test::select_all(text);
  return find_baseline(*selection.cases[0].timing, *selection.expanded(0), variant);
}

TEST(Baseline, IsEqualInEveryOtherAxis) {
  const std::string text = test::conv_relu_case(
      R"("matrix": {"quantizer.relu": ["safe", "keep"], "runtime.isa": ["scalar", "avx2"]},
         "timing": {"compare": "runtime.isa", "baseline": "scalar"})");
  EXPECT_EQ(baseline_of(text, 0), 0U);
  EXPECT_EQ(baseline_of(text, 1), 0U);
  EXPECT_EQ(baseline_of(text, 2), 2U);
  EXPECT_EQ(baseline_of(text, 3), 2U);
}

// Float has no quantizer axes: it is the baseline of every int8 variant.
TEST(Baseline, AxisThatOneSideLacksDoesNotTellApart) {
  const std::string text = test::conv_relu_case(
      R"("matrix": {"quantizer.format": ["none", "qdq"], "quantizer.relu": ["safe", "keep"]},
         "timing": {"compare": "quantizer.format", "baseline": "none"})");
  EXPECT_EQ(baseline_of(text, 1), 0U);
  EXPECT_EQ(baseline_of(text, 2), 0U);
  const std::string reverse = test::conv_relu_case(
      R"("matrix": {"quantizer.format": ["none", "qdq"], "quantizer.relu": ["safe", "keep"]},
         "timing": {"compare": "quantizer.format", "baseline": "qdq"})");
  EXPECT_EQ(baseline_of(reverse, 0), 1U);
  EXPECT_EQ(baseline_of(reverse, 2), 2U);
}

class Select : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::path(testing::TempDir()) / "select_test").string();
    std::filesystem::remove_all(folder_);
    ASSERT_TRUE(prepare_folder(folder_).ok());
    const std::string text = test::conv_relu_case(
        R"("tags": ["smoke"], "matrix": {"quantizer.relu": ["safe", "keep", "drop"], "runtime.isa": ["scalar", "avx2"]},
           "timing": {"compare": "runtime.isa", "baseline": "scalar", "at_least_speedup": 1.5})");
    ASSERT_TRUE(replace_file(folder_ + "/c.json", text).ok());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> names(SelectOptions options) const {
    options.paths = {folder_};
    const Selection selection = select_variants(options);
    EXPECT_TRUE(selection.errors.empty());
    std::vector<std::string> selected;
    for (std::size_t i = 0; i < selection.variants.size(); ++i) {
      if (selection.variants[i].selected) {
        selected.push_back(selection.variant(i)->name);
      }
    }
    EXPECT_EQ(selected.size(), selection.selected_count());
    return selected;
  }
  std::string folder_;
};

TEST_F(Select, EveryShardTogetherIsTheWhole) {
  const std::vector<std::string> whole = names({});
  ASSERT_EQ(whole.size(), 6U);
  std::multiset<std::string> joined;
  for (std::size_t i = 1; i <= 4; ++i) {
    SelectOptions options;
    options.shard = {i, 4};
    const std::vector<std::string> part = names(options);
    EXPECT_EQ(part, names(options));
    joined.insert(part.begin(), part.end());
  }
  EXPECT_EQ(joined, std::multiset<std::string>(whole.begin(), whole.end()));
}

TEST_F(Select, FilterTakesTheBaselineAlongUnselected) {
  SelectOptions options;
  options.paths = {folder_};
  options.filters = {"c[quantizer.relu=keep,runtime.isa=avx2]"};
  const Selection selection = select_variants(options);
  ASSERT_EQ(selection.variants.size(), 2U);
  EXPECT_EQ(selection.variant(0)->name, "c[quantizer.relu=keep,runtime.isa=scalar]");
  EXPECT_FALSE(selection.variants[0].selected);
  EXPECT_TRUE(selection.variants[1].selected);
}

TEST_F(Select, TagsAndSettings) {
  SelectOptions options;
  options.tags = {"nightly"};
  EXPECT_TRUE(names(options).empty());
  options.tags = {"nightly", "smoke"};
  options.settings = {"quantizer.relu=safe"};
  EXPECT_EQ(names(options), (std::vector<std::string>{"c[quantizer.relu=safe,runtime.isa=scalar]",
                                                      "c[quantizer.relu=safe,runtime.isa=avx2]"}));
}

TEST_F(Select, ATierTakesThoseBeforeIt) {
  SelectOptions options;
  options.tier = spec::Tier::kSmoke;
  EXPECT_TRUE(names(options).empty());  // the case says nothing: nightly
  options.tier = spec::Tier::kNightly;
  EXPECT_EQ(names(options).size(), 6U);
  options.tier = spec::Tier::kWeekly;
  EXPECT_EQ(names(options).size(), 6U);
}

// What --filter, --set or a shard leave out does not make an entry useless.
TEST_F(Select, WarnsOfEntriesThatNoVariantOfTheWholeCaseNeeds) {
  const auto write = [this](const std::string& isa) {
    return replace_file(folder_ + "/c.json",
                        test::conv_relu_case("\n"
                                             R"("matrix": {"runtime.isa": ["scalar", "avx2"]}, "expect": [)"
                                             "\n"
                                             R"({"when": {"runtime.isa": ")" +
                                             isa + R"("}, "metric": "exact"}])"));
  };
  SelectOptions options;
  options.paths = {folder_};
  const auto warnings = [&] { return select_variants(options).warnings; };
  ASSERT_TRUE(write("avx2").ok());
  EXPECT_TRUE(warnings().empty());
  options.filters = {"scalar"};
  EXPECT_TRUE(warnings().empty());
  options.settings = {"runtime.isa=sse41,scalar"};
  EXPECT_TRUE(warnings().empty());
  options.shard = {2, 2};
  EXPECT_TRUE(warnings().empty());

  ASSERT_TRUE(write("avx512").ok());
  options = {};
  options.paths = {folder_};
  const std::vector<std::string> expected = {
      folder_ + "/c.json:9:1: warning: this expectation applies to no variant of the case"};
  EXPECT_EQ(warnings(), expected);
  options.settings = {"runtime.isa=avx512"};
  EXPECT_EQ(warnings(), expected);
  options.filters = {"nothing of this name"};
  EXPECT_TRUE(warnings().empty());  // a case of which nothing is selected is not this run's
}

// The case has the tag "smoke" and no tier.
TEST_F(Select, ATagThatIsATierAndTheReverseIsSaidWhereItSelectsNothing) {
  SelectOptions options;
  options.paths = {folder_};
  options.tier = spec::Tier::kSmoke;
  EXPECT_EQ(select_variants(options).hint,
            "no case is of the tier 'smoke', but 1 case has the tag of that name: --tag smoke");
  options.tier = spec::Tier::kNightly;
  EXPECT_EQ(select_variants(options).hint, "");
  options.tier = {};
  options.tags = {"nightly"};
  EXPECT_EQ(select_variants(options).hint,
            "no case has the tag 'nightly', but 1 case is in the tier of that name: --tier nightly");
  options.tags = {"neither"};
  EXPECT_EQ(select_variants(options).hint, "");
  options.tags = {"smoke"};
  EXPECT_EQ(select_variants(options).hint, "");
}

TEST_F(Select, EveryErrorIsListed) {
  SelectOptions options;
  options.paths = {folder_ + "/nowhere.json"};
  options.settings = {"runtime.iso=avx2"};
  EXPECT_EQ(select_variants(options).errors.size(), 2U);
}

}  // namespace
}  // namespace assay::run
