// SPDX-License-Identifier: Apache-2.0
#include "harness/run/saturation_record.h"

#include <gtest/gtest.h>

namespace assay::run {
namespace {

TEST(SaturationRecord, SumsChannelsAndListsTheWorst) {
  api::SaturationInfo info{.node = "conv", .pairs = 120, .saturated = 66, .largest_loss = 9, .channels = {}};
  for (std::uint64_t c = 0; c < 12; ++c) {
    info.channels.push_back({.pairs = 10,
                             .saturated = c == 0 ? 0 : 12 - c,
                             .largest_loss = static_cast<Index>(c),
                             .weight_pairs = 4,
                             .weight_pairs_at_risk = c % 2,
                             .largest_possible_loss = static_cast<Index>(100 + c)});
  }
  const reports::Saturation record = saturation_record(info, 7);
  EXPECT_EQ(record.node, "conv");
  EXPECT_EQ(record.pairs, 120U);
  EXPECT_EQ(record.samples, 7);
  EXPECT_EQ(record.channels, 12);
  EXPECT_EQ(record.channels_saturated, 11);
  EXPECT_EQ(record.weight_pairs, 48U);
  EXPECT_EQ(record.weight_pairs_at_risk, 6U);
  EXPECT_EQ(record.largest_possible_loss, 111);
  ASSERT_EQ(record.worst_channels.size(), reports::kMostWorstChannels);
  EXPECT_EQ(record.worst_channels.front().channel, 1);
  EXPECT_EQ(record.worst_channels.front().saturated, 11U);
  EXPECT_EQ(record.worst_channels.back().channel, 8);
}

}  // namespace
}  // namespace assay::run
