// SPDX-License-Identifier: Apache-2.0
// MatMul and Gemm on float32.
#include <algorithm>

#include "tests/engine/runtime/ops/float_data.h"
#include "tests/engine/runtime/ops/run_operator.h"
#include "tests/support/oracle/float_reference.h"

namespace assay::test {
namespace {

TEST(MatMul, AgreesWithTheReferenceOnRandomMatrices) {
  Random random(9);
  for (int round = 0; round < 80; ++round) {
    const Index m = random.integer(1, 20);
    const Index n = random.integer(1, 20);
    const Index k = random.integer(1, 40);
    const Tensor a = random_floats(random, {m, k});
    const Tensor b = random_floats(random, {k, n});
    const NodeRun run{.op_type = "MatMul", .inputs = {a, b}, .computed = {true, round % 2 == 0}};
    expect_close(run_one(run, {.threads = 1 + round % 2}), {m, n}, oracle::float_matmul(floats(a), floats(b), m, n, k),
                 1e-5);
  }
}

// The reference product of one matrix each of a stack.
std::vector<double> part(const Tensor& a, Index a_at, const Tensor& b, Index b_at) {
  const Index m = a.dim(a.rank() - 2);
  const Index k = a.dim(a.rank() - 1);
  const Index n = b.dim(b.rank() - 1);
  const auto matrix = [](const Tensor& tensor, Index at, Index size) {
    const auto data = tensor.data<float>().subspan(static_cast<std::size_t>(at * size), static_cast<std::size_t>(size));
    return std::vector<float>(data.begin(), data.end());
  };
  return oracle::float_matmul(matrix(a, a_at, m * k), matrix(b, b_at, k * n), m, n, k);
}

TEST(MatMul, BroadcastsStacks) {
  Random random(10);
  const Tensor a = random_floats(random, {2, 1, 3, 4});
  const Tensor b = random_floats(random, {3, 4, 5});
  std::vector<double> expected;
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 3; ++j) {
      const auto product = part(a, i, b, j);
      expected.insert(expected.end(), product.begin(), product.end());
    }
  }
  expect_close(run_one({.op_type = "MatMul", .inputs = {a, b}}), {2, 3, 3, 5}, expected, 1e-5);
}

TEST(MatMul, MultipliesAStackByOneMatrix) {
  Random random(11);
  const Tensor a = random_floats(random, {2, 3, 4, 6});
  const Tensor b = random_floats(random, {6, 5});
  std::vector<double> expected;
  for (Index i = 0; i < 6; ++i) {
    const auto product = part(a, i, b, 0);
    expected.insert(expected.end(), product.begin(), product.end());
  }
  expect_close(run_one({.op_type = "MatMul", .inputs = {a, b}}), {2, 3, 4, 5}, expected, 1e-5);
}

