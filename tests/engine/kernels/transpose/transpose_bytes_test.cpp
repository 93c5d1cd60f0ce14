// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/transpose/transpose_bytes.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/random.h"

namespace assay::kernels {
namespace {

TEST(TransposeBytes, EveryElementOfRandomShapesAndNothingElse) {
  constexpr std::uint8_t kUntouched = 0x5A;
  for (int i = 0; i < 300; ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const Index rows = random.integer(0, 50);
    const Index columns = random.integer(0, 50);
    const Index from_stride = columns + random.integer(0, 3);
    const Index to_stride = rows + random.integer(0, 3);
    std::vector<std::uint8_t> from(static_cast<std::size_t>(rows * from_stride));
    for (std::uint8_t& byte : from) {
      byte = static_cast<std::uint8_t>(random.integer(0, 255));
    }
    std::vector<std::uint8_t> expected(static_cast<std::size_t>(columns * to_stride), kUntouched);
    std::vector<std::uint8_t> to = expected;
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < columns; ++c) {
        expected[static_cast<std::size_t>(c * to_stride + r)] = from[static_cast<std::size_t>(r * from_stride + c)];
      }
    }
    transpose_bytes({.from = from.data(),
                     .rows = rows,
                     .columns = columns,
                     .from_stride = from_stride,
                     .to = to.data(),
                     .to_stride = to_stride});
    ASSERT_EQ(to, expected) << rows << " x " << columns;
  }
}

}  // namespace
}  // namespace assay::kernels
