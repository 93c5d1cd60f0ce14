// SPDX-License-Identifier: Apache-2.0
// Sessions with equal constant float weights hold them once in the layout of their primitives.
#include "engine/runtime/shared_layout.h"

#include <thread>

#include "tests/engine/runtime/ops/float_data.h"
#include "tests/engine/runtime/ops/run_node.h"
#include "tests/support/random.h"

namespace assay::runtime {
namespace {

using onednn::shared_layout_count;
using test::Random;
using test::random_floats;

Tensor copy_of(const Tensor& tensor) {
  Tensor copy = Tensor::allocate(tensor.dtype(), tensor.shape()).value();
  std::memcpy(copy.mutable_bytes(), tensor.bytes(), tensor.size_bytes());
  return copy;
}

// y = op(x, w), of which w is constant or not.
class Layer {
 public:
  Layer(const std::string& op_type, const Tensor& w, bool is_constant = true) : w_(w) {
    graph_.opsets = {{"", 13}};
    Node node;
    node.op_type = op_type;
    node.inputs = {"x", "w"};
    node.outputs = {"y"};
    if (is_constant) {
      graph_.initializers["w"] = w;
    }
    graph_.nodes = {node};
    op_ = prepare_operator({.graph = graph_,
                            .node = graph_.nodes[0],
                            .profile = {.isa = best_isa(host_features())},
                            .features = host_features()})
              .value();
  }

  Tensor run(const Tensor& x) {
    const std::vector<Tensor> inputs = {x, w_};
    RunContext context{.inputs = inputs};
    auto outputs = test::run_operator(*op_, context);
    EXPECT_TRUE(outputs.ok()) << outputs.error().message;
    return outputs.value().at(0);
  }

 private:
  Graph graph_;
  Tensor w_;
  std::unique_ptr<Operator> op_;
};

struct Row {
  const char* op_type;
  Shape x;
  Shape w;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"Conv", {1, 32, 20, 20}, {64, 32, 3, 3}}, {"MatMul", {64, 200}, {200, 300}}, {"Gemm", {64, 200}, {200, 300}}};
  return kRows;
}

TEST(SharedLayout, EqualWeightsAreLaidOutOnce) {
  Random random(91);
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.op_type);
    const std::size_t before = shared_layout_count();
    const Tensor x = random_floats(random, row.x);
    const Tensor w = random_floats(random, row.w);
    Tensor other = copy_of(w);
    other.mutable_data<float>()[100] += 1;
    {
      Layer(row.op_type, w, false).run(x);
      EXPECT_EQ(shared_layout_count(), before) << "weights that may change are nobody else's";
      Layer first(row.op_type, w);
      const Tensor expected = first.run(x);
      const std::size_t of_one = shared_layout_count() - before;  // 0 where they lie as the primitive wants them
      if (row.op_type == std::string("Conv")) {
        EXPECT_GE(of_one, 1U);
      }
      Layer second(row.op_type, copy_of(w));
      EXPECT_TRUE(bytes_equal(second.run(x), expected));
      EXPECT_EQ(shared_layout_count(), before + of_one) << "other memory, equal bytes";
      Layer third(row.op_type, other);
      EXPECT_FALSE(bytes_equal(third.run(x), expected));
      EXPECT_EQ(shared_layout_count(), before + 2 * of_one) << "one bit differs";
      EXPECT_TRUE(bytes_equal(first.run(x), expected));
    }
    EXPECT_EQ(shared_layout_count(), before) << "nobody holds any";
  }
}

TEST(SharedLayout, ThreadsShareThem) {
  Random random(92);
  const std::size_t before = shared_layout_count();
  for (const Row& row : rows()) {
    const Tensor x = random_floats(random, row.x);
    const Tensor w = random_floats(random, row.w);
    const Tensor expected = Layer(row.op_type, w).run(x);
    std::vector<int> equal(4, 0);
    std::vector<std::thread> threads;
    for (int& flag : equal) {
      threads.emplace_back([&flag, &row, &x, &w, &expected] {
        for (int i = 0; i < 3; ++i) {
          flag = bytes_equal(Layer(row.op_type, copy_of(w)).run(x), expected) ? 1 : 0;
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(equal, (std::vector<int>{1, 1, 1, 1})) << row.op_type;
  }
  EXPECT_EQ(shared_layout_count(), before);
}

}  // namespace
}  // namespace assay::runtime
