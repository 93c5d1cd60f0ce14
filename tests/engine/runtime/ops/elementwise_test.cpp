// SPDX-License-Identifier: Apache-2.0
// Add, Mul, Relu, Clip, LeakyRelu, Sigmoid, HardSwish.
#include <limits>

#include "tests/engine/runtime/ops/float_data.h"

namespace assay::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A random shape that broadcasts with `full`: leading dimensions left out, others set to 1.
Shape broadcastable(Random& random, const Shape& full) {
  Shape shape(full.begin() + random.integer(0, static_cast<Index>(full.size())), full.end());
  for (Index& dim : shape) {
    dim = random.chance(0.4) ? 1 : dim;
  }
  return shape;
}

// The element of `tensor` that broadcasting puts at a position of `shape`.
double broadcast_element(const Tensor& tensor, const Shape& shape, Index flat) {
  Index offset = 0;
  Index stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = shape.size() - 1 - i;
    const Index at = flat % shape[axis];
    flat /= shape[axis];
    if (i < tensor.rank()) {
      const Index dim = tensor.dim(tensor.rank() - 1 - i);
      offset += dim == 1 ? 0 : at * stride;
      stride *= dim;
    }
  }
  return tensor.to_doubles()[static_cast<std::size_t>(offset)];
}

TEST(Arithmetic, BroadcastsAnyShapes) {
  Random random(20);
  for (int round = 0; round < 200; ++round) {
    Shape full;
    for (Index rank = random.integer(0, 4); rank > 0; --rank) {
      full.push_back(random.integer(1, 4));
    }
    const Tensor a = random_floats(random, broadcastable(random, full));
    const Tensor b = random_floats(random, broadcastable(random, full));
    const Shape shape = broadcast_shape(a.shape(), b.shape()).value();
    const Tensor sum = run_one({.op_type = "Add", .inputs = {a, b}});
    const Tensor product = run_one({.op_type = "Mul", .inputs = {a, b}});
    ASSERT_EQ(sum.shape(), shape);
    ASSERT_EQ(product.shape(), shape);
    for (Index i = 0; i < sum.size(); ++i) {
      const auto x = static_cast<float>(broadcast_element(a, shape, i));
      const auto y = static_cast<float>(broadcast_element(b, shape, i));
      ASSERT_EQ(floats(sum)[static_cast<std::size_t>(i)], x + y) << shape_text(a.shape()) << shape_text(b.shape());
      ASSERT_EQ(floats(product)[static_cast<std::size_t>(i)], x * y);
    }
  }
}

TEST(Arithmetic, WrapsIntegers) {
  const auto run = [](const char* op, const Tensor& a, const Tensor& b) {
    return run_one({.op_type = op, .inputs = {a, b}, .opset = 14}).to_indices();
  };
  using Ints = std::vector<Index>;
  EXPECT_EQ(run("Add", Tensor::scalar<std::int8_t>(127), Tensor::scalar<std::int8_t>(1)), (Ints{-128}));
  EXPECT_EQ(run("Mul", Tensor::scalar<std::uint8_t>(255), Tensor::scalar<std::uint8_t>(255)), (Ints{1}));
  EXPECT_EQ(run("Mul", Tensor::scalar<std::uint16_t>(65535), Tensor::scalar<std::uint16_t>(65535)), (Ints{1}));
  EXPECT_EQ(run("Mul", Tensor::scalar<std::int16_t>(-32768), Tensor::scalar<std::int16_t>(-1)), (Ints{-32768}));
  EXPECT_EQ(run("Add", Tensor::scalar<std::int32_t>(2147483647), Tensor::scalar<std::int32_t>(1)),
            (Ints{-2147483648LL}));
  EXPECT_EQ(run("Mul", Tensor::scalar<std::int64_t>(Index{1} << 62), Tensor::scalar<std::int64_t>(2)),
            (Ints{std::numeric_limits<Index>::min()}));
  EXPECT_EQ(run("Add", Tensor::scalar<std::uint32_t>(4294967295U), Tensor::scalar<std::uint32_t>(2)), (Ints{1}));
  EXPECT_EQ(run("Sub", Tensor::scalar<std::uint8_t>(3), Tensor::scalar<std::uint8_t>(5)), (Ints{254}));
  EXPECT_EQ(run("Div", Tensor::scalar<std::int8_t>(-128), Tensor::scalar<std::int8_t>(-1)), (Ints{-128}));
  EXPECT_EQ(run("Div", Tensor::scalar<std::int32_t>(-7), Tensor::scalar<std::int32_t>(2)), (Ints{-3}));
  EXPECT_EQ(run("Div", Tensor::scalar<std::uint64_t>(7), Tensor::scalar<std::uint64_t>(2)), (Ints{3}));
}

