// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/resize_planes.h"

#include <algorithm>

#include "engine/base/block_vector.h"
#include "engine/runtime/parallel.h"

namespace assay::runtime {
namespace {

constexpr Index kRows = 4;  // output rows at a time: a column's positions and weights are read once for all of them

template <typename T>
struct Pair {
  Index first;
  Index second;
  T first_weight;
  T second_weight;
};

template <typename T>
BlockVector<Pair<T>> pairs_of(const ResizeTaps& taps) {
  BlockVector<Pair<T>> pairs(taps.positions.size() / 2);
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    pairs[j] = {taps.positions[2 * j], taps.positions[2 * j + 1], static_cast<T>(taps.weights[2 * j]),
                static_cast<T>(taps.weights[2 * j + 1])};
  }
  return pairs;
}

template <typename T>
struct Blender {
  const PlanesToBlend& args;
  BlockVector<Pair<T>> rows;
  BlockVector<Pair<T>> columns;
  BlockVector<T> blended;  // per worker: kRows rows of the input's width

  // `count` output rows of a plane, from `first` on.
  void run(const T* plane, Index first, Index count, T* out, int slot) {
    const Index width = args.width;
    T* lines = blended.data() + slot * kRows * width;
    for (Index r = 0; r < count; ++r) {
      const Pair<T>& pair = rows[static_cast<std::size_t>(first + r)];
      const T* above = plane + pair.first * width;
      const T* below = plane + pair.second * width;
      T* line = lines + r * width;
      for (Index i = 0; i < width; ++i) {
        line[i] = (T{0} + pair.first_weight * above[i]) + pair.second_weight * below[i];
      }
    }
    out += first * args.out_width;
    if (count == kRows) {
      blend_lines<kRows>(lines, out);
      return;
    }
    for (Index r = 0; r < count; ++r) {
      blend_lines<1>(lines + r * width, out + r * args.out_width);
    }
  }

  template <Index kCount>
  void blend_lines(const T* lines, T* out) const {
    const Index width = args.width;
    const Index out_width = args.out_width;
    for (Index j = 0; j < out_width; ++j) {
      const Pair<T> pair = columns[static_cast<std::size_t>(j)];
      for (Index r = 0; r < kCount; ++r) {
        const T* line = lines + r * width;
        out[r * out_width + j] = (T{0} + pair.first_weight * line[pair.first]) + pair.second_weight * line[pair.second];
      }
    }
  }
};

template <typename T>
void blend(const PlanesToBlend& args, const T* in, T* out) {
  Blender<T> blender{
      .args = args,
      .rows = pairs_of<T>(args.rows),
      .columns = pairs_of<T>(args.columns),
      .blended = BlockVector<T>(static_cast<std::size_t>(std::max(args.threads, 1) * kRows * args.width))};
  for_each_task(args.planes, args.threads, [&](Index plane, int slot) {
    const T* from = in + plane * args.height * args.width;
    T* to = out + plane * args.out_height * args.out_width;
    for (Index first = 0; first < args.out_height; first += kRows) {
      blender.run(from, first, std::min(kRows, args.out_height - first), to, slot);
    }
  });
}

}  // namespace

void blend_planes(const PlanesToBlend& args, const float* in, float* out) { blend(args, in, out); }
void blend_planes(const PlanesToBlend& args, const double* in, double* out) { blend(args, in, out); }

}  // namespace assay::runtime
