// SPDX-License-Identifier: Apache-2.0
// The 256 x 256 table of operands through every dot-product lane of every kernel: each place of a group of k (and of a
// vector of groups, where rows are read as vectors), each column of a slab of panels and each row of a tile sees every
// pair of bytes, in products of many tiles and in tiles of each number of rows and panels that a kernel has.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "tests/engine/kernels/gemm/gemm_case.h"
#include "tests/support/byte_value.h"
#include "tests/support/kernel_runs.h"

namespace assay::test {
namespace {

constexpr Index kValues = 256;

// The bytes are rotated by every distance within a tile and a slab: a row of a tile (column of a slab) meets values
// that are a tile (slab) apart in one product, and those between in the others.
struct Rotations {
  Index rows = 16;
  Index columns = 64;
  Index depth = 7;  // k: a vector of groups, one group more and the rest of one, as far as the kernels have them
};
Rotations rotations_of(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
    case Isa::kSse41:
      return {.rows = 1, .columns = 8};
    case Isa::kAvx2:
    case Isa::kAvxVnni:
      return {.rows = 12, .columns = 16};
    case Isa::kAvx512:
    case Isa::kAvx512Vnni:
    case Isa::kAmxInt8:
      return {.rows = 16, .columns = 64};
    case Isa::kNeon:
      return {.rows = 4, .columns = 16, .depth = 11};
    case Isa::kNeonDot:
      return {.rows = 4, .columns = 16, .depth = 21};
    case Isa::kNeonI8mm:
      return {.rows = 4, .columns = 16, .depth = 9};
  }
  return {};
}

// What the tiles of an ISA's kernels are made of: the wider of their forms.
struct TileSizes {
  Index rows = 0;     // at most, of a tile; 0: plain loops
  Index columns = 8;  // of a panel
  Index panels = 2;   // of a slab; one row takes more, and two rows do
  // Whether slabs of fewer panels see the whole table too, which takes 65,536 products for each size of a tile.
  bool narrow_slabs = true;
};
constexpr Index kPanelsOfOneRow = 8;
constexpr Index kPanelsOfTwoRows = 4;

TileSizes tile_sizes_of(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
    case Isa::kSse41:
      return {};
    case Isa::kAvx2:
      return {.rows = 6};
    case Isa::kAvxVnni:
      return {.rows = 12};
    case Isa::kAvx512:
    case Isa::kAvx512Vnni:
      return {.rows = 12, .columns = 16, .panels = 4};
    case Isa::kAmxInt8:
      return {.rows = 32, .columns = 16, .panels = 2};
    case Isa::kNeon:
    case Isa::kNeonDot:
    case Isa::kNeonI8mm:
      return {.rows = 8, .narrow_slabs = false};  // tested under emulation, where that would take an hour
  }
  return {};
}

// A product with rows i + rotation and columns values[j] at one place of k, else 0.
class Table {
 public:
  Table(const kernels::GemmKernel& kernel, Index m, Index n, Index depth)
      : kernel_(kernel),
        m_(m),
        n_(n),
        depth_(depth),
        signs_(signs_of(kernel.operands)),
        a_(static_cast<std::size_t>(m * depth)),
        b_(static_cast<std::size_t>(n * depth)),
        products_(static_cast<std::size_t>(kValues * n)),
        c_(static_cast<std::size_t>(m * n)),
        packed_(AlignedBuffer::allocate(static_cast<std::size_t>(kernel.packed_bytes(n, depth)))) {
    ran(kernel);
  }

  bool ready() const { return packed_.ok(); }

  // B as [n, k]; `value` gives that of a column.
  template <typename Value>
  void set_b(Index place, const Value& value) {
    std::vector<std::uint8_t> columns;
    for (Index j = 0; j < n_; ++j) {
      columns.push_back(static_cast<std::uint8_t>(value(j)));
    }
    std::fill(b_.begin(), b_.end(), std::uint8_t{0});
    for (Index j = 0; j < n_; ++j) {
      b_[static_cast<std::size_t>(j * depth_ + place)] = columns[static_cast<std::size_t>(j)];
    }
    if (columns != columns_) {
      columns_ = std::move(columns);
      multiply_naively();
    }
    kernel_.pack({.n = n_,
                  .k = depth_,
                  .b = b_.data(),
                  .k_stride_bytes = 1,
                  .n_stride_bytes = depth_,
                  .packed = packed_.value().data()});
  }

