// SPDX-License-Identifier: Apache-2.0
#include "engine/base/block_layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace assay {
namespace {

bool meet(const BlockLife& a, const BlockLife& b) { return a.begin < b.end && b.begin < a.end; }

using Extent = std::pair<std::size_t, std::size_t>;  // first byte, first byte behind

// The lowest offset where `size_bytes` fit between the extents, which it sorts.
std::size_t lowest_gap(std::vector<Extent>& taken, std::size_t size_bytes) {
  std::sort(taken.begin(), taken.end());
  std::size_t offset = 0;
  for (const auto& [begin, end] : taken) {
    if (begin >= offset + size_bytes) {
      break;
    }
    offset = std::max(offset, end);
  }
  return offset;
}

}  // namespace

BlockLayout lay_out(std::span<const BlockLife> lives) {
  std::vector<std::size_t> order(lives.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lives[a].size_bytes > lives[b].size_bytes; });
  BlockLayout layout{.offsets = std::vector<std::size_t>(lives.size(), 0)};
  std::vector<Extent> taken;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const BlockLife& life = lives[order[i]];
    taken.clear();
    for (std::size_t k = 0; k < i; ++k) {
      const std::size_t other = order[k];
      if (meet(life, lives[other])) {
        taken.emplace_back(layout.offsets[other], layout.offsets[other] + lives[other].size_bytes);
      }
    }
    const std::size_t offset = lowest_gap(taken, life.size_bytes);
    layout.offsets[order[i]] = offset;
    layout.size_bytes = std::max(layout.size_bytes, offset + life.size_bytes);
  }
  return layout;
}

std::size_t peak_bytes(std::span<const BlockLife> lives) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;  // time, bytes; what ends at a time precedes what begins
  for (const BlockLife& life : lives) {
    changes.emplace_back(life.begin, static_cast<std::int64_t>(life.size_bytes));
    changes.emplace_back(life.end, -static_cast<std::int64_t>(life.size_bytes));
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t now = 0;
  std::int64_t peak = 0;
  for (const auto& [time, bytes] : changes) {
    now += bytes;
    peak = std::max(peak, now);
  }
  return static_cast<std::size_t>(peak);
}

}  // namespace assay