TEST(Arithmetic, RefusesToDivideIntegersByZero) {
  const NodeRun run{.op_type = "Div",
                    .inputs = {Tensor::from<std::int32_t>({2}, {1, 2}), Tensor::from<std::int32_t>({2}, {1, 0})},
                    .opset = 14};
  EXPECT_EQ(refusal(run), "integers must not be divided by 0; found one in B");
}

TEST(Arithmetic, TakesEmptyTensorsAndRefusesOthers) {
  const auto zeros = [](DType dtype, const Shape& shape) { return Tensor::allocate(dtype, shape).value(); };
  EXPECT_EQ(
      run_one({.op_type = "Add", .inputs = {zeros(DType::kFloat32, {0, 3}), zeros(DType::kFloat32, {3})}}).shape(),
      (Shape{0, 3}));
  EXPECT_EQ(refusal({.op_type = "Add", .inputs = {zeros(DType::kFloat32, {2}), zeros(DType::kInt32, {2})}}),
            "A and B must have one type; found float32 and int32");
  EXPECT_EQ(refusal({.op_type = "Mul", .inputs = {zeros(DType::kFloat32, {2}), zeros(DType::kFloat32, {3})}}),
            "shapes [2] and [3] do not broadcast: 2 against 3");
  EXPECT_EQ(refusal({.op_type = "Mul", .inputs = {zeros(DType::kBool, {2}), zeros(DType::kBool, {2})}}),
            "A must have a float32, float64 or integer type; found bool");
  EXPECT_EQ(refusal({.op_type = "Add", .inputs = {zeros(DType::kFloat32, {2})}}),
            "Add node 'node' (opset 13): input 1 is missing; the first 2 are required");
}

TEST(Arithmetic, NamesTheArithmeticThatRan) {
  const Tensor floats_in = Tensor::from<float>({1}, {1});
  const Tensor ints_in = Tensor::from<std::int8_t>({1}, {1});
  EXPECT_EQ(run_node({.op_type = "Add", .inputs = {floats_in, floats_in}}, {}).value().kernel.arithmetic, "float32");
  EXPECT_EQ(run_node({.op_type = "Add", .inputs = {ints_in, ints_in}}, {}).value().kernel.arithmetic, "exact");
}

TEST(Relu, ClampsAtZero) {
  const Tensor x = Tensor::from<float>({5}, {-1, 0, 2, kNan, -kInfinity});
  expect_close(run_one({.op_type = "Relu", .inputs = {x}}), {5}, {0, 0, 2, kNan, 0}, 0);
  const Tensor q = Tensor::from<std::int8_t>({3}, {-128, 0, 127});
  EXPECT_EQ(run_one({.op_type = "Relu", .inputs = {q}, .opset = 14}).to_indices(), (std::vector<Index>{0, 0, 127}));
  const Tensor u = Tensor::from<std::uint8_t>({2}, {0, 255});
  EXPECT_TRUE(bytes_equal(run_one({.op_type = "Relu", .inputs = {u}, .opset = 14}), u));
  EXPECT_EQ(refusal({.op_type = "Relu", .inputs = {Tensor::from<bool>({1}, {true})}}),
            "X must have a float32, float64 or integer type; found bool");
}

TEST(Clip, TakesBoundsAsAttributesBeforeOpset11) {
  const Tensor x = Tensor::from<float>({4}, {-9, 1, 9, kNan});
  const AttributeMap both = {{"min", 0.0F}, {"max", 6.0F}};
  expect_close(run_one({.op_type = "Clip", .attributes = both, .inputs = {x}, .opset = 10}), {4}, {0, 1, 6, kNan}, 0);
  expect_close(run_one({.op_type = "Clip", .attributes = {{"max", 6.0F}}, .inputs = {x}, .opset = 6}), {4},
               {-9, 1, 6, kNan}, 0);
  expect_close(run_one({.op_type = "Clip", .inputs = {x}, .opset = 6}), {4}, {-9, 1, 9, kNan}, 0);
}

