// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/gemm/gemm_blocked.h"

#include <algorithm>

#include "engine/kernels/gemm/gemm_form.h"

namespace assay::kernels {
namespace {

constexpr Index kFormedBytes = Index{96} << 10;       // of a block of rows in the form that the tile wants
constexpr Index kNarrowFormedBytes = Index{8} << 10;  // likewise, where one slab reads them once
constexpr Index kRawRows = 144;                       // of a block of rows read in place
constexpr Index kStretchUnit = 64;                    // k of a stretch is a multiple: no group or pair is broken
constexpr Index kWidestSlab = 16 * kPanelsOfOneRow;

Index divide_up(Index value, Index unit) { return (value + unit - 1) / unit; }
Index round_up(Index value, Index unit) { return divide_up(value, unit) * unit; }

struct Product {
  const GemmTiling& tiling;
  const GemmArgs& args;
  void (*form)(const GemmFormArgs&) = nullptr;  // null: rows are read in place
  Index group = 4;                              // k per group
  Index line = 0;                               // rows of a line
  Index segment = 0;                            // k of a segment
  Index stretch = 0;                            // k of a stretch: whole segments, or part of one
  Index slab = 0;                               // panels
  Index panel_bytes = 0;                        // over all of k
  const std::int32_t* packed_starts = nullptr;  // per column, or null

