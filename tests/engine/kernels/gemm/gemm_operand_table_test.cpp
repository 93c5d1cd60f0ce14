// SPDX-License-Identifier: Apache-2.0
// The 256 x 256 table of operands through every dot-product lane of every kernel: each place of a group of k (and of a
// vector of groups, where rows are read as vectors), each column of the widest slab of panels and each row of a tile
// sees every pair of bytes.
#include <gtest/gtest.h>

#include <vector>

#include "engine/base/aligned_buffer.h"
#include "tests/engine/kernels/gemm/gemm_case.h"
#include "tests/support/kernel_runs.h"

namespace assay::test {
namespace {

constexpr Index kValues = 256;

// The bytes are rotated by every distance within a tile and a slab: a row of a tile (column of a slab) meets values
// that are a tile (slab) apart in one product, and those between in the others.
struct Rotations {
  Index rows = 16;
  Index columns = 64;
  Index depth = 4;  // k: a vector of groups, one group more and the rest of one, as far as the kernels have them
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

std::int32_t value_of(Index byte, bool is_signed) {
  const auto raw = static_cast<std::uint8_t>(byte);
  return is_signed ? static_cast<std::int8_t>(raw) : raw;
}

class Table {
 public:
  Table(const kernels::GemmKernel& kernel, Index depth)
      : kernel_(kernel),
        depth_(depth),
        signs_(signs_of(kernel.operands)),
        a_(static_cast<std::size_t>(kValues * depth)),
        b_(static_cast<std::size_t>(kValues * depth)),
        c_(kValues * kValues),
        packed_(AlignedBuffer::allocate(static_cast<std::size_t>(kernel.packed_bytes(kValues, depth)))) {}

  bool ready() const { return packed_.ok(); }

  // B as [n, k].
  void set_b(Index place, Index rotation) {
    for (Index j = 0; j < kValues; ++j) {
      for (Index p = 0; p < depth_; ++p) {
        b_[static_cast<std::size_t>(j * depth_ + p)] = static_cast<std::uint8_t>(p == place ? j + rotation : 0);
      }
    }
    kernel_.pack({.n = kValues,
                  .k = depth_,
                  .b = b_.data(),
                  .k_stride_bytes = 1,
                  .n_stride_bytes = depth_,
                  .packed = packed_.value().data()});
  }

  void set_a(Index place, Index rotation) {
    for (Index i = 0; i < kValues; ++i) {
      for (Index p = 0; p < depth_; ++p) {
        a_[static_cast<std::size_t>(i * depth_ + p)] = static_cast<std::uint8_t>(p == place ? i + rotation : 0);
      }
    }
  }

  // The number of wrong products.
  Index multiply(Index a_rotation, Index b_rotation) {
    ran(kernel_).run({.m = kValues,
                      .n = kValues,
                      .k = depth_,
                      .a = a_.data(),
                      .a_stride_bytes = depth_,
                      .packed_b = packed_.value().data(),
                      .c = c_.data(),
                      .c_stride = kValues});
    std::vector<std::int32_t> right(kValues);
    for (Index j = 0; j < kValues; ++j) {
      right[static_cast<std::size_t>(j)] = value_of(j + b_rotation, signs_.b);
    }
    Index wrong = 0;
    for (Index i = 0; i < kValues; ++i) {
      const std::int32_t left = value_of(i + a_rotation, signs_.a);
      const std::int32_t* c = c_.data() + i * kValues;
      for (std::size_t j = 0; j < kValues; ++j) {
        wrong += c[j] != left * right[j] ? 1 : 0;
      }
    }
    return wrong;
  }

 private:
  const kernels::GemmKernel& kernel_;
  Index depth_;
  OperandSigns signs_;
  std::vector<std::uint8_t> a_;
  std::vector<std::uint8_t> b_;
  std::vector<std::int32_t> c_;
  Result<AlignedBuffer> packed_;
};

TEST(GemmOperandTable, EveryLaneMultipliesEveryPairOfBytes) {
  for (const kernels::GemmKernel* kernel : runnable_kernels()) {
    const Rotations rotations = rotations_of(kernel->isa);
    Table table(*kernel, rotations.depth);
    ASSERT_TRUE(table.ready());
    for (Index place = 0; place < rotations.depth; ++place) {
      for (Index b_rotation = 0; b_rotation < rotations.columns; ++b_rotation) {
        table.set_b(place, b_rotation);
        for (Index a_rotation = 0; a_rotation < rotations.rows; ++a_rotation) {
          table.set_a(place, a_rotation);
          ASSERT_EQ(table.multiply(a_rotation, b_rotation), 0)
              << kernel->name << ", place " << place << ", rotations " << a_rotation << " and " << b_rotation;
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::test
