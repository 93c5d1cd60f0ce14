// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/product_witness.h"

#include <algorithm>

namespace assay::runtime {
namespace {

kernels::WitnessArgs right_operand(const ByteMatrix& b) {
  return {.n = b.columns,
          .k = b.rows,
          .b = reinterpret_cast<const std::int8_t*>(b.data),
          .k_stride_bytes = b.row_stride_bytes,
          .n_stride_bytes = b.column_stride_bytes};
}

kernels::WitnessRows left_operand(const ProductRows& rows) {
  return {.m = rows.count, .a = reinterpret_cast<const std::uint8_t*>(rows.a), .a_stride_bytes = rows.stride_bytes};
}

void add_total(const kernels::PairStatistics& total, SaturationInfo& info) {
  info.pairs += total.pairs;
  info.saturated += total.saturated;
  info.largest_loss = std::max(info.largest_loss, total.largest_loss);
}

// The channels [first, first + count), made where they are not there yet.
std::span<ChannelSaturation> channels_of(SaturationInfo& info, Index first, std::size_t count) {
  const auto begin = static_cast<std::size_t>(first);
  info.channels.resize(std::max(info.channels.size(), begin + count));
  return std::span(info.channels).subspan(begin, count);
}

void add_channel(const kernels::PairStatistics& seen, ChannelSaturation& channel) {
  channel.pairs += seen.pairs;
  channel.saturated += seen.saturated;
  channel.largest_loss = std::max(channel.largest_loss, seen.largest_loss);
}

void add_bound(const kernels::PairBound& bound, ChannelSaturation& channel) {
  channel.weight_pairs += bound.pairs;
  channel.weight_pairs_at_risk += bound.at_risk;
  channel.largest_possible_loss = std::max(channel.largest_possible_loss, bound.largest_loss);
}

}  // namespace

WeightWitness::WeightWitness(const ByteMatrix& b) : risks_(kernels::find_pair_risks(right_operand(b))) {
  const auto* weights = reinterpret_cast<const std::int8_t*>(b.data);
  for (Index j = 0; j < b.columns; ++j) {
    bounds_.push_back(kernels::bound_s8_weights(weights + j * b.column_stride_bytes, b.rows, b.row_stride_bytes));
  }
}

void WeightWitness::add_bounds(Index first_channel, SaturationInfo& info) const {
  const std::span<ChannelSaturation> channels = channels_of(info, first_channel, bounds_.size());
  for (std::size_t j = 0; j < bounds_.size(); ++j) {
    add_bound(bounds_[j], channels[j]);
  }
}

void WeightWitness::add(const ProductRows& rows, Index first_channel, SaturationInfo& info) const {
  std::vector<kernels::PairStatistics> seen(bounds_.size());
  add_total(kernels::count_saturated_pairs(left_operand(rows), risks_, {.columns = seen, .rows = {}}), info);
  const std::span<ChannelSaturation> channels = channels_of(info, first_channel, seen.size());
  for (std::size_t j = 0; j < seen.size(); ++j) {
    add_channel(seen[j], channels[j]);
  }
}

void witness_weight_rows(const ProductRows& weights, const ByteMatrix& b, Index first_channel, SaturationInfo& info) {
  std::vector<kernels::PairStatistics> seen(static_cast<std::size_t>(weights.count));
  const kernels::PairRisks risks = kernels::find_pair_risks(right_operand(b));
  add_total(kernels::count_saturated_pairs(left_operand(weights), risks, {.columns = {}, .rows = seen}), info);
  const std::span<ChannelSaturation> channels = channels_of(info, first_channel, seen.size());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(weights.a);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (channels[i].pairs == 0) {  // the first block
      add_bound(kernels::bound_u8_weights(bytes + static_cast<Index>(i) * weights.stride_bytes, b.rows, 1),
                channels[i]);
    }
    add_channel(seen[i], channels[i]);
  }
}

}  // namespace assay::runtime
