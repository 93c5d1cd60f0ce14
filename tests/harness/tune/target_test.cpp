// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/target.h"

#include <gmock/gmock.h>

#include <cmath>

namespace assay::tune {
namespace {

using testing::HasSubstr;

TEST(ParseTarget, NamesShortNamesAndSpaces) {
  struct Row {
    const char* text;
    const char* metric;
    bool drop;
    double limit;
    Index k;
  };
  for (const Row& row : std::vector<Row>{{"top1_drop<=0.5", "top1_accuracy", true, 0.5, 5},
                                         {"top1_accuracy >= 0.9", "top1_accuracy", false, 0.9, 5},
                                         {"sqnr>=30", "sqnr_db", false, 30, 5},
                                         {" sqnr_db>=-3", "sqnr_db", false, -3, 5},
                                         {"cosine>=0.999", "cosine", false, 0.999, 5},
                                         {"top3_agreement>=0.95", "topk_agreement", false, 0.95, 3},
                                         {"top1_agreement>=1", "top1_agreement", false, 1, 5},
                                         {"max_abs_error<=1e-2", "max_abs_error", false, 0.01, 5}}) {
    const Result<Target> target = parse_target(row.text);
    ASSERT_TRUE(target.ok()) << target.error().message;
    EXPECT_EQ(target.value().metric->name, row.metric) << row.text;
    EXPECT_EQ(target.value().drop, row.drop) << row.text;
    EXPECT_EQ(target.value().limit, row.limit) << row.text;
    EXPECT_EQ(target.value().k, row.k) << row.text;
  }
}

TEST(ParseTarget, ErrorsSayWhatIsWrong) {
  struct Row {
    const char* text;
    const char* message;
  };
  for (const Row& row : std::vector<Row>{{"", "NAME<=NUMBER"},
                                         {"sqnr", "NAME<=NUMBER"},
                                         {"sqnr=30", "NAME<=NUMBER"},
                                         {"sqnr>30", "NAME<=NUMBER"},
                                         {"sqnr<=30", "sqnr is better the higher: write >="},
                                         {"top1_drop>=1", "top1_drop is better the lower: write <="},
                                         {"sqnr>=", "'' is not a number"},
                                         {"sqnr>=30dB", "'30dB' is not a number"},
                                         {"sqnr>=nan", "'nan' is not a number"},
                                         {"sqnr>=inf", "'inf' is not a number"},
                                         {"loss<=1", "'loss' cannot be a target; these can: top1_drop"},
                                         {"top0_agreement>=1", "cannot be a target"},
                                         {"node_count<=3", "cannot be a target"},
                                         {"max_steps<=1", "cannot be a target"},
                                         {"top1_agreement>=98", "cannot be met: top1_agreement is 1 at best"},
                                         {"cosine>=1.01", "cannot be met: cosine is 1 at best"},
                                         {"rmse<=-1", "cannot be met: rmse is 0 at best"},
                                         {"top1_drop<=-101", "cannot be met: top1_drop is -100 at best"}}) {
    const Result<Target> target = parse_target(row.text);
    ASSERT_FALSE(target.ok()) << row.text;
    EXPECT_THAT(target.error().message, HasSubstr("--target " + std::string(row.text))) << row.text;
    EXPECT_THAT(target.error().message, HasSubstr(row.message)) << row.text;
    EXPECT_EQ(target.error().kind, ErrorKind::kInvalidArgument);
  }
}

TEST(Target, MetAndBetterFollowTheDirection) {
  const Target sqnr = parse_target("sqnr>=30").value();
  EXPECT_TRUE(sqnr.met(30));
  EXPECT_FALSE(sqnr.met(29.99));
  EXPECT_TRUE(sqnr.better(31, 30));
  EXPECT_FALSE(sqnr.better(30, 30));
  const Target drop = parse_target("top1_drop<=0.5").value();
  EXPECT_TRUE(drop.met(-0.2)) << "more accurate than the float model";
  EXPECT_FALSE(drop.met(0.6));
  EXPECT_TRUE(drop.better(0.1, 0.2));
  EXPECT_TRUE(drop.needs_labels());
  EXPECT_FALSE(sqnr.needs_labels());
  for (const Target& target : {sqnr, drop}) {
    EXPECT_FALSE(target.met(NAN));
    EXPECT_TRUE(target.better(0, NAN));
    EXPECT_FALSE(target.better(NAN, 0));
    EXPECT_FALSE(target.better(NAN, NAN));
  }
}

}  // namespace
}  // namespace assay::tune
