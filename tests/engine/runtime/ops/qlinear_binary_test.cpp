// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/engine/runtime/ops/quantized_data.h"
#include "tests/engine/runtime/ops/run_microsoft.h"
#include "tests/support/oracle/elementwise.h"

namespace assay {
namespace {

using test::NodeRun;
using test::Random;
using test::Setting;

struct Broadcasting {
  Shape a;
  Shape b;
  Shape y;
  std::vector<Index> a_strides;  // of y's dimensions in a, 0 where a repeats
  std::vector<Index> b_strides;
};

// The element of an operand that position `i` of y reads.
std::size_t source(std::size_t i, const Shape& shape, const std::vector<Index>& strides) {
  Index left = static_cast<Index>(i);
  Index out = 0;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    out += left % shape[axis] * strides[axis];
    left /= shape[axis];
  }
  return static_cast<std::size_t>(out);
}

const std::vector<Broadcasting>& broadcastings() {
  static const std::vector<Broadcasting> kCases = {
      {{4, 5}, {4, 5}, {4, 5}, {5, 1}, {5, 1}},
      {{2, 20000}, {1, 1}, {2, 20000}, {20000, 1}, {0, 0}},
      {{5}, {3, 5}, {3, 5}, {0, 1}, {5, 1}},
      {{2, 3, 1}, {3, 7}, {2, 3, 7}, {3, 1, 0}, {0, 7, 1}},
  };
  return kCases;
}

TEST(QLinearBinary, EqualsTheNaiveFormulaWithBroadcasting) {
  Random random(1);
  for (const std::string op_type : {"QLinearAdd", "QLinearMul"}) {
    for (const Broadcasting& shapes : broadcastings()) {
      const bool is_signed = random.chance(0.5);
      const std::int32_t low = is_signed ? -128 : 0;
      const oracle::Integers a = test::random_bytes(random, element_count(shapes.a).value(), is_signed);
      const oracle::Integers b = test::random_bytes(random, element_count(shapes.b).value(), is_signed);
      const oracle::Integers zero_points = test::random_bytes(random, 3, is_signed);
      const NodeRun run = test::microsoft_node(
          op_type, {test::byte_tensor(shapes.a, a, is_signed), Tensor::scalar(0.11F),
                    test::zero_point_tensor(zero_points[0], is_signed), test::byte_tensor(shapes.b, b, is_signed),
                    Tensor::scalar(0.07F), test::zero_point_tensor(zero_points[1], is_signed), Tensor::scalar(0.2F),
                    test::zero_point_tensor(zero_points[2], is_signed)});
      const oracle::ScaledOutput y{.scale = 0.2F, .type = {.zero_point = zero_points[2], .min = low, .max = low + 255}};
      for (const Isa isa : all_isas()) {
        const Setting setting{.profile = {isa, Precision::kFast}, .threads = 2};
        const auto outcome = test::run_node(run, setting);
        ASSERT_TRUE(outcome.ok()) << outcome.error().message;
        oracle::Integers expected;
        for (std::size_t i = 0; i < static_cast<std::size_t>(element_count(shapes.y).value()); ++i) {
          const oracle::Scaled left{a[source(i, shapes.y, shapes.a_strides)], 0.11F, zero_points[0]};
          const oracle::Scaled right{b[source(i, shapes.y, shapes.b_strides)], 0.07F, zero_points[1]};
          expected.push_back(op_type == "QLinearAdd" ? oracle::qlinear_add(left, right, y, isa != Isa::kSse41)
                                                     : oracle::qlinear_mul(left, right, y));
        }
        EXPECT_TRUE(bytes_equal(outcome.value().outputs[0], test::byte_tensor(shapes.y, expected, is_signed)))
            << op_type << " " << isa_name(isa);
      }
    }
  }
}

TEST(QLinearBinary, OperandsShareOneType) {
  const NodeRun run = test::microsoft_node(
      "QLinearAdd", {Tensor::scalar<std::uint8_t>(1), Tensor::scalar(1.0F), Tensor(), Tensor::scalar<std::int8_t>(1),
                     Tensor::scalar(1.0F), Tensor(), Tensor::scalar(1.0F)});
  EXPECT_THAT(test::refusal(run), testing::HasSubstr("B is uint8, found int8[]"));
}

}  // namespace
}  // namespace assay
