// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/window.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace assay::runtime {
namespace {

using Ints = std::vector<Index>;

Node node_with(AttributeMap attributes) {
  Node node;
  node.op_type = "Conv";
  node.attributes = std::move(attributes);
  return node;
}

Result<Window> window_of(AttributeMap attributes, const Shape& x, const Ints& kernel) {
  ASSAY_ASSIGN(const WindowSpec spec, read_window_spec(node_with(std::move(attributes))));
  return resolve_window(spec, x, kernel);
}

std::string refusal(AttributeMap attributes, const Shape& x, const Ints& kernel) {
  const auto window = window_of(std::move(attributes), x, kernel);
  return window.ok() ? "" : window.error().message;
}

TEST(Window, ExplicitPadsRoundDown) {
  const Window window =
      window_of({{"strides", Ints{2, 3}}, {"dilations", Ints{2, 1}}, {"pads", Ints{1, 0, 2, 1}}}, {1, 1, 9, 10}, {3, 2})
          .value();
  EXPECT_EQ(window.h.output, (9 + 3 - 5) / 2 + 1);
  EXPECT_EQ(window.w.output, (10 + 1 - 2) / 3 + 1);
  EXPECT_EQ(window.h.pad_begin, 1);
  EXPECT_EQ(window.h.pad_end, 2);
  EXPECT_EQ(window.w.pad_begin, 0);
  EXPECT_EQ(window.w.pad_end, 1);
  EXPECT_EQ(window.output_shape({7, 5}), (Shape{7, 5, 4, 4}));
}

TEST(Window, OneDimensionIsTheWidth) {
  const Window window = window_of({{"strides", Ints{2}}, {"pads", Ints{1, 2}}}, {1, 1, 6}, {3}).value();
  EXPECT_EQ(window.rank, 1U);
  EXPECT_EQ(window.h.output, 1);
  EXPECT_EQ(window.w.output, 4);
  EXPECT_EQ(window.output_shape({1, 2}), (Shape{1, 2, 4}));
}

TEST(Window, SamePadsPutTheOddOneWhereTheNameSays) {
  for (const auto& [name, begin, end] : {std::tuple{"SAME_UPPER", 1, 2}, std::tuple{"SAME_LOWER", 2, 1}}) {
    const Window window = window_of({{"auto_pad", std::string(name)}}, {1, 1, 5}, {4}).value();
    EXPECT_EQ(window.w.output, 5) << name;
    EXPECT_EQ(window.w.pad_begin, begin) << name;
    EXPECT_EQ(window.w.pad_end, end) << name;
  }
  const Window strided =
      window_of({{"auto_pad", std::string("SAME_UPPER")}, {"strides", Ints{3}}}, {1, 1, 7}, {2}).value();
  EXPECT_EQ(strided.w.output, 3);
  EXPECT_EQ(strided.w.pad_begin + strided.w.pad_end, 1);
  const Window wide =
      window_of({{"auto_pad", std::string("SAME_UPPER")}, {"strides", Ints{4}}}, {1, 1, 8}, {1}).value();
  EXPECT_EQ(wide.w.output, 2);
  EXPECT_EQ(wide.w.pad_end, 0);
}

TEST(Window, ValidHasNoPads) {
  EXPECT_EQ(window_of({{"auto_pad", std::string("VALID")}}, {1, 1, 5}, {3}).value().w.output, 3);
}

// A last window that would start in the end padding is left out.
TEST(Window, CeilModeStartsNoWindowBeyondTheInput) {
  const AttributeMap stride2 = {{"ceil_mode", Index{1}}, {"strides", Ints{2}}};
  EXPECT_EQ(window_of(stride2, {1, 1, 6}, {3}).value().w.output, 3);
  AttributeMap padded = stride2;
  padded["pads"] = Ints{1, 1};
  EXPECT_EQ(window_of(padded, {1, 1, 4}, {1}).value().w.output, 3);
  EXPECT_EQ(
      window_of({{"ceil_mode", Index{1}}, {"strides", Ints{3}}, {"pads", Ints{0, 1}}}, {1, 1, 3}, {1}).value().w.output,
      1);
}

TEST(Window, RefusesBrokenAttributes) {
  const Shape x = {1, 1, 5, 5};
  const Ints k = {3, 3};
  EXPECT_EQ(refusal({{"strides", Ints{1, 0}}}, x, k), "strides must lie in [1, 2147483647]; found [1,0]");
  EXPECT_EQ(refusal({{"dilations", Ints{-1, 1}}}, x, k), "dilations must lie in [1, 2147483647]; found [-1,1]");
  EXPECT_EQ(refusal({{"pads", Ints{0, 0, -1, 0}}}, x, k), "pads must lie in [0, 2147483647]; found [0,0,-1,0]");
  EXPECT_EQ(refusal({{"pads", Ints{Index{1} << 31, 0, 0, 0}}}, x, k),
            "pads must lie in [0, 2147483647]; found [2147483648,0,0,0]");
  EXPECT_EQ(refusal({{"kernel_shape", Ints{0, 1}}}, x, k), "kernel_shape must lie in [1, 2147483647]; found [0,1]");
  EXPECT_EQ(refusal({{"kernel_shape", Ints{3, 2}}}, x, k),
            "kernel_shape must equal the spatial dimensions of the weights, [3,3]; found [3,2]");
  EXPECT_EQ(refusal({{"strides", Ints{1}}}, x, k), "strides must have 2 values; found [1]");
  EXPECT_EQ(refusal({{"pads", Ints{1, 1}}}, x, k), "pads must have 4 values; found [1,1]");
  EXPECT_EQ(refusal({{"pads", Ints{1, 1, 1}}}, x, k), "pads must have a begin and an end per dimension; found [1,1,1]");
  EXPECT_EQ(refusal({{"auto_pad", std::string("SAME")}}, x, k),
            "auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID; found 'SAME'");
  EXPECT_EQ(refusal({{"auto_pad", std::string("VALID")}, {"pads", Ints{1, 0, 0, 0}}}, x, k),
            "pads must not be given with auto_pad VALID; found [1,0,0,0]");
}

TEST(Window, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(refusal({}, {1, 1, 2, 5}, {3, 3}),
            "the window spans 3 elements, more than the padded input has: input 2, kernel 3, dilation 1, pads 0 and 0");
  EXPECT_EQ(refusal({}, {1, 1, 5, 5, 5}, {3, 3, 3}), "X must have the shape [N,C,W] or [N,C,H,W]; found [1,1,5,5,5]");
  EXPECT_EQ(refusal({}, {1, 1, 5}, {3, 3}),
            "the kernel must have 1 dimensions, as many as the spatial dimensions of X [1,1,5]; found [3,3]");
  EXPECT_EQ(refusal({}, {1, 1, 5}, {0}), "the kernel must lie in [1, 2147483647]; found 0");
}

TEST(Window, PoolsNeedAKernelAndSmallPads) {
  EXPECT_EQ(read_pool_spec(node_with({})).error().message, "the attribute kernel_shape is missing");
  const Window window = window_of({{"pads", Ints{2, 0}}}, {1, 1, 5}, {2}).value();
  EXPECT_EQ(check_pool_window(window).error().message,
            "pads must be smaller than the window's span of 2; found input 5, kernel 2, dilation 1, pads 2 and 0");
}

// The two ways to walk a window, by taps of an output and by outputs of a tap, against plain membership.
TEST(Window, TapAndOutputRangesAgreeWithTheFormula) {
  test::Random random(1);
  for (int round = 0; round < 500; ++round) {
    WindowAxis axis{.input = random.integer(0, 9),
                    .kernel = random.integer(1, 4),
                    .stride = random.integer(1, 4),
                    .dilation = random.integer(1, 3),
                    .pad_begin = random.integer(0, 6),
                    .pad_end = 0,
                    .output = random.integer(1, 8)};
    const auto inside = [&axis](Index o, Index k) {
      const Index at = o * axis.stride - axis.pad_begin + k * axis.dilation;
      return at >= 0 && at < axis.input;
    };
    for (Index o = 0; o < axis.output; ++o) {
      const TapRange taps = taps_inside(axis, o);
      for (Index k = 0; k < axis.kernel; ++k) {
        ASSERT_EQ(k >= taps.begin && k < taps.end, inside(o, k));
      }
      if (taps.end > taps.begin) {
        ASSERT_EQ(taps.first_input, o * axis.stride - axis.pad_begin + taps.begin * axis.dilation);
      }
    }
    for (Index k = 0; k < axis.kernel; ++k) {
      const OutputRange outputs = outputs_reading(axis, k);
      for (Index o = 0; o < axis.output; ++o) {
        ASSERT_EQ(o >= outputs.begin && o < outputs.end, inside(o, k));
      }
      if (outputs.end > outputs.begin) {
        ASSERT_EQ(outputs.first_input, outputs.begin * axis.stride - axis.pad_begin + k * axis.dilation);
      }
    }
  }
}

}  // namespace
}  // namespace assay::runtime
