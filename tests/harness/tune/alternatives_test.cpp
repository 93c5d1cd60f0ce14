// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/alternatives.h"

#include <gmock/gmock.h>

namespace assay::tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<Alternative>& alternatives) {
  std::vector<std::string> all;
  for (const Alternative& alternative : alternatives) {
    all.push_back(text_of(alternative));
  }
  return all;
}

const std::vector<Alternative> kThree = {
    {{{"quantizer.per_channel", true}}},
    {{{"quantizer.per_channel", true}, {"quantizer.reduce_range", true}}},
    {{{"quantizer.weight_type", "uint8"}}},
};

TEST(Alternatives, ValuesTakeThePlaceOfAllThatNameTheAxis) {
  std::vector<Alternative> all = kThree;
  set_values(all, "quantizer.reduce_range", {false, true});
  EXPECT_THAT(texts(all), ElementsAre("quantizer.per_channel=true", "quantizer.reduce_range=false",
                                      "quantizer.reduce_range=true", "quantizer.weight_type=uint8"));
  set_values(all, "quantizer.percentile", {99});
  EXPECT_EQ(text_of(all.back()), "quantizer.percentile=99");
}

TEST(Alternatives, SetAxesAreClosedAndTheOthersCanGoBack) {
  spec::Configuration given;
  given.set("quantizer.reduce_range", false);
  EXPECT_THAT(texts(open_alternatives(kThree, given)),
              ElementsAre("quantizer.per_channel=true", "quantizer.weight_type=uint8", "quantizer.per_channel=false",
                          "quantizer.weight_type=int8"));
  given.set("quantizer.per_channel", true);
  given.set("quantizer.weight_type", "int8");
  EXPECT_THAT(open_alternatives(kThree, given), IsEmpty());
}

TEST(Alternatives, ApplyLeavesDefaultsUnsetAndNothingWhereNothingChanges) {
  const std::optional<spec::Configuration> changed = apply(kThree[1], {});
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->get("quantizer.per_channel"), true);
  EXPECT_EQ(changed->get("quantizer.reduce_range"), true);
  EXPECT_FALSE(apply(kThree[1], *changed));
  EXPECT_FALSE(apply(kThree[0], *changed));
  const std::optional<spec::Configuration> back =
      apply({{{"quantizer.per_channel", false}, {"quantizer.reduce_range", false}}}, *changed);
  ASSERT_TRUE(back);
  EXPECT_THAT(back->explicit_values(), IsEmpty());
}

// percentile's share has no meaning beside minmax.
TEST(Alternatives, AnAxisWithoutMeaningIsNotTried) {
  spec::Configuration percentile;
  percentile.set("quantizer.calibration", "percentile");
  const Alternative share{{{"quantizer.percentile", 99}}};
  EXPECT_TRUE(apply(share, percentile));
  EXPECT_FALSE(apply(share, {}));
}

}  // namespace
}  // namespace assay::tune
