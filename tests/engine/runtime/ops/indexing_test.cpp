// SPDX-License-Identifier: Apache-2.0
// Gather, Scatter, Slice, Split, Tile, TopK, OneHot, Cast and Range where types, signs and bounds matter.
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/engine/runtime/ops/float_data.h"

namespace assay::test {
namespace {

template <typename T>
Tensor row(const std::vector<T>& values) {
  return Tensor::from<T>({static_cast<Index>(values.size())}, values);
}
Tensor list(const std::vector<Index>& values) { return row<Index>(values); }
Tensor grid() { return Tensor::from<float>({2, 3}, {0, 1, 2, 3, 4, 5}); }

TEST(Gather, CountsNegativeIndicesFromTheEnd) {
  const AttributeMap axis = {{"axis", Index{-1}}};
  const Tensor y = run_one({.op_type = "Gather", .attributes = axis, .inputs = {grid(), list({-1, 0})}});
  EXPECT_TRUE(bytes_equal(y, Tensor::from<float>({2, 2}, {2, 0, 5, 3})));
  EXPECT_EQ(refusal({.op_type = "Gather", .attributes = axis, .inputs = {grid(), list({3})}}),
            "an index must lie in [-3, 2]; found 3");
  const Tensor scalar = run_one({.op_type = "Gather", .inputs = {list({4, 5, 6}), Tensor::scalar(Index{1})}});
  EXPECT_TRUE(bytes_equal(scalar, Tensor::scalar(Index{5})));
}

TEST(ScatterElements, CombinesRepeatedIndices) {
  const auto run = [](const std::string& reduction) {
    return run_one({.op_type = "ScatterElements",
                    .attributes = {{"axis", Index{1}}, {"reduction", reduction}},
                    .inputs = {grid(), Tensor::from<Index>({1, 2}, {1, 1}), Tensor::from<float>({1, 2}, {10, 20})},
                    .opset = 18});
  };
  EXPECT_TRUE(bytes_equal(run("none"), Tensor::from<float>({2, 3}, {0, 20, 2, 3, 4, 5})));
  EXPECT_TRUE(bytes_equal(run("add"), Tensor::from<float>({2, 3}, {0, 31, 2, 3, 4, 5})));
  EXPECT_TRUE(bytes_equal(run("mul"), Tensor::from<float>({2, 3}, {0, 200, 2, 3, 4, 5})));
  EXPECT_TRUE(bytes_equal(run("min"), Tensor::from<float>({2, 3}, {0, 1, 2, 3, 4, 5})));
}

TEST(Slice, WalksBackwardsAndClampsEnds) {
  constexpr Index kMin = std::numeric_limits<Index>::min();
  constexpr Index kMax = std::numeric_limits<Index>::max();
  const auto run = [](Index start, Index end, Index step) {
    return run_one(
        {.op_type = "Slice", .inputs = {list({0, 1, 2, 3, 4}), list({start}), list({end}), list({0}), list({step})}});
  };
  EXPECT_TRUE(bytes_equal(run(-1, kMin, -2), list({4, 2, 0})));
  EXPECT_TRUE(bytes_equal(run(1, kMax, 3), list({1, 4})));
  EXPECT_TRUE(bytes_equal(run(kMin, kMax, kMax), list({0})));
  EXPECT_EQ(run(3, 1, 1).size(), 0);
  EXPECT_EQ(run(0, 3, -1).size(), 0);
  EXPECT_EQ(refusal({.op_type = "Slice", .inputs = {list({1}), list({0}), list({1}), list({0}), list({0})}}),
            "a step must not be 0");
}

TEST(Split, LeavesTheLastPartSmaller) {
  const auto outcome = run_node({.op_type = "Split",
                                 .attributes = {{"num_outputs", Index{3}}},
                                 .inputs = {list({0, 1, 2, 3, 4, 5, 6})},
                                 .opset = 18,
                                 .outputs = 3},
                                {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(bytes_equal(outcome.value().outputs[0], list({0, 1, 2})));
  EXPECT_TRUE(bytes_equal(outcome.value().outputs[2], list({6})));
}

TEST(TopK, PutsTheLowerPositionFirstAmongEquals) {
  const auto outcome =
      run_node({.op_type = "TopK", .inputs = {list({5, 7, 7, 1}), list({3})}, .opset = 11, .outputs = 2}, {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(bytes_equal(outcome.value().outputs[0], list({7, 7, 5})));
  EXPECT_TRUE(bytes_equal(outcome.value().outputs[1], list({1, 2, 0})));
}

TEST(Tile, RepeatsInsideAndOutside) {
  const Tensor y = run_one({.op_type = "Tile", .inputs = {Tensor::from<Index>({1, 2}, {1, 2}), list({2, 2})}});
  EXPECT_TRUE(bytes_equal(y, Tensor::from<Index>({2, 4}, {1, 2, 1, 2, 1, 2, 1, 2})));
  EXPECT_EQ(run_one({.op_type = "Tile", .inputs = {list({1, 2}), list({0})}}).size(), 0);
}

TEST(OneHot, LeavesIndicesOutOfRangeOff) {
  const Tensor y =
      run_one({.op_type = "OneHot", .inputs = {list({1, -1, 5}), Tensor::scalar(Index{3}), row<float>({0, 2})}});
  EXPECT_TRUE(bytes_equal(y, Tensor::from<float>({3, 3}, {0, 2, 0, 0, 0, 2, 0, 0, 0})));
}

TEST(Cast, EndsAtTheLimitsOfTheInteger) {
  const auto to = [](Index type, const Tensor& x) {
    return run_one({.op_type = "Cast", .attributes = {{"to", type}}, .inputs = {x}});
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(bytes_equal(to(3, row<float>({-1.9F, 1e9F, -1e9F, nan})), row<std::int8_t>({-1, 127, -128, 0})));
  EXPECT_TRUE(bytes_equal(to(7, row<float>({1e30F})), list({std::numeric_limits<Index>::max()})));
  EXPECT_TRUE(bytes_equal(to(2, list({-1, 256 + 3})), row<std::uint8_t>({255, 3})));
  EXPECT_TRUE(bytes_equal(to(9, row<float>({0, -0.0F, 0.1F})), Tensor::from<bool>({3}, {false, false, true})));
  EXPECT_EQ(refusal({.op_type = "Cast", .attributes = {{"to", Index{8}}}, .inputs = {list({1})}}),
            "Cast node 'node' (opset 13): to 8 is no supported element type");
}

TEST(Range, CountsDownAndRefusesNoStep) {
  const auto scalars = [](Index start, Index limit, Index delta) {
    return std::vector<Tensor>{Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)};
  };
  EXPECT_TRUE(bytes_equal(run_one({.op_type = "Range", .inputs = scalars(10, 4, -3)}), list({10, 7})));
  EXPECT_EQ(run_one({.op_type = "Range", .inputs = scalars(1, 0, 1)}).size(), 0);
  EXPECT_EQ(refusal({.op_type = "Range", .inputs = scalars(0, 4, 0)}), "delta must not be 0");
}

TEST(NonZero, ListsCoordinates) {
  EXPECT_TRUE(bytes_equal(run_one({.op_type = "NonZero", .inputs = {grid()}}),
                          Tensor::from<Index>({2, 5}, {0, 0, 1, 1, 1, 1, 2, 0, 1, 2})));
}

// Values just off the middle between two neighbours of the narrow type, which float32 would put into the middle.
TEST(Cast, RoundsToFloat16AndBfloat16Once) {
  constexpr Index kFloat16 = 10;
  constexpr Index kBfloat16 = 16;
  const auto bits = [](const Tensor& x, Index to) {
    const Tensor y = run_one({.op_type = "Cast", .attributes = {{"to", to}}, .inputs = {x}});
    const auto* halves = reinterpret_cast<const std::uint16_t*>(y.bytes());
    return std::vector<std::uint16_t>(halves, halves + y.size());
  };
  const double tiny = std::ldexp(1.0, -40);
  const double infinity = std::numeric_limits<double>::infinity();
  const double middle = 1 + std::ldexp(1.0, -11);
  const double below = std::ldexp(1.0, -25) * (1 + tiny);  // half of the smallest float16, and a little
  EXPECT_EQ(bits(row<double>(
                     {middle + tiny, -middle - tiny, middle, below, -1e-300, 1e300, infinity, 65519.999999999, 65520}),
                 kFloat16),
            (std::vector<std::uint16_t>{0x3c01, 0xbc01, 0x3c00, 0x0001, 0x8000, 0x7c00, 0x7c00, 0x7bff, 0x7c00}));
  const double coarse = 1 + std::ldexp(1.0, -8);
  EXPECT_EQ(bits(row<double>({coarse + tiny, coarse, coarse - tiny, -1e300, -infinity}), kBfloat16),
            (std::vector<std::uint16_t>{0x3f81, 0x3f80, 0x3f80, 0xff80, 0xff80}));
  const Index wide = (Index{1} << 40) + (Index{1} << 32);
  EXPECT_EQ(bits(list({wide + 1, wide, -wide - 1, std::numeric_limits<Index>::min(), 0, -3}), kBfloat16),
            (std::vector<std::uint16_t>{0x5381, 0x5380, 0xd381, 0xdf00, 0x0000, 0xc040}));
  EXPECT_EQ(bits(row<std::int32_t>({(1 << 30) + (1 << 22) + 1, (1 << 30) + (1 << 22)}), kBfloat16),
            (std::vector<std::uint16_t>{0x4e81, 0x4e80}));
}

}  // namespace
}  // namespace assay::test
