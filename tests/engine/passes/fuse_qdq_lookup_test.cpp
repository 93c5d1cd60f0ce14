// SPDX-License-Identifier: Apache-2.0
// A table must give what the nodes gave that it replaces: for every byte, in every type.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "tests/engine/passes/qdq_builder.h"
#include "tests/engine/passes/session_support.h"

namespace assay::test {
namespace {

using ::testing::ElementsAre;

// The float nodes from the value "x" to the value whose name is returned.
struct Function {
  const char* name;
  std::function<std::string(QdqBuilder&)> add;
  Types fused = {"ai.assay.ByteLookup"};
};

std::string one(QdqBuilder& builder, const std::string& op_type, const AttributeMap& attributes = {},
                const std::string& domain = "") {
  builder.node(op_type, "f", {"x"}, attributes, domain);
  return "f";
}

// Gelu as exporters write it out.
std::string gelu_of_erf(QdqBuilder& builder) {
  builder.constant("root", Tensor::scalar(1.41421354F))
      .constant("one", Tensor::scalar(1.0F))
      .constant("half", Tensor::scalar(0.5F))
      .node("Div", "scaled", {"x", "root"})
      .node("Erf", "erf", {"scaled"})
      .node("Add", "raised", {"erf", "one"})
      .node("Mul", "product", {"x", "raised"})
      .node("Mul", "f", {"product", "half"});
  return "f";
}

std::string swish(QdqBuilder& builder) {
  builder.node("Sigmoid", "gate", {"x"}).node("Mul", "f", {"x", "gate"});
  return "f";
}

std::string clipped_difference(QdqBuilder& builder) {
  builder.constant("low", Tensor::scalar(-0.3F)).constant("high", Tensor::scalar(0.4F));
  builder.node("Tanh", "t", {"x"}).node("Sub", "d", {"t", "high"}).node("Clip", "f", {"d", "low", "high"});
  return "f";
}

std::vector<Function> functions() {
  return {{"Tanh", [](QdqBuilder& b) { return one(b, "Tanh"); }},
          {"Erf", [](QdqBuilder& b) { return one(b, "Erf"); }},
          {"Gelu", [](QdqBuilder& b) { return one(b, "Gelu"); }},
          {"Gelu by tanh",
           [](QdqBuilder& b) {
             return one(b, "Gelu", {{"approximate", std::string("tanh")}});
           }},
          {"com.microsoft Gelu", [](QdqBuilder& b) { return one(b, "Gelu", {}, kMicrosoftDomain); }},
          {"HardSwish", [](QdqBuilder& b) { return one(b, "HardSwish"); }},
          {"Sigmoid", [](QdqBuilder& b) { return one(b, "Sigmoid"); }, {"com.microsoft.QLinearSigmoid"}},
          {"LeakyRelu",
           [](QdqBuilder& b) {
             return one(b, "LeakyRelu", {{"alpha", 0.1F}});
           },
           {"com.microsoft.QLinearLeakyRelu"}},
          {"Gelu of Erf", gelu_of_erf},
          {"x * Sigmoid(x)", swish},
          {"clipped", clipped_difference}};
}

Graph group(const Function& function, const QuantParams& from, const QuantParams& to) {
  QdqBuilder builder(20);
  builder.input("bytes", {2, 128}, from.dtype).output("y", to.dtype).dequantize("x", "bytes", from);
  const std::string value = function.add(builder);
  Graph graph = builder.quantize("y", value, to).build();
  graph.opsets[kMicrosoftDomain] = 1;
  return graph;
}

Tensor every_byte(DType dtype) {
  Tensor x = Tensor::allocate(dtype, {2, 128}).value();
  for (int i = 0; i < 256; ++i) {
    x.mutable_bytes()[i] = static_cast<std::byte>(i);
  }
  return x;
}

TEST(FuseQdqLookup, GivesWhatTheNodesGaveForEveryByteAndType) {
  const std::vector<QuantParams> sources = {{.scale = 0.03F, .zero_point = 128, .dtype = DType::kUint8},
                                            {.scale = 0.2F, .zero_point = 3, .dtype = DType::kUint8},
                                            {.scale = 0.05F, .zero_point = 0, .dtype = DType::kInt8},
                                            {.scale = 1.7F, .zero_point = -90, .dtype = DType::kInt8}};
  const std::vector<QuantParams> targets = {{.scale = 1.0F / 128, .zero_point = 128, .dtype = DType::kUint8},
                                            {.scale = 0.011F, .zero_point = 200, .dtype = DType::kUint8},
                                            {.scale = 0.02F, .zero_point = -77, .dtype = DType::kInt8}};
  int compared = 0;
  for (const Function& function : functions()) {
    for (const QuantParams& from : sources) {
      for (const QuantParams& to : targets) {
        // com.microsoft's operators have one type.
        const bool differs = from.dtype != to.dtype && function.fused[0] != "ai.assay.ByteLookup";
        const Graph graph = group(function, from, to);
        const api::NamedTensors inputs = {{"bytes", every_byte(from.dtype)}};
        const RunOutcome apart = run_graph(graph, inputs, {.level = api::Optimization::kNone});
        const RunOutcome fused = run_graph(graph, inputs, {.level = api::Optimization::kExtended});
        EXPECT_EQ(op_types(fused.optimized), differs ? Types{"ai.assay.ByteLookup"} : function.fused) << function.name;
        const Tensor& expected = apart.outputs.at("y");
        const Tensor& found = fused.outputs.at("y");
        ASSERT_EQ(found.dtype(), expected.dtype());
        ASSERT_EQ(found.shape(), expected.shape());
        EXPECT_EQ(std::memcmp(found.bytes(), expected.bytes(), expected.size_bytes()), 0)
            << function.name << " " << from.scale << " " << to.scale;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 11 * 12);
}

// Anchors in real numbers, so that table and nodes cannot be wrong together.
TEST(FuseQdqLookup, KnowsTheFunctions) {
  const QuantParams from = {.scale = 1.0F / 32, .zero_point = 0, .dtype = DType::kInt8};
  const QuantParams to = {.scale = 1.0F / 32, .zero_point = 0, .dtype = DType::kInt8};
  const auto at = [&](const std::string& name, int byte) {
    for (const Function& function : functions()) {
      if (function.name == name) {
        const RunOutcome outcome = run_graph(group(function, from, to), {{"bytes", every_byte(from.dtype)}}, {});
        return static_cast<int>(outcome.outputs.at("y").data<std::int8_t>()[static_cast<std::size_t>(byte)]);
      }
    }
    return 999;
  };
  EXPECT_EQ(at("Tanh", 32), 24);  // tanh(1) = 0.76159
  EXPECT_EQ(at("Erf", 16), 17);   // erf(0.5) = 0.52050
  EXPECT_EQ(at("Gelu", 32), 27);  // 0.84134
  EXPECT_EQ(at("Gelu of Erf", 32), 27);
  EXPECT_EQ(at("Gelu", 256 - 32), -5);      // -0.15866
  EXPECT_EQ(at("HardSwish", 96), 96);       // 3 where the gate is open
  EXPECT_EQ(at("x * Sigmoid(x)", 32), 23);  // 0.73106
}

Types after_pass(Graph graph) {
  const auto session = run_graph(graph, {{"bytes", every_byte(DType::kUint8)}}, {});
  return op_types(session.optimized);
}

TEST(FuseQdqLookup, LeavesWhatIsNoFunctionOfOneByte) {
  const auto builder = [] {
    QdqBuilder out(20);
    out.input("bytes", {2, 128}, DType::kUint8).output("y", DType::kUint8).dequantize("x", "bytes", kUnsigned);
    return out;
  };
  const auto tanh_of = [](QdqBuilder b, const std::string& value) {
    return after_pass(b.node("Tanh", "t", {value}).quantize("y", "t", kUnsigned).build());
  };
  EXPECT_THAT(tanh_of(builder(), "x"), ElementsAre("ai.assay.ByteLookup"));
  // A constant that differs from element to element, or could add a dimension.
  for (const Shape& shape : {Shape{128}, Shape{1}}) {
    QdqBuilder shifted = builder();
    shifted.constant("c", Tensor::from(shape, std::vector<float>(static_cast<std::size_t>(shape[0]), 1.0F)));
    shifted.node("Add", "sum", {"x", "c"});
    EXPECT_THAT(tanh_of(shifted, "sum"), ElementsAre("DequantizeLinear", "Add", "Tanh", "QuantizeLinear"));
  }
  // An inner value that is read outside.
  QdqBuilder shown = builder();
  shown.node("Tanh", "t", {"x"}).output("t").quantize("y", "t", kUnsigned);
  EXPECT_THAT(after_pass(shown.build()), ElementsAre("DequantizeLinear", "Tanh", "QuantizeLinear"));
  // Two sources.
  QdqBuilder two = builder();
  two.dequantize("other", "bytes", {.scale = 0.25F}).node("Add", "sum", {"x", "other"});
  EXPECT_THAT(tanh_of(two, "sum"),
              ElementsAre("DequantizeLinear", "DequantizeLinear", "Add", "Tanh", "QuantizeLinear"));
  // A clamp, a difference and a quotient alone are functions; sums and products are not.
  QdqBuilder relu = builder();
  const QuantParams half = {.scale = 0.25F, .zero_point = 128, .dtype = DType::kUint8};
  EXPECT_THAT(after_pass(relu.node("Relu", "r", {"x"}).quantize("y", "r", half).build()),
              ElementsAre("ai.assay.ByteLookup"));
  for (const std::string op_type : {"Add", "Sub", "Mul", "Div"}) {
    QdqBuilder arithmetic = builder();
    arithmetic.constant("c", Tensor::scalar(2.0F)).node(op_type, "m", {"x", "c"});
    const auto found = after_pass(arithmetic.quantize("y", "m", half).build());
    if (op_type == "Sub" || op_type == "Div") {
      EXPECT_THAT(found, ElementsAre("ai.assay.ByteLookup")) << op_type;
    } else {
      EXPECT_THAT(found, ElementsAre("DequantizeLinear", op_type, "QuantizeLinear"));
    }
  }
}

}  // namespace
}  // namespace assay::test
