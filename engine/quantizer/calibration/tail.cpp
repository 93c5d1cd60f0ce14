// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/tail.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace assay::quantizer {
namespace {

constexpr std::size_t kGroup = 16;

template <TailSide side>
float key_of(float value) {
  return side == TailSide::kLargest ? value : side == TailSide::kSmallest ? -value : std::fabs(value);
}

// Adds the finite keys above the limit. Few are, so groups without one are passed over at once.
template <TailSide side>
void take(std::span<const float> values, float limit, std::vector<float>& keys) {
  const auto take_each = [&](std::span<const float> group) {
    for (const float value : group) {
      const float key = key_of<side>(value);
      if (key > limit && key <= std::numeric_limits<float>::max()) {  // not NaN, which is not above anything
        keys.push_back(key);
      }
    }
  };
  std::size_t first = 0;
  for (; first + kGroup <= values.size(); first += kGroup) {
    int above = 0;
    for (std::size_t i = 0; i < kGroup; ++i) {
      above |= key_of<side>(values[first + i]) > limit ? 1 : 0;
    }
    if (above != 0) {
      take_each(values.subspan(first, kGroup));
    }
  }
  take_each(values.subspan(first));
}

// The greatest key of a block's finite elements, or more.
float greatest_key(TailSide side, const BlockExtremes& block) {
  switch (side) {
    case TailSide::kLargest:
      return block.max;
    case TailSide::kSmallest:
      return -block.min;
    default:
      return std::max(-block.min, block.max);
  }
}

}  // namespace

void Tail::add(std::span<const float> values, std::span<const BlockExtremes> blocks, Index capacity) {
  capacity_ = std::max(capacity_, static_cast<std::size_t>(capacity));
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (!(greatest_key(side_, blocks[block]) > limit_)) {
      continue;
    }
    const std::size_t first = block * kScanBlock;
    const auto elements = values.subspan(first, std::min(kScanBlock, values.size() - first));
    switch (side_) {
      case TailSide::kLargest:
        take<TailSide::kLargest>(elements, limit_, keys_);
        break;
      case TailSide::kSmallest:
        take<TailSide::kSmallest>(elements, limit_, keys_);
        break;
      case TailSide::kMagnitude:
        take<TailSide::kMagnitude>(elements, limit_, keys_);
        break;
    }
    if (keys_.size() >= 2 * capacity_) {
      trim();
    }
  }
}

void Tail::trim() {
  if (keys_.size() <= capacity_ || capacity_ == 0) {
    return;
  }
  const auto last = keys_.begin() + static_cast<std::ptrdiff_t>(capacity_) - 1;
  std::nth_element(keys_.begin(), last, keys_.end(), std::greater<>());
  limit_ = std::max(limit_, *last);
  keys_.resize(capacity_);
}

void Tail::merge(const Tail& other) {
  capacity_ = std::max(capacity_, other.capacity_);
  limit_ = std::max(limit_, other.limit_);
  keys_.insert(keys_.end(), other.keys_.begin(), other.keys_.end());
}

void Tail::sort() { std::sort(keys_.begin(), keys_.end(), std::greater<>()); }

std::optional<float> Tail::at(Index rank) const {
  const auto position = static_cast<std::size_t>(rank);
  if (position >= keys_.size() || keys_[position] < limit_) {
    return std::nullopt;
  }
  return keys_[position];
}

}  // namespace assay::quantizer
