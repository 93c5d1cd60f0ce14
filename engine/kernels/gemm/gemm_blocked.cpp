// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/gemm/gemm_blocked.h"

#include <algorithm>

namespace assay::kernels {
namespace {

constexpr Index kFormedBytes = Index{96} << 10;  // of a block of rows in the form that the tile wants
constexpr Index kRawRows = 144;                  // of a block of rows read in place
constexpr Index kStretchUnit = 64;               // k of a stretch is a multiple: no group or pair is broken
constexpr Index kWidestSlab = 16 * kPanelsOfOneRow;

alignas(64) constexpr std::int32_t kZeros[kWidestSlab] = {};

Index divide_up(Index value, Index unit) { return (value + unit - 1) / unit; }
Index round_up(Index value, Index unit) { return divide_up(value, unit) * unit; }

bool widened(RowForm form) { return form == RowForm::kSigned16 || form == RowForm::kUnsigned16; }

struct Product {
  const GemmTiling& tiling;
  const GemmArgs& args;
  Index group = 4;                       // k per group
  Index element = 1;                     // bytes of A's elements as the tile reads them
  Index stretch = 0;                     // k of a stretch
  Index slab = 0;                        // panels
  Index panel_bytes = 0;                 // over all of k
  bool formed = false;                   // rows are copied
  const std::int32_t* starts = nullptr;  // per column, or null
};

// Rows of bytes in the tile's form.
struct FormArgs {
  const std::byte* from = nullptr;
  Index from_stride_bytes = 0;
  Index rows = 0;
  Index count = 0;   // elements of a row
  Index padded = 0;  // elements of a row filled up with zeros
  std::byte* to = nullptr;
  Index to_stride_bytes = 0;
};

template <typename From, typename To, From kFlip>
void form_rows(const FormArgs& args) {
  for (Index i = 0; i < args.rows; ++i) {
    const auto* in = reinterpret_cast<const From*>(args.from + i * args.from_stride_bytes);
    auto* out = reinterpret_cast<To*>(args.to + i * args.to_stride_bytes);
    for (Index p = 0; p < args.count; ++p) {
      out[p] = static_cast<To>(static_cast<From>(in[p] ^ kFlip));
    }
    for (Index p = args.count; p < args.padded; ++p) {
      out[p] = 0;
    }
  }
}

void form(RowForm form, const FormArgs& args) {
  switch (form) {
    case RowForm::kRaw:
      return form_rows<std::uint8_t, std::uint8_t, 0>(args);
    case RowForm::kFlipped:
      return form_rows<std::uint8_t, std::uint8_t, 0x80>(args);
    case RowForm::kSigned16:
      return form_rows<std::int8_t, std::int16_t, 0>(args);
    case RowForm::kUnsigned16:
      return form_rows<std::uint8_t, std::int16_t, 0>(args);
  }
}

// One block of rows over one stretch of k. `tile` has A, its stride, the groups and the rest set.
void run_slabs(const Product& product, GemmTile tile, Index first, Index count, Index k0) {
  const GemmTiling& tiling = product.tiling;
  const GemmArgs& args = product.args;
  const auto* a = static_cast<const std::byte*>(tile.a);
  const auto* b = static_cast<const std::byte*>(args.packed_b) + k0 * tiling.columns;
  tile.panel_bytes = product.panel_bytes;
  tile.c_stride = args.c_stride;
  for (Index j = 0; j < args.n;) {
    const Index panels = std::min(product.slab, divide_up(args.n - j, tiling.columns));
    const Index most_rows = panels == 1 ? tiling.narrow_rows : tiling.rows;
    const Index tiles = divide_up(count, most_rows);
    tile.panels = static_cast<int>(panels);
    tile.last_columns = static_cast<int>(std::min(args.n - j - (panels - 1) * tiling.columns, tiling.columns));
    tile.a = a;
    tile.b = b;
    tile.c = args.c + first * args.c_stride + j;
    tile.start_stride = 0;
    tile.start = product.starts == nullptr ? kZeros : product.starts + j;
    const Index fewest_rows = count / tiles;
    const Index longer_tiles = count % tiles;
    for (Index t = 0; t < tiles; ++t) {
      const Index rows = fewest_rows + (t < longer_tiles ? 1 : 0);
      tile.rows = static_cast<int>(rows);
      if (k0 > 0) {
        tile.start = tile.c;
        tile.start_stride = args.c_stride;
      }
      tiling.tile(tile);
      tile.a = static_cast<const std::byte*>(tile.a) + rows * tile.a_stride_bytes;
      tile.c += rows * args.c_stride;
    }
    b += panels * product.panel_bytes;
    j += panels * tiling.columns;
  }
}

// Rows per block: as many as have room in the buffer if they are formed, in blocks of equal size.
Index rows_of_block(const Product& product) {
  const Index most = product.formed ? std::max(kFormedBytes / (product.stretch * product.element), Index{1}) : kRawRows;
  const Index blocks = divide_up(product.args.m, most);
  return std::min(round_up(divide_up(product.args.m, blocks), product.tiling.rows), most);
}

Product make_product(const GemmTiling& tiling, const GemmArgs& args) {
  Product out{.tiling = tiling, .args = args, .group = tiling.group};
  if (widened(tiling.form)) {
    out.group = 2;
    out.element = 2;
  }
  const Index stretches = std::max(divide_up(args.k, tiling.k_block), Index{1});
  out.stretch = std::max(round_up(divide_up(args.k, stretches), kStretchUnit), kStretchUnit);
  out.slab = tiling.panels;
  if (args.m <= 2) {
    out.slab = args.m == 1 ? kPanelsOfOneRow : std::max(kPanelsOfTwoRows, tiling.panels);
  }
  out.panel_bytes = round_up(args.k, out.group) * tiling.columns;
  out.formed = tiling.form != RowForm::kRaw || args.k < out.group;
  if (tiling.form == RowForm::kFlipped) {
    const Index panels = divide_up(args.n, tiling.columns);
    const auto* end = static_cast<const std::byte*>(args.packed_b) + panels * out.panel_bytes;
    out.starts = reinterpret_cast<const std::int32_t*>(end);
  }
  return out;
}

}  // namespace

void run_blocked(const GemmTiling& tiling, const GemmArgs& args) {
  if (args.m <= 0 || args.n <= 0) {
    return;
  }
  const Product product = make_product(tiling, args);
  const Index block = rows_of_block(product);
  alignas(64) std::byte formed[kFormedBytes];
  for (Index first = 0; first < args.m; first += block) {
    const Index count = std::min(block, args.m - first);
    Index k0 = 0;
    do {  // once where k is 0
      const Index k = std::min(product.stretch, args.k - k0);
      GemmTile tile;
      const std::byte* a = static_cast<const std::byte*>(args.a) + first * args.a_stride_bytes + k0;
      if (product.formed) {
        tile.a = formed;
        tile.a_stride_bytes = product.stretch * product.element;
        form(tiling.form, {.from = a,
                           .from_stride_bytes = args.a_stride_bytes,
                           .rows = count,
                           .count = k,
                           .padded = round_up(k, product.group),
                           .to = formed,
                           .to_stride_bytes = tile.a_stride_bytes});
        tile.groups = divide_up(k, product.group);
      } else {
        tile.a = a;
        tile.a_stride_bytes = args.a_stride_bytes;
        tile.groups = k / product.group;
        const Index rest = k % product.group;
        tile.rest_shift = rest == 0 ? 0 : static_cast<int>(8 * (product.group - rest));
      }
      run_slabs(product, tile, first, count, k0);
      k0 += k;
    } while (k0 < args.k);
  }
}

}  // namespace assay::kernels