  const std::byte* row(Index i) const {
    return static_cast<const std::byte*>(args.a) + i / line * args.lines.stride_bytes + i % line * args.a_stride_bytes;
  }
  // From a row's beginning to its byte k0.
  Index offset(Index k0) const { return k0 / segment * args.lines.segment_stride_bytes + k0 % segment; }
  Index most_rows(Index panels) const {
    return panels <= tiling.panels ? tiling.rows[panels] : std::min(args.m, Index{2});
  }
};

// Some rows over one stretch of k.
struct Block {
  Index first = 0;
  Index count = 0;
  Index k0 = 0;
  Index segments = 1;
  Index k = 0;                        // of a segment
  const std::byte* formed = nullptr;  // the rows, formed_stride_bytes apart; null: they are read in place
  Index formed_stride_bytes = 0;
};

// What the sums of a slab's columns start at: the caller's and the packed ones, wrapping; null where all are 0.
const std::int32_t* slab_starts(const Product& product, Index j, Index columns, std::int32_t* sums) {
  const std::int32_t* given = product.args.column_start;
  const std::int32_t* packed = product.packed_starts;
  if (given == nullptr) {
    return packed == nullptr ? nullptr : packed + j;
  }
  const Index count = std::min(columns, product.args.n - j);
  std::fill_n(sums, columns, 0);
  for (Index q = 0; q < count; ++q) {
    const auto start = packed == nullptr ? 0U : static_cast<std::uint32_t>(packed[j + q]);
    sums[q] = static_cast<std::int32_t>(start + static_cast<std::uint32_t>(given[j + q]));
  }
  return sums;
}

// Neighbouring rows of one line, in tiles whose sizes differ by at most one.
void run_tiles(const Product& product, const Block& block, GemmTile tile, Index first, Index count) {
  const Index tiles = divide_up(count, product.most_rows(tile.panels));
  const Index fewest = count / tiles;
  const Index longer = count % tiles;
  tile.c += first * product.args.c_stride;
  if (block.formed != nullptr) {
    tile.a = block.formed + (first - block.first) * block.formed_stride_bytes;
    tile.a_stride_bytes = block.formed_stride_bytes;
  } else {
    tile.a = product.row(first) + product.offset(block.k0);
    tile.a_stride_bytes = product.args.a_stride_bytes;
  }
  for (const bool is_longer : {true, false}) {
    tile.rows = static_cast<int>(is_longer ? fewest + 1 : fewest);
    tile.tiles = is_longer ? longer : tiles - longer;
    if (tile.tiles > 0) {
      product.tiling.tile(tile);
      const Index done = tile.tiles * tile.rows;
      tile.a = static_cast<const std::byte*>(tile.a) + done * tile.a_stride_bytes;
      tile.c += done * tile.c_stride;
    }
  }
}

void run_slabs(const Product& product, const Block& block) {
  const GemmTiling& tiling = product.tiling;
  const GemmArgs& args = product.args;
  const Index line = block.formed != nullptr ? args.m : product.line;
  alignas(64) std::int32_t starts[kWidestSlab];
  GemmTile tile;
  tile.panel_bytes = product.panel_bytes;
  tile.c_stride = args.c_stride;
  tile.add = block.k0 > 0;
  tile.segments = block.segments;
  tile.segment_stride_bytes = args.lines.segment_stride_bytes;
  tile.groups = block.k / product.group;
  const Index rest = block.k % product.group;
  if (rest != 0 && block.formed != nullptr) {
    ++tile.groups;
  } else if (rest != 0) {
    tile.rest_shift = static_cast<int>(8 * (product.group - rest));
  }
  const auto* b = static_cast<const std::byte*>(args.packed_b) + block.k0 * tiling.columns;
  for (Index j = 0; j < args.n;) {
    const Index panels = std::min(product.slab, divide_up(args.n - j, tiling.columns));
    const Index columns = panels * tiling.columns;
    tile.panels = static_cast<int>(panels);
    tile.last_columns = static_cast<int>(std::min(args.n - j - (panels - 1) * tiling.columns, tiling.columns));
    tile.b = b;
    tile.c = args.c + j;
    tile.start = tile.add ? nullptr : slab_starts(product, j, columns, starts);
    for (Index i = block.first; i < block.first + block.count;) {
      const Index count = std::min(line - i % line, block.first + block.count - i);
      run_tiles(product, block, tile, i, count);
      i += count;
    }
    b += panels * product.panel_bytes;
    j += columns;
  }
}

// Rows per block: as many as have room in the buffer if they are formed, in blocks of equal size; whole lines where
// lines are short.
Index rows_of_block(const Product& product) {
  const GemmTiling& tiling = product.tiling;
  Index most = kRawRows;
  if (product.form != nullptr) {
    const bool narrow = product.args.n <= product.slab * tiling.columns;
    most = std::max(
        (narrow ? kNarrowFormedBytes : kFormedBytes) / (round_up(product.stretch, kStretchUnit) * tiling.element),
        Index{1});
  } else if (product.line < kRawRows) {
    return kRawRows / product.line * product.line;
  }
  const Index blocks = divide_up(product.args.m, most);
  return std::min(round_up(divide_up(product.args.m, blocks), product.most_rows(product.slab)), most);
}

Product make_product(const GemmTiling& tiling, const GemmArgs& args) {
  Product out{.tiling = tiling, .args = args};
  out.group = tiling.group / tiling.element;
  out.line = args.lines.rows > 0 ? args.lines.rows : args.m;
  out.segment = std::max(args.k / args.lines.segments, Index{1});
  if (args.lines.segments > 1 && out.segment < tiling.k_block) {
    out.stretch = tiling.k_block / out.segment * out.segment;
  } else {
    const Index stretches = divide_up(out.segment, tiling.k_block);
    out.stretch = round_up(divide_up(out.segment, stretches), kStretchUnit);
  }
  out.slab = tiling.panels;
  if (args.m <= 2) {
    out.slab = args.m == 1 ? kPanelsOfOneRow : std::max(kPanelsOfTwoRows, tiling.panels);
  }
  out.panel_bytes = round_up(args.k, out.group) * tiling.columns;
  out.form = tiling.form;
  if (out.form == nullptr && args.k < out.group) {
    out.form = form_copied;  // a tile reads whole groups
  }
  if (tiling.has_starts) {
    const Index panels = divide_up(args.n, tiling.columns);
    const auto* end = static_cast<const std::byte*>(args.packed_b) + panels * out.panel_bytes;
    out.packed_starts = reinterpret_cast<const std::int32_t*>(end);
  }
  return out;
}

// One stretch of k of the rows of `block`, segment by segment, into `formed`.
void form_rows(const Product& product, Block& block, std::byte* formed) {
  const Index element = product.tiling.element;
  block.formed = formed;
  block.formed_stride_bytes = round_up(block.segments * block.k, kStretchUnit) * element;
  for (Index i = block.first; i < block.first + block.count;) {
    const Index count = std::min(product.line - i % product.line, block.first + block.count - i);
    for (Index s = 0; s < block.segments; ++s) {
      product.form({.from = product.row(i) + product.offset(block.k0 + s * block.k),
                    .from_stride_bytes = product.args.a_stride_bytes,
                    .rows = count,
                    .count = block.k,
                    .padded = round_up(block.k, product.group),
                    .to = formed + (i - block.first) * block.formed_stride_bytes + s * block.k * element,
                    .to_stride_bytes = block.formed_stride_bytes});
    }
    i += count;
  }
  block.k *= block.segments;
  block.segments = 1;
}

}  // namespace

void run_blocked(const GemmTiling& tiling, const GemmArgs& args) {
  if (args.m <= 0 || args.n <= 0) {
    return;
  }
  const Product product = make_product(tiling, args);
  const Index rows = rows_of_block(product);
  alignas(64) std::byte formed[kFormedBytes];
  for (Index first = 0; first < args.m; first += rows) {
    Index k0 = 0;
    do {  // once where k is 0
      const bool whole = product.stretch >= product.segment;
      const Index k = std::min(product.stretch, whole ? args.k - k0 : product.segment - k0 % product.segment);
      Block block{.first = first, .count = std::min(rows, args.m - first), .k0 = k0, .k = k};
      if (whole && args.lines.segments > 1) {
        block.segments = k / product.segment;
        block.k = product.segment;
      }
      if (product.form != nullptr) {
        form_rows(product, block, formed);
      }
      run_slabs(product, block);
      k0 += k;
    } while (k0 < args.k);
  }
}

}  // namespace assay::kernels
