// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/channel_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/runtime/executor.h"
#include "tests/support/random.h"

namespace assay::runtime {
namespace {

using Values = std::map<std::string, Tensor>;

Tensor random_tensor(test::Random& random, const Shape& shape) {
  Tensor tensor = Tensor::allocate(DType::kFloat32, shape).value();
  for (float& value : tensor.mutable_data<float>()) {
    value = random.normal(0, 1);
  }
  return tensor;
}

// Element (n, c, p) of [N, C, pixels] is at ((n * blocks + c / B) * pixels + p) * B + c % B.
TEST(ChannelBlocks, InRowsIsTheInverseOfTheirLayout) {
  test::Random random(41);
  for (int round = 0; round < 60; ++round) {
    const Index n = random.integer(1, 3);
    const Index c = random.integer(1, 20);
    const Index h = random.integer(1, 12);
    const Index w = random.integer(1, 12);
    const Index block = random.chance(0.3) ? c : random.chance(0.5) ? 8 : 16;
    const Tensor rows = random_tensor(random, {n, c, h, w});
    ChannelBlocks blocks = allocate_blocks(rows.shape(), block).value();
    const Index count = blocks.data.dim(1);
    const auto data = blocks.data.mutable_data<float>();
    std::fill(data.begin(), data.end(), 7.0F);
    for (Index i = 0; i < rows.size(); ++i) {
      const Index pixel = i % (h * w);
      const Index channel = i / (h * w) % c;
      const Index image = i / (h * w * c);
      data[static_cast<std::size_t>(((image * count + channel / block) * h * w + pixel) * block + channel % block)] =
          rows.data<float>()[static_cast<std::size_t>(i)];
    }
    EXPECT_TRUE(bytes_equal(in_rows(blocks, 1).value(), rows)) << shape_text(rows.shape()) << " block " << block;
    EXPECT_TRUE(bytes_equal(in_rows(blocks, 2).value(), rows)) << shape_text(rows.shape()) << " block " << block;
    EXPECT_EQ(blocks.padding(), count * block - c);

    clear_padding(blocks);
    EXPECT_TRUE(bytes_equal(in_rows(blocks, 1).value(), rows));
    const auto sevens = std::count(data.begin(), data.end(), 7.0F);
    const auto in_value = std::count(rows.data<float>().begin(), rows.data<float>().end(), 7.0F);
    EXPECT_EQ(sevens, in_value);

    const std::optional<Tensor> any = in_any_order(blocks);
    ASSERT_EQ(any.has_value(), blocks.padding() == 0);
    if (any) {
      EXPECT_EQ(any->shape(), rows.shape());
      std::vector<float> sorted(any->data<float>().begin(), any->data<float>().end());
      std::vector<float> expected(rows.data<float>().begin(), rows.data<float>().end());
      std::sort(sorted.begin(), sorted.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(sorted, expected);
    }
  }
}

// A float network that grows node by node out of what oneDNN and blocks may or may not understand.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(test::Random& random) : random_(random) {
    graph_.opsets[""] = 16;
    shape_ = {random.integer(1, 3), random.integer(1, 20), random.integer(5, 14), random.integer(5, 14)};
    if (random.chance(0.15)) {
      shape_.pop_back();
    }
    std::vector<Dim> dims;
    for (const Index size : shape_) {
      dims.push_back({.size = size, .name = ""});
    }
    graph_.inputs = {{.name = "x", .dtype = DType::kFloat32, .has_shape = true, .dims = dims}};
  }

  void grow() {
    switch (random_.integer(0, 11)) {
      case 0:
        return unary();
      case 1:
        return binary();
      case 2:
        return pool("MaxPool");
      case 3:
        return pool("AveragePool");
      case 4:
        return normalize();
      case 5:
        return concat();
      case 6:
        return gate();
      case 7:
        return random_.chance(0.5) ? move() : unary();
      default:
        return conv();
    }
  }

  Graph take() {
    graph_.outputs = {{.name = value_, .dtype = DType::kFloat32, .has_shape = false, .dims = {}}};
    return std::move(graph_);
  }
  Index channels() const { return shape_[1]; }
  const std::string& text() const { return text_; }

 private:
  std::size_t spatial() const { return shape_.size() - 2; }