// Large enough for several pieces, of rows, columns or a stack, with and without constants.
TEST(MatMul, ThreadsChangeNoBit) {
  Random random(15);
  for (int round = 0; round < 60; ++round) {
    const Index k = random.integer(1, 400);
    const Index stack = round % 3 == 0 ? random.integer(2, 13) : 1;
    const Index m = round % 5 == 1 ? 1 : random.integer(1, 300);
    const Index n =
        round % 5 == 2 ? 1 : std::clamp<Index>(random.integer(500'000, 9'000'000) / (m * k * stack), 1, 6000);
    const bool is_stack_of_both = random.chance(0.5);
    Shape a_shape = {m, k};
    Shape b_shape = {k, n};
    Shape y_shape = {m, n};
    if (stack > 1) {
      a_shape.insert(a_shape.begin(), {1, stack});
      y_shape.insert(y_shape.begin(), {1, stack});
      if (is_stack_of_both) {
        b_shape.insert(b_shape.begin(), stack);
      }
    }
    const Tensor a = random_floats(random, a_shape);
    const Tensor b = random_floats(random, b_shape);
    const NodeRun run{.op_type = "MatMul", .inputs = {a, b}, .computed = {true, round % 2 == 0}};
    const Tensor one = run_one(run);
    std::vector<double> expected;
    for (Index i = 0; i < stack; ++i) {
      const auto product = part(a, i, b, b.rank() > 2 ? i : 0);
      expected.insert(expected.end(), product.begin(), product.end());
    }
    expect_close(one, y_shape, expected, 1e-6 * static_cast<double>(k) + 1e-5);
    for (const int threads : {2, 3, 4}) {
      ASSERT_TRUE(bytes_equal(run_one(run, {.threads = threads}), one))
          << shape_text(a_shape) << " x " << shape_text(b_shape) << ", threads " << threads << ", seed " << test_seed();
    }
  }
}

TEST(MatMul, TakesVectorsAsNumpyDoes) {
  const Tensor row = Tensor::from<float>({3}, {1, 2, 3});
  const Tensor matrix = Tensor::from<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor column = Tensor::from<float>({2}, {10, 1});
  expect_close(run_one({.op_type = "MatMul", .inputs = {row, row}}), {}, {14}, 0);
  expect_close(run_one({.op_type = "MatMul", .inputs = {row, matrix}}), {2}, {22, 28}, 0);
  expect_close(run_one({.op_type = "MatMul", .inputs = {matrix, column}}), {3}, {12, 34, 56}, 0);
  const Tensor stack = matrix.reshaped({1, 3, 2});
  expect_close(run_one({.op_type = "MatMul", .inputs = {row, stack}}), {1, 2}, {22, 28}, 0);
  expect_close(run_one({.op_type = "MatMul", .inputs = {stack, column}}), {1, 3}, {12, 34, 56}, 0);
}

TEST(MatMul, FollowsAnOperandThatChanges) {
  Random random(14);
  for (const char* op_type : {"MatMul", "Gemm"}) {
    const auto op = operator_without_constants(op_type);
    for (int round = 0; round < 3; ++round) {
      const std::vector<Tensor> inputs = {random_floats(random, {8, 32}), random_floats(random, {32, 16})};
      runtime::RunContext context{.inputs = inputs};
      expect_close(test::run_operator(*op, context).value()[0], {8, 16},
                   oracle::float_matmul(floats(inputs[0]), floats(inputs[1]), 8, 16, 32), 1e-5);
    }
  }
}

TEST(MatMul, TakesEmptyMatrices) {
  const auto zeros = [](const Shape& shape) { return Tensor::allocate(DType::kFloat32, shape).value(); };
  expect_close(run_one({.op_type = "MatMul", .inputs = {zeros({2, 0}), zeros({0, 2})}}), {2, 2}, {0, 0, 0, 0}, 0);
  EXPECT_EQ(run_one({.op_type = "MatMul", .inputs = {zeros({0, 3}), zeros({3, 2})}}).shape(), (Shape{0, 2}));
  EXPECT_EQ(run_one({.op_type = "MatMul", .inputs = {zeros({0, 3, 3}), zeros({1, 3, 2})}}).shape(), (Shape{0, 3, 2}));
}

TEST(MatMul, CountsItsWorkAndNamesItsKernel) {
  const Tensor a = Tensor::allocate(DType::kFloat32, {2, 3, 4}).value();
  const Tensor b = Tensor::allocate(DType::kFloat32, {4, 5}).value();
  const NodeOutcome outcome = run_node({.op_type = "MatMul", .inputs = {a, b}}, {}).value();
  EXPECT_EQ(outcome.multiply_accumulates, 2 * 3 * 4 * 5);
  EXPECT_TRUE(outcome.kernel.kernel.starts_with("onednn:")) << outcome.kernel.kernel;
}

TEST(MatMul, RefusesShapesThatDoNotFit) {
  const auto message = [](const Shape& a, const Shape& b) {
    return refusal(
        {.op_type = "MatMul",
         .inputs = {Tensor::allocate(DType::kFloat32, a).value(), Tensor::allocate(DType::kFloat32, b).value()}});
  };
  EXPECT_EQ(message({2, 3}, {4, 2}), "A's columns must be as many as B's rows; found A [2,3] and B [4,2]");
  EXPECT_EQ(message({}, {4, 2}), "A and B must have at least one dimension; found [] and [4,2]");
  EXPECT_EQ(message({2, 2, 3}, {3, 3, 2}), "shapes [2] and [3] do not broadcast: 2 against 3");
}

TEST(Gemm, AgreesWithTheReference) {
  Random random(12);
  for (int round = 0; round < 60; ++round) {
    const Index m = random.integer(1, 9);
    const Index n = random.integer(1, 9);
    const Index k = random.integer(1, 30);
    const bool transposes_a = random.chance(0.5);
    const bool transposes_b = random.chance(0.5);
    const float alpha = random.chance(0.5) ? 1.0F : 0.5F;
    const float beta = random.chance(0.5) ? 1.0F : -2.0F;
    const Tensor a = random_floats(random, {m, k});
    const Tensor b = random_floats(random, {k, n});
    const auto turned = [](const Tensor& tensor) { return run_one({.op_type = "Transpose", .inputs = {tensor}}); };
    const std::vector<Shape> c_shapes = {{m, n}, {n}, {1, n}, {m, 1}, {}, {1}};
    const Tensor c = random_floats(random, c_shapes[static_cast<std::size_t>(random.integer(0, 5))]);
    auto expected = oracle::float_matmul(floats(a), floats(b), m, n, k);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        const Index row = c.rank() == 2 && c.dim(0) > 1 ? i : 0;
        const Index column = c.rank() > 0 && c.dim(c.rank() - 1) > 1 ? j : 0;
        const Index columns = c.rank() > 0 ? c.dim(c.rank() - 1) : 1;
        double& value = expected[static_cast<std::size_t>(i * n + j)];
        value = value * static_cast<double>(alpha) +
                static_cast<double>(beta) * c.to_doubles()[static_cast<std::size_t>(row * columns + column)];
      }
    }
    const NodeRun run{.op_type = "Gemm",
                      .attributes = {{"alpha", alpha},
                                     {"beta", beta},
                                     {"transA", Index{transposes_a}},
                                     {"transB", Index{transposes_b}}},
                      .inputs = {transposes_a ? turned(a) : a, transposes_b ? turned(b) : b, c},
                      .computed = {true, round % 2 == 0}};
    expect_close(run_one(run), {m, n}, expected, 1e-5);
  }
}

