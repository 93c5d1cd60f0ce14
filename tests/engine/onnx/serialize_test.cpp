// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/serialize.h"

#include <gtest/gtest.h>

#include "tests/engine/onnx/model_builder.h"

namespace assay {
namespace {

using test::conv_model;
using test::load_bytes;
using test::load_model;

void expect_equal(const Graph& a, const Graph& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.ir_version, b.ir_version);
  EXPECT_EQ(a.opsets, b.opsets);
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    EXPECT_EQ(a.inputs[i].name, b.inputs[i].name);
    EXPECT_EQ(a.inputs[i].dtype, b.inputs[i].dtype);
    ASSERT_EQ(a.inputs[i].dims.size(), b.inputs[i].dims.size());
    for (std::size_t d = 0; d < a.inputs[i].dims.size(); ++d) {
      EXPECT_EQ(a.inputs[i].dims[d].size, b.inputs[i].dims[d].size);
      EXPECT_EQ(a.inputs[i].dims[d].name, b.inputs[i].dims[d].name);
    }
  }
  ASSERT_EQ(a.initializers.size(), b.initializers.size());
  for (const auto& [name, tensor] : a.initializers) {
    ASSERT_NE(b.constant(name), nullptr) << name;
    EXPECT_TRUE(bytes_equal(tensor, *b.constant(name))) << name;
  }
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].name, b.nodes[i].name);
    EXPECT_EQ(a.nodes[i].op_type, b.nodes[i].op_type);
    EXPECT_EQ(a.nodes[i].domain, b.nodes[i].domain);
    EXPECT_EQ(a.nodes[i].inputs, b.nodes[i].inputs);
    EXPECT_EQ(a.nodes[i].outputs, b.nodes[i].outputs);
    EXPECT_EQ(a.nodes[i].attributes.size(), b.nodes[i].attributes.size());
  }
}

TEST(Serialize, RoundTrips) {
  for (const Index ir_version : {3, 8, 10}) {
    ::onnx::ModelProto proto = conv_model();
    proto.set_ir_version(ir_version);
    auto& entry = *proto.add_metadata_props();
    entry.set_key("author");
    entry.set_value("x");
    proto.mutable_graph()
        ->mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_param("n");
    const Result<Graph> first = load_model(proto);
    ASSERT_TRUE(first.ok()) << first.error().message;
    const Result<std::string> bytes = onnx::serialize_model(first.value());
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    const Result<Graph> second = load_bytes(bytes.value());
    ASSERT_TRUE(second.ok()) << second.error().message;
    expect_equal(first.value(), second.value());
    EXPECT_EQ(onnx::serialize_model(second.value()).value(), bytes.value());
  }
}

TEST(Serialize, KeepsEveryKindOfAttribute) {
  Graph graph;
  Node node;
  node.name = "n";
  node.op_type = "Anything";
  node.attributes = {{"f", 0.25F},
                     {"fs", std::vector<float>{1, 2}},
                     {"i", Index{-1}},
                     {"is", std::vector<Index>{3}},
                     {"s", std::string("t")},
                     {"ss", std::vector<std::string>{"u", "v"}},
                     {"t", Tensor::from<std::int8_t>({2}, {-1, 1})}};
  graph.nodes = {node};
  const std::string bytes = onnx::serialize_model(graph).value();
  const Result<Graph> read = onnx::parse_model(std::as_bytes(std::span(bytes)), std::nullopt);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const AttributeMap& attributes = read.value().nodes[0].attributes;
  EXPECT_EQ(std::get<float>(attributes.at("f")), 0.25F);
  EXPECT_EQ(std::get<std::vector<float>>(attributes.at("fs")), (std::vector<float>{1, 2}));
  EXPECT_EQ(std::get<Index>(attributes.at("i")), -1);
  EXPECT_EQ(std::get<std::vector<Index>>(attributes.at("is")), (std::vector<Index>{3}));
  EXPECT_EQ(std::get<std::string>(attributes.at("s")), "t");
  EXPECT_EQ(std::get<std::vector<std::string>>(attributes.at("ss")), (std::vector<std::string>{"u", "v"}));
  EXPECT_TRUE(bytes_equal(std::get<Tensor>(attributes.at("t")), std::get<Tensor>(node.attributes.at("t"))));
}

TEST(Serialize, SaysThatFusedOperatorsHaveNoFunction) {
  Graph graph = load_model(conv_model()).value();
  EXPECT_EQ(onnx::serialize_model(graph).value().find("ai.assay"), std::string::npos);
  graph.nodes[0].domain = kAssayDomain;
  ::onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(onnx::serialize_model(graph).value()));
  EXPECT_NE(proto.doc_string().find("no ONNX function body"), std::string::npos);
}

}  // namespace
}  // namespace assay