  void set_a(Index place, Index rotation) {
    for (Index i = 0; i < m_; ++i) {
      for (Index p = 0; p < depth_; ++p) {
        a_[static_cast<std::size_t>(i * depth_ + p)] = static_cast<std::uint8_t>(p == place ? i + rotation : 0);
      }
    }
    rotation_ = rotation;
  }

  // The number of rows with a wrong product.
  Index multiply() {
    kernel_.run({.m = m_,
                 .n = n_,
                 .k = depth_,
                 .a = a_.data(),
                 .a_stride_bytes = depth_,
                 .packed_b = packed_.value().data(),
                 .c = c_.data(),
                 .c_stride = n_});
    Index wrong = 0;
    for (Index i = 0; i < m_; ++i) {
      const std::int32_t* expected = products_.data() + (i + rotation_) % kValues * n_;
      const std::int32_t* c = c_.data() + i * n_;
      wrong += std::equal(c, c + n_, expected) ? 0 : 1;
    }
    return wrong;
  }

 private:
  void multiply_naively() {
    auto product = products_.begin();
    for (Index left = 0; left < kValues; ++left) {
      const std::int32_t row = test::byte_value(left, signs_.a);
      for (const std::uint8_t column : columns_) {
        *product++ = row * test::byte_value(column, signs_.b);
      }
    }
  }

  const kernels::GemmKernel& kernel_;
  Index m_;
  Index n_;
  Index depth_;
  OperandSigns signs_;
  Index rotation_ = 0;
  std::vector<std::uint8_t> a_;
  std::vector<std::uint8_t> b_;
  std::vector<std::uint8_t> columns_;
  std::vector<std::int32_t> products_;  // [value of A, column]
  std::vector<std::int32_t> c_;
  Result<AlignedBuffer> packed_;
};

TEST(GemmOperandTable, EveryLaneMultipliesEveryPairOfBytes) {
  for (const kernels::GemmKernel* kernel : runnable_kernels()) {
    const Rotations rotations = rotations_of(kernel->isa);
    Table table(*kernel, kValues, kValues, rotations.depth);
    ASSERT_TRUE(table.ready());
    for (Index place = 0; place < rotations.depth; ++place) {
      for (Index b_rotation = 0; b_rotation < rotations.columns; ++b_rotation) {
        table.set_b(place, [&](Index j) { return j + b_rotation; });
        for (Index a_rotation = 0; a_rotation < rotations.rows; ++a_rotation) {
          table.set_a(place, a_rotation);
          ASSERT_EQ(table.multiply(), 0) << kernel->name << ", place " << place << ", rotations " << a_rotation
                                         << " and " << b_rotation;
        }
      }
    }
  }
}

// A slab of the most panels comes 256 times in one product, each time with the next value in each of its columns; one
// of fewer panels is the last of a product, which is done 256 times instead.
void expect_tile_multiplies_every_pair(const kernels::GemmKernel& kernel, Index rows, Index columns, bool whole_slab) {
  const Index depth = rotations_of(kernel.isa).depth;
  Table table(kernel, rows, whole_slab ? columns * kValues : columns, depth);
  ASSERT_TRUE(table.ready());
  for (Index place = 0; place < depth; ++place) {
    for (Index b_rotation = 0; b_rotation < (whole_slab ? 1 : kValues); ++b_rotation) {
      table.set_b(place, [&](Index j) { return j / columns + j % columns + b_rotation; });
      for (Index a_rotation = 0; a_rotation < kValues; ++a_rotation) {
        table.set_a(place, a_rotation);
        ASSERT_EQ(table.multiply(), 0) << kernel.name << ", " << rows << " rows, " << columns << " columns, place "
                                       << place << ", rotations " << a_rotation << " and " << b_rotation;
      }
    }
  }
}

TEST(GemmOperandTable, TilesOfEveryNumberOfRowsAndPanelsMultiplyEveryPairOfBytes) {
  for (const kernels::GemmKernel* kernel : runnable_kernels()) {
    const TileSizes sizes = tile_sizes_of(kernel->isa);
    for (Index rows = 1; rows <= sizes.rows; ++rows) {
      const Index most = rows == 1   ? kPanelsOfOneRow
                         : rows == 2 ? std::max(kPanelsOfTwoRows, sizes.panels)
                                     : sizes.panels;
      for (Index panels = sizes.narrow_slabs ? 1 : most; panels <= most; ++panels) {
        ASSERT_NO_FATAL_FAILURE(
            expect_tile_multiplies_every_pair(*kernel, rows, panels * sizes.columns, panels == most));
      }
    }
  }
}

}  // namespace
}  // namespace assay::test