  std::string constant(Shape shape) {
    const std::string name = "c" + std::to_string(graph_.initializers.size());
    graph_.initializers[name] = random_tensor(random_, shape);
    return name;
  }
  std::string node(const std::string& op, std::vector<std::string> inputs, AttributeMap attributes = {}) {
    Node made;
    made.op_type = op;
    made.name = op + std::to_string(graph_.nodes.size());
    made.inputs = std::move(inputs);
    made.outputs = {made.name};
    made.attributes = std::move(attributes);
    graph_.nodes.push_back(made);
    text_ += " " + op;
    return made.name;
  }
  std::vector<Index> each(Index value) const { return std::vector<Index>(spatial(), value); }

  void conv() {
    const Index kernel = random_.chance(0.5) ? 1 : 3;
    const bool depthwise = random_.chance(0.3);
    const Index stride = random_.chance(0.2) && shape_.back() > 6 && shape_[2] > 6 ? 2 : 1;
    const Index outputs = depthwise             ? channels()
                          : random_.chance(0.5) ? 8 * random_.integer(1, 3)
                                                : random_.integer(1, 20);
    Shape weights = {outputs, depthwise ? 1 : channels()};
    weights.resize(shape_.size(), kernel);
    std::vector<std::string> inputs = {value_, constant(weights)};
    if (random_.chance(0.7)) {
      inputs.push_back(constant({outputs}));
    }
    value_ = node("Conv", inputs,
                  {{"strides", each(stride)},
                   {"pads", std::vector<Index>(2 * spatial(), kernel / 2)},
                   {"group", depthwise ? channels() : Index{1}}});
    shape_[1] = outputs;
    for (std::size_t i = 2; i < shape_.size(); ++i) {
      shape_[i] = (shape_[i] - 1) / stride + 1;
    }
    remember();
  }

  void unary() {
    constexpr const char* kOps[] = {"Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSwish", "Exp", "Softplus", "Identity"};
    value_ = node(kOps[random_.integer(0, 7)], {value_});
    remember();
  }

  void binary() {
    constexpr const char* kOps[] = {"Add", "Sub", "Mul", "Max", "Min", "Sum", "Div"};
    Shape other = {1};
    if (random_.chance(0.4)) {
      other.assign(shape_.size() - 1, 1);
      other[0] = channels();
    } else if (random_.chance(0.3)) {
      other = shape_;
    }
    const std::string partner = random_.chance(0.4) && !same_shape().empty() ? same_shape() : constant(other);
    if (random_.chance(0.15)) {
      other.assign(shape_.size() - 1, 1);
      other[0] = channels();
      value_ = node("PRelu", {value_, constant(other)});
    } else {
      value_ = random_.chance(0.5) ? node(kOps[random_.integer(0, 6)], {value_, partner})
                                   : node(kOps[random_.integer(0, 5)], {partner, value_});
    }
    remember();
  }

  void pool(const char* op) {
    if (*std::min_element(shape_.begin() + 2, shape_.end()) < 3) {
      return;
    }
    AttributeMap attributes = {
        {"kernel_shape", each(3)}, {"pads", std::vector<Index>(2 * spatial(), 1)}, {"strides", each(1)}};
    if (std::string(op) == "AveragePool") {
      attributes["count_include_pad"] = Index{random_.chance(0.5) ? 1 : 0};
    }
    value_ = node(op, {value_}, std::move(attributes));
    remember();
  }

  void normalize() {
    const std::string variance = constant({channels()});
    for (float& value : graph_.initializers[variance].mutable_data<float>()) {
      value = 0.1F + value * value;
    }
    value_ = node("BatchNormalization",
                  {value_, constant({channels()}), constant({channels()}), constant({channels()}), variance});
    remember();
  }

  void concat() {
    const std::string other = same_shape();
    if (!other.empty() && channels() < 40) {
      value_ = node("Concat", {other, value_}, {{"axis", Index{1}}});
      shape_[1] *= 2;
      remember();
    }
  }

  // Squeeze and excitation: a value [N, C, 1, 1] times [N, C, H, W].
  void gate() {
    const std::string pooled = node("GlobalAveragePool", {value_});
    Shape weights = {channels(), channels()};
    weights.resize(shape_.size(), 1);
    const std::string hidden = node("Conv", {pooled, constant(weights)});
    value_ = node("Mul", {value_, node("Sigmoid", {hidden})});
    remember();
  }

