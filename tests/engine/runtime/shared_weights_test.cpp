// SPDX-License-Identifier: Apache-2.0
// Sessions with equal constant weights hold them packed once; what differs is packed apart.
#include "engine/runtime/shared_weights.h"

#include <thread>

#include "tests/engine/runtime/ops/quantized_data.h"
#include "tests/engine/runtime/ops/run_node.h"
#include "tests/engine/runtime/ops/run_operator.h"
#include "tests/support/random.h"

namespace assay::runtime {
namespace {

using test::Random;

template <typename T>
Tensor random_bytes(Random& random, const Shape& shape) {
  Tensor tensor = Tensor::allocate(DTypeOf<T>::value, shape).value();
  for (T& value : tensor.mutable_data<T>()) {
    value = static_cast<T>(random.integer(-100, 100));
  }
  return tensor;
}

std::unique_ptr<Operator> prepared(const std::string& op_type, const Tensor& w) {
  Graph graph;
  graph.opsets = {{"", 13}};
  Node node;
  node.op_type = op_type;
  node.inputs = {"x", "scale", "zero", "w", "scale", "w_zero", "scale", "zero"};
  node.outputs = {"y"};
  graph.initializers["w"] = w;
  graph.initializers["scale"] = Tensor::scalar(0.1F);
  graph.initializers["zero"] = Tensor::scalar<std::uint8_t>(128);
  graph.initializers["w_zero"] = Tensor::scalar<std::int8_t>(0);
  graph.nodes = {node};
  return prepare_operator({.graph = graph,
                           .node = graph.nodes[0],
                           .profile = {.isa = best_isa(host_features())},
                           .features = host_features()})
      .value();
}

TEST(SharedWeights, EqualBytesInOneLayoutArePackedOnce) {
  Random random(81);
  const std::size_t before = shared_weight_count();
  const Tensor w = random_bytes<std::int8_t>(random, {16, 8, 3, 3});
  Tensor equal = Tensor::allocate(w.dtype(), w.shape()).value();
  std::memcpy(equal.mutable_bytes(), w.bytes(), w.size_bytes());
  Tensor other = Tensor::allocate(w.dtype(), w.shape()).value();
  std::memcpy(other.mutable_bytes(), w.bytes(), w.size_bytes());
  other.mutable_data<std::int8_t>()[100] ^= 1;
  auto first = prepared("QLinearConv", w);
  EXPECT_EQ(shared_weight_count(), before + 1);
  auto second = prepared("QLinearConv", equal);
  EXPECT_EQ(shared_weight_count(), before + 1) << "other memory, equal bytes";
  auto third = prepared("QLinearConv", other);
  EXPECT_EQ(shared_weight_count(), before + 2) << "one bit differs";
  auto matrix = prepared("QLinearMatMul", w.reshaped({72, 16}));
  EXPECT_EQ(shared_weight_count(), before + 3) << "another layout";
  first.reset();
  EXPECT_EQ(shared_weight_count(), before + 3) << "the second holds it";
  second.reset();
  third.reset();
  matrix.reset();
  EXPECT_EQ(shared_weight_count(), before) << "nobody holds any";
}

TEST(SharedWeights, WhoeverPackedThemTheResultIsTheSame) {
  Random random(82);
  const Tensor w = random_bytes<std::int8_t>(random, {12, 8, 3, 3});
  const Tensor x = random_bytes<std::uint8_t>(random, {1, 8, 9, 11});
  const Tensor scale = Tensor::scalar(0.1F);
  const Tensor zero = Tensor::scalar<std::uint8_t>(128);
  const std::vector<Tensor> inputs = {x, scale, zero, w, scale, Tensor::scalar<std::int8_t>(0), scale, zero};
  const auto run = [&](Operator& op) {
    RunContext context{.inputs = inputs};
    return test::run_operator(op, context).value()[0];
  };
  const auto alone = prepared("QLinearConv", w);
  const Tensor expected = run(*alone);
  std::vector<Tensor> found(4);
  std::vector<std::thread> threads;
  for (Tensor& y : found) {
    threads.emplace_back([&] { y = run(*prepared("QLinearConv", w)); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const Tensor& y : found) {
    EXPECT_TRUE(bytes_equal(y, expected));
  }
}

}  // namespace
}  // namespace assay::runtime
