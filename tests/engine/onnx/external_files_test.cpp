// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/external_files.h"

#include <gtest/gtest.h>

#include "tests/engine/onnx/model_builder.h"

namespace assay {
namespace {

void keep_in(::onnx::TensorProto& tensor, const std::string& location) {
  auto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value(location);
  auto& offset = *tensor.add_external_data();
  offset.set_key("offset");
  offset.set_value("4");
}

std::vector<std::string> files_of(const std::string& bytes) {
  return onnx::external_files(std::as_bytes(std::span(bytes)));
}

TEST(ExternalFiles, OfInitializersAndConstantsEachOnce) {
  ::onnx::ModelProto model;
  const int type = ::onnx::TensorProto::FLOAT;
  test::add_initializer(model, "inside", type, {1});
  keep_in(test::add_initializer(model, "a", type, {1}), "one.bin");
  keep_in(test::add_initializer(model, "b", type, {1}), "two.bin");
  keep_in(test::add_initializer(model, "c", type, {1}), "one.bin");
  keep_in(*test::add_node(model, "Constant", {}, {"d"}).add_attribute()->mutable_t(), "deep/three.bin");
  EXPECT_EQ(files_of(model.SerializeAsString()), (std::vector<std::string>{"one.bin", "two.bin", "deep/three.bin"}));
}

TEST(ExternalFiles, OfNoModelAreNone) {
  EXPECT_TRUE(files_of("this is no model").empty());
  EXPECT_TRUE(files_of("").empty());
}

}  // namespace
}  // namespace assay
