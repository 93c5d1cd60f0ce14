// SPDX-License-Identifier: Apache-2.0
// Spoilt files: every one loads or is refused with a message; none crashes (the sanitizers watch in their build).
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/engine/onnx/model_builder.h"
#include "tests/support/random.h"

namespace assay {
namespace {

using test::add_attribute;
using test::add_initializer;
using test::add_node;
using Attribute = ::onnx::AttributeProto;
using Type = ::onnx::TensorProto;

// A quantized graph with every kind of initializer data, a Constant node and text attributes.
::onnx::ModelProto quantized_model() {
  ::onnx::ModelProto model = test::conv_model();
  model.mutable_graph()->mutable_node(0)->set_output(0, "c");
  add_initializer(model, "s", Type::FLOAT, {}).add_float_data(0.5F);
  add_initializer(model, "z", Type::UINT8, {}).add_int32_data(128);
  add_initializer(model, "e", Type::INT64, {0});
  add_initializer(model, "h", Type::FLOAT16, {2}).set_raw_data("abcd");
  add_initializer(model, "b", Type::BOOL, {3}).set_raw_data("\1\2\3");
  add_node(model, "QuantizeLinear", {"c", "s", "z"}, {"q"});
  add_node(model, "DequantizeLinear", {"q", "s", "z"}, {"d"});
  ::onnx::NodeProto& constant = add_node(model, "Constant", {}, {"k"});
  Type& value = *add_attribute(constant, "value", Attribute::TENSOR).mutable_t();
  value.set_data_type(Type::FLOAT);
  value.add_float_data(1);
  ::onnx::NodeProto& pool = add_node(model, "AveragePool", {"d"}, {"p"});
  test::add_ints(pool, "kernel_shape", {2, 2});
  add_attribute(pool, "auto_pad", Attribute::STRING).set_s("SAME_UPPER");
  add_node(model, "Add", {"p", "k"}, {"y"});
  return model;
}

::onnx::ModelProto external_model() {
  ::onnx::ModelProto model = test::conv_model();
  Type& weight = *model.mutable_graph()->mutable_initializer(0);
  weight.clear_float_data();
  weight.set_data_location(Type::EXTERNAL);
  auto& entry = *weight.add_external_data();
  entry.set_key("location");
  entry.set_value("weights.bin");
  return model;
}

std::array<std::string, 3> seeds() {
  return {test::conv_model().SerializeAsString(), quantized_model().SerializeAsString(),
          external_model().SerializeAsString()};
}

void try_load(const std::string& bytes) {
  const Result<Graph> graph = test::load_bytes(bytes, "/nonexistent");
  if (!graph.ok()) {
    EXPECT_FALSE(graph.error().message.empty());
    EXPECT_NE(graph.error().kind, ErrorKind::kInternal) << graph.error().message;
  }
}

TEST(Fuzz, SeedsAreGood) {
  EXPECT_TRUE(test::load_bytes(seeds()[0]).ok());
  const Result<Graph> graph = test::load_bytes(seeds()[1]);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
}

// What scripts/fuzz kept: inputs that reached code nothing before them had reached.
TEST(Fuzz, TheCorpusIsAnswered) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ASSAY_FUZZ_CORPUS)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    SCOPED_TRACE(entry.path().filename().string());
    try_load(bytes);
    ++files;
  }
  EXPECT_GE(files, 50);
}

TEST(Fuzz, EveryTruncationIsAnswered) {
  for (const std::string& seed : seeds()) {
    for (std::size_t length = 0; length < seed.size(); ++length) {
      try_load(seed.substr(0, length));
    }
  }
}

TEST(Fuzz, SpoiltBytesAreAnswered) {
  test::Random random(1);
  for (const std::string& seed : seeds()) {
    for (int round = 0; round < 2000; ++round) {
      std::string bytes = seed;
      const auto changes = random.integer(1, 4);
      for (std::int64_t i = 0; i < changes; ++i) {
        const auto at = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(bytes.size()) - 1));
        bytes[at] =
            static_cast<char>(random.chance(0.5) ? bytes[at] ^ (1 << random.integer(0, 7)) : random.integer(0, 255));
      }
      try_load(bytes);
    }
  }
}

TEST(Fuzz, InsertedAndRemovedBytesAreAnswered) {
  test::Random random(2);
  for (const std::string& seed : seeds()) {
    for (int round = 0; round < 500; ++round) {
      std::string bytes = seed;
      const auto at = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(bytes.size()) - 1));
      const auto count = static_cast<std::size_t>(random.integer(1, 8));
      if (random.chance(0.5)) {
        bytes.erase(at, count);
      } else {
        bytes.insert(at, count, static_cast<char>(random.integer(0, 255)));
      }
      try_load(bytes);
    }
  }
}

TEST(Fuzz, RandomBytesAreAnswered) {
  test::Random random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(static_cast<std::size_t>(random.integer(1, 200)), '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random.integer(0, 255));
    }
    try_load(bytes);
    static_cast<void>(onnx::parse_tensor(std::as_bytes(std::span(bytes))));
  }
}

}  // namespace
}  // namespace assay
