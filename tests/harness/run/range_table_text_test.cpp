// SPDX-License-Identifier: Apache-2.0
#include "harness/run/range_table_text.h"

#include <gtest/gtest.h>

namespace assay::run {
namespace {

using Ranges = std::map<std::string, std::pair<double, double>>;

TEST(RangeLines, NamesMayHaveCommasAndQuotes) {
  EXPECT_EQ(parse_range_lines("f", "name,min,max\n# a remark\n\nx,-1,2\r\na,b , 0 , 1e3\n\"q\"\"d,\",-0.5,0.5").value(),
            (Ranges{{"x", {-1, 2}}, {"a,b", {0, 1000}}, {"q\"d,", {-0.5, 0.5}}}));
}

TEST(RangeLines, FaultsAreNamedWithTheirLine) {
  const auto message = [](const char* text) { return parse_range_lines("f", text).error().message; };
  EXPECT_EQ(message("x,-1,2\nx,3"), "f:2: a line must be NAME,MIN,MAX, found 'x,3'");
  EXPECT_EQ(message("x,2,1"), "f:1: MIN and MAX must be numbers with MIN <= MAX, found '2,1'");
  EXPECT_EQ(message("x,nan,1"), "f:1: MIN and MAX must be numbers with MIN <= MAX, found 'nan,1'");
  EXPECT_EQ(message("x,1,2z"), "f:1: MIN and MAX must be numbers with MIN <= MAX, found '1,2z'");
  EXPECT_EQ(message(",1,2"), "f:1: the tensor has no name");
  EXPECT_EQ(message("x,1,2\nx,1,2"), "f:2: tensor 'x' is there twice");
  EXPECT_EQ(message("plain text"), "f:1: a line must be NAME,MIN,MAX, found 'plain text'");
}

TEST(TensorRtCache, RangesAre127Steps) {
  // 3c010a14 is float32 0.00787594, 3f800000 is 1.
  const Ranges ranges =
      parse_tensorrt_cache("f", "TRT-8401-EntropyCalibration2\ndata: 3c010a14\nlayer:0: 3f800000\n").value();
  EXPECT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges.at("layer:0"), (std::pair<double, double>{-127, 127}));
  EXPECT_NEAR(ranges.at("data").second, 1.0002441, 1e-6);
  EXPECT_EQ(ranges.at("data").first, -ranges.at("data").second);
}

TEST(TensorRtCache, FaultsAreNamedWithTheirLine) {
  const std::string rule =
      "a line must be TENSOR: and the 8 hexadecimal digits of a finite scale that is not negative, found ";
  const auto message = [](const std::string& line) {
    return parse_tensorrt_cache("f", "TRT-7\n" + line).error().message;
  };
  EXPECT_EQ(message("x: 3f8"), "f:2: " + rule + "'x: 3f8'");
  EXPECT_EQ(message("x 3f800000"), "f:2: " + rule + "'x 3f800000'");
  EXPECT_EQ(message("x: 7f800000"), "f:2: " + rule + "'x: 7f800000'");
  EXPECT_EQ(message("x: bf800000"), "f:2: " + rule + "'x: bf800000'");
  EXPECT_EQ(message("x: 3f800000\nx: 3f800000"), "f:3: tensor 'x' is there twice");
}

}  // namespace
}  // namespace assay::run