  // There and back again, by operators that know rows alone.
  void move() {
    std::vector<Index> order(shape_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = static_cast<Index>(i);
    }
    std::swap(order.front(), order.back());
    value_ = node("Transpose", {node("Transpose", {value_}, {{"perm", order}})}, {{"perm", order}});
    remember();
  }

  void remember() { made_[shape_].push_back(value_); }
  std::string same_shape() {
    const std::vector<std::string>& names = made_[shape_];
    return names.empty()
               ? ""
               : names[static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(names.size()) - 1))];
  }

  test::Random& random_;
  Graph graph_;
  Shape shape_;
  std::string value_ = "x";
  std::string text_;
  std::map<Shape, std::vector<std::string>> made_;
};

struct Ran {
  Values values;
  Values outputs;
};

Ran run(const Graph& graph, bool carry_blocks, int threads, const Values& inputs, bool in_any_order) {
  const Plan plan =
      build_plan(std::make_shared<const Graph>(graph), {.threads = threads, .carry_blocks = carry_blocks}).value();
  Ran ran;
  ExecuteOptions options;
  options.tap_in_any_order = in_any_order;
  options.tap = [&](const std::string& name, const Tensor& tensor) { ran.values[name] = tensor; };
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second run meets what operators keep
    auto result = execute(plan, inputs, options);
    EXPECT_TRUE(result.ok()) << result.error().message;
    ran.outputs = result.value().outputs;
  }
  return ran;
}

std::vector<float> sorted(const Tensor& tensor) {
  std::vector<float> elements(tensor.data<float>().begin(), tensor.data<float>().end());
  std::sort(elements.begin(), elements.end());
  return elements;
}

// No bit of any value of a random network depends on whether its values are carried in blocks.
// Equal bits; of a NaN, whose sign and payload follow the order in which a compiler takes the operands, that it is one.
bool same_values(const Tensor& a, const Tensor& b) {
  const auto x = a.data<float>();
  const auto y = b.data<float>();
  return a.shape() == b.shape() && std::equal(x.begin(), x.end(), y.begin(), y.end(), [](float p, float q) {
           return (std::isnan(p) && std::isnan(q)) || std::memcmp(&p, &q, sizeof(float)) == 0;
         });
}

TEST(ChannelBlocks, ChangeNoBitOfAnyValue) {
  test::Random random(42);
  int in_blocks = 0;
  const std::int64_t rounds = test::case_count(150);
  for (std::int64_t round = 0; round < rounds; ++round) {
    NetworkBuilder builder(random);
    for (std::int64_t size = random.integer(3, 14); size > 0; --size) {
      builder.grow();
    }
    const std::string text = builder.text();
    const Graph graph = builder.take();
    Shape shape;
    for (const Dim& dim : graph.inputs[0].dims) {
      shape.push_back(dim.size);
    }
    const Values inputs = {{"x", random_tensor(random, shape)}};
    const int threads = random.chance(0.5) ? 1 : 2;
    const Ran rows = run(graph, false, threads, inputs, false);
    const Ran blocks = run(graph, true, threads, inputs, false);
    const Ran any = run(graph, true, threads, inputs, true);
    ASSERT_EQ(rows.values.size(), blocks.values.size());
    for (const auto& [name, expected] : rows.values) {
      const Tensor& found = blocks.values.at(name);
      ASSERT_TRUE(same_values(found, expected))
          << name << " of" << text << " seed " << test::test_seed() << " round " << round;
      const Tensor& shuffled = any.values.at(name);
      ASSERT_EQ(shuffled.shape(), expected.shape());
      in_blocks += bytes_equal(shuffled, expected) ? 0 : 1;
      const bool comparable = std::all_of(expected.data<float>().begin(), expected.data<float>().end(),
                                          [](float value) { return value == value; });
      if (comparable) {
        ASSERT_EQ(sorted(shuffled), sorted(expected)) << name << " of" << text;
      }
    }
    for (const auto& [name, expected] : rows.outputs) {
      ASSERT_TRUE(same_values(blocks.outputs.at(name), expected));
      ASSERT_TRUE(same_values(any.outputs.at(name), expected));
    }
  }
  EXPECT_GT(in_blocks, rounds);  // or nothing was tried
}

}  // namespace
}  // namespace assay::runtime