// Source: Clip-6, the attributes' defaults; Clip-13, "they default to numeric_limits::lowest() and
// numeric_limits::max()".
TEST(Clip, WithoutABoundInfinitiesAreTheLargestNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kLargest = std::numeric_limits<float>::max();
  const Tensor x = Tensor::from<float>({2}, {-kInfinity, kInfinity});
  for (const Index opset : {6, 13}) {
    const Tensor y = run_one({.op_type = "Clip", .inputs = {x}, .opset = opset});
    EXPECT_TRUE(bytes_equal(y, Tensor::from<float>({2}, {-kLargest, kLargest}))) << opset;
  }
  EXPECT_TRUE(bytes_equal(run_one({.op_type = "Relu", .inputs = {x}}), Tensor::from<float>({2}, {0, kInfinity})));
}

TEST(Clip, TakesBoundsAsInputsFromOpset11) {
  const Tensor x = Tensor::from<float>({3}, {-9, 1, 9});
  const Tensor low = Tensor::scalar(0.0F);
  const Tensor high = Tensor::scalar(6.0F);
  expect_close(run_one({.op_type = "Clip", .inputs = {x, low, high}}), {3}, {0, 1, 6}, 0);
  expect_close(run_one({.op_type = "Clip", .inputs = {x, low, Tensor()}}), {3}, {0, 1, 9}, 0);
  expect_close(run_one({.op_type = "Clip", .inputs = {x, Tensor(), high}}), {3}, {-9, 1, 6}, 0);
  expect_close(run_one({.op_type = "Clip", .inputs = {x, high, low}}), {3}, {0, 0, 0}, 0);  // high wins
  const Tensor q = Tensor::from<std::int8_t>({3}, {-128, 0, 127});
  const NodeRun integers{.op_type = "Clip",
                         .inputs = {q, Tensor::scalar<std::int8_t>(-5), Tensor::from<std::int8_t>({1}, {5})}};
  EXPECT_EQ(run_one(integers).to_indices(), (std::vector<Index>{-5, 0, 5}));
  EXPECT_EQ(refusal({.op_type = "Clip", .inputs = {q, low}}),
            "min must be a scalar of X's type int8; found float32 []");
  EXPECT_EQ(refusal({.op_type = "Clip", .inputs = {x, Tensor(), Tensor::from<float>({2}, {1, 2})}}),
            "max must be a scalar of X's type float32; found float32 [2]");
}

TEST(Activation, AgreesWithItsFormula) {
  Random random(21);
  Tensor x = random_floats(random, {200});
  for (float& value : x.mutable_data<float>()) {
    value *= 20;
  }
  std::vector<double> leaky;
  std::vector<double> sigmoid;
  std::vector<double> swish;
  for (const double value : x.to_doubles()) {
    leaky.push_back(value < 0 ? value * static_cast<double>(0.25F) : value);
    sigmoid.push_back(1 / (1 + std::exp(-value)));
    swish.push_back(value * std::min(1.0, std::max(0.0, value / 6 + 0.5)));
  }
  expect_close(run_one({.op_type = "LeakyRelu", .attributes = {{"alpha", 0.25F}}, .inputs = {x}}), {200}, leaky, 1e-6);
  expect_close(run_one({.op_type = "Sigmoid", .inputs = {x}}), {200}, sigmoid, 1e-6);
  expect_close(run_one({.op_type = "HardSwish", .inputs = {x}, .opset = 14}), {200}, swish, 1e-5);
  expect_close(run_one({.op_type = "LeakyRelu", .inputs = {Tensor::scalar(-1.0F)}}), {}, {-0.01}, 1e-9);
  const Tensor extremes = Tensor::from<float>({4}, {-kInfinity, -1000, 1000, kNan});
  expect_close(run_one({.op_type = "Sigmoid", .inputs = {extremes}}), {4}, {0, 0, 1, kNan}, 0);
  EXPECT_EQ(refusal({.op_type = "Sigmoid", .inputs = {Tensor::scalar<std::int32_t>(1)}}),
            "X must have one of the types float32; found int32");
}

}  // namespace
}  // namespace assay::test
