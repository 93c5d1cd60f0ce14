// SPDX-License-Identifier: Apache-2.0
#include "harness/run/saturation_record.h"

#include <algorithm>

namespace assay::run {

reports::Saturation saturation_record(const api::SaturationInfo& info, std::int64_t samples) {
  reports::Saturation record{.node = info.node,
                             .pairs = info.pairs,
                             .saturated = info.saturated,
                             .largest_loss = info.largest_loss,
                             .samples = samples};
  record.channels = static_cast<std::int64_t>(info.channels.size());
  std::vector<reports::SaturatedChannel> hit;
  for (std::size_t c = 0; c < info.channels.size(); ++c) {
    const auto& channel = info.channels[c];
    record.weight_pairs += channel.weight_pairs;
    record.weight_pairs_at_risk += channel.weight_pairs_at_risk;
    record.largest_possible_loss = std::max(record.largest_possible_loss, channel.largest_possible_loss);
    if (channel.saturated > 0) {
      hit.push_back({static_cast<std::int64_t>(c), channel.pairs, channel.saturated, channel.largest_loss});
    }
  }
  record.channels_saturated = static_cast<std::int64_t>(hit.size());
  std::ranges::stable_sort(hit, std::ranges::greater(), &reports::SaturatedChannel::saturated);
  hit.resize(std::min(hit.size(), reports::kMostWorstChannels));
  record.worst_channels = std::move(hit);
  return record;
}

}  // namespace assay::run
