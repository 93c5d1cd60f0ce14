// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shape.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Shape, CountsElements) {
  EXPECT_EQ(element_count({}).value(), 1);
  EXPECT_EQ(element_count({2, 3, 4}).value(), 24);
  EXPECT_EQ(element_count({2, 0, 4}).value(), 0);
}

// Strides are products of dimensions, so that a 0 among them excuses no overflow.
TEST(Shape, HugeDimensionsAreRefusedBesideA0Too) {
  EXPECT_EQ(element_count({Index{1} << 33, 0}).value(), 0);
  EXPECT_EQ(element_count({0, Index{1} << 32, 2}).value(), 0);
  for (const Shape& shape :
       {Shape{Index{1} << 62, 0, Index{1} << 62}, Shape{0, Index{1} << 34}, Shape{0, Index{1} << 33, 2}}) {
    ASSERT_FALSE(element_count(shape).ok()) << shape_text(shape);
    EXPECT_EQ(element_count(shape).error().kind, ErrorKind::kUnsupported);
  }
}

TEST(Shape, RefusesNegativeAndHuge) {
  EXPECT_EQ(element_count({2, -1}).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(element_count({Index{1} << 40, Index{1} << 40}).error().kind, ErrorKind::kUnsupported);
}

TEST(Shape, Broadcasts) {
  EXPECT_EQ(broadcast_shape({3, 1}, {1, 4}).value(), (Shape{3, 4}));
  EXPECT_EQ(broadcast_shape({2, 3, 4}, {4}).value(), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast_shape({0}, {1}).value(), (Shape{0}));
  EXPECT_EQ(broadcast_shape({2}, {3}).error().message, "shapes [2] and [3] do not broadcast: 2 against 3");
}

TEST(Shape, NormalizesAxes) {
  EXPECT_EQ(normalize_axis(-1, 3, "Softmax").value(), 2);
  EXPECT_EQ(normalize_axis(3, 3, "Softmax").error().message, "Softmax: axis 3 is outside [-3, 2]");
  EXPECT_EQ(normalize_axis(-1, 0, "Softmax").error().message, "Softmax: axis -1 of a scalar: rank 0 has no axis");
}

}  // namespace
}  // namespace assay