TEST(Gemm, ThreadsChangeNoBit) {
  Random random(16);
  for (int round = 0; round < 16; ++round) {
    const Index m = random.integer(1, 200);
    const Index k = random.integer(20, 200);
    const Index n = std::max<Index>(1, random.integer(2'000'000, 6'000'000) / (m * k));
    const bool transposes_a = random.chance(0.5);
    const bool transposes_b = random.chance(0.5);
    const NodeRun run{
        .op_type = "Gemm",
        .attributes = {{"alpha", 0.5F}, {"transA", Index{transposes_a}}, {"transB", Index{transposes_b}}},
        .inputs = {random_floats(random, transposes_a ? Shape{k, m} : Shape{m, k}),
                   random_floats(random, transposes_b ? Shape{n, k} : Shape{k, n}), random_floats(random, {n})},
        .computed = {true, round % 2 == 0}};
    const Tensor one = run_one(run);
    for (const int threads : {2, 3, 4}) {
      ASSERT_TRUE(bytes_equal(run_one(run, {.threads = threads}), one))
          << m << " x " << k << " x " << n << ", threads " << threads << ", seed " << test_seed();
    }
  }
}

TEST(Gemm, RefusesShapesThatDoNotFit) {
  const auto zeros = [](const Shape& shape) { return Tensor::allocate(DType::kFloat32, shape).value(); };
  EXPECT_EQ(
      refusal({.op_type = "Gemm", .attributes = {{"transB", Index{1}}}, .inputs = {zeros({2, 3}), zeros({3, 4})}}),
      "the columns of A' must be as many as the rows of B'; found A [2,3] and B [3,4] transposed");
  EXPECT_EQ(refusal({.op_type = "Gemm", .inputs = {zeros({2, 3}), zeros({3, 4}), zeros({3})}}),
            "C must broadcast to the product's shape [2,4]; found [3]");
  EXPECT_EQ(refusal({.op_type = "Gemm", .inputs = {zeros({2, 3}), zeros({3, 4}), zeros({1, 2, 4})}}),
            "C must broadcast to the product's shape [2,4]; found [1,2,4]");
  EXPECT_EQ(refusal({.op_type = "Gemm", .inputs = {zeros({3}), zeros({3, 4})}}), "A must have rank 2; found [3]");
}

}  // namespace
}  // namespace assay::test
