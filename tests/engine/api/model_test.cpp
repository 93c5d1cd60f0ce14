// SPDX-License-Identifier: Apache-2.0
#include "engine/api/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace assay {
namespace {

using api::Model;

// The node tests that Debian's libonnx-testdata brings.
constexpr const char* kNodeTests = "/usr/share/libonnx-testdata/data/node";

class ModelFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("assay_model_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return path(name);
  }

  std::filesystem::path folder_;
};

// x + k, with k a constant of one float
Graph add_graph() {
  Graph graph;
  graph.name = "g";
  graph.opsets[""] = 13;
  graph.inputs = {{.name = "x", .dtype = DType::kFloat32, .has_shape = true, .dims = {{.size = 2, .name = {}}}}};
  graph.outputs = {{.name = "y", .dtype = DType::kFloat32, .has_shape = true, .dims = {{.size = 2, .name = {}}}}};
  graph.initializers["k"] = Tensor::scalar(1.5F);
  Node node;
  node.op_type = "Add";
  node.inputs = {"x", "k"};
  node.outputs = {"y"};
  graph.nodes = {node};
  return graph;
}

TEST_F(ModelFile, SavesAndLoads) {
  const Result<Model> made = Model::from_graph(add_graph());
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made.value().graph().nodes[0].name, "Add_0");
  ASSERT_TRUE(made.value().save(path("m.onnx")).ok());
  const Result<Model> loaded = Model::load(path("m.onnx"));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_TRUE(bytes_equal(*loaded.value().graph().constant("k"), *made.value().graph().constant("k")));
  EXPECT_EQ(loaded.value().serialize().value(), made.value().serialize().value());
}

Graph large_and_small() {
  Graph graph;
  graph.opsets[""] = 13;
  ValueInfo x{.name = "x", .dtype = DType::kFloat32, .has_shape = true, .dims = {{.size = 1024, .name = ""}}};
  graph.inputs = {x};
  x.name = "y";
  graph.outputs = {x};
  std::vector<float> values(1024);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
  }
  graph.initializers["large"] = Tensor::from<float>({1024}, values);
  graph.initializers["small"] = Tensor::from<float>({1}, {0.5F});
  graph.nodes.resize(2);
  graph.nodes[0].name = "sum";
  graph.nodes[0].op_type = "Add";
  graph.nodes[0].inputs = {"x", "large"};
  graph.nodes[0].outputs = {"s"};
  graph.nodes[1] = graph.nodes[0];
  graph.nodes[1].name = "product";
  graph.nodes[1].op_type = "Mul";
  graph.nodes[1].inputs = {"s", "small"};
  graph.nodes[1].outputs = {"y"};
  return graph;
}

TEST_F(ModelFile, KeepsLargeTensorsBesideTheModelOnRequest) {
  const Model made = Model::from_graph(large_and_small()).value();
  ASSERT_TRUE(made.save(path("m.onnx"), true).ok());
  EXPECT_EQ(std::filesystem::file_size(path("m.onnx.data")), 4096U);
  EXPECT_THAT(api::external_data_files(path("m.onnx")), testing::ElementsAre("m.onnx.data"));
  const auto loaded = Model::load(path("m.onnx"));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  for (const auto& [name, tensor] : made.graph().initializers) {
    EXPECT_TRUE(bytes_equal(tensor, *loaded.value().graph().constant(name))) << name;
  }
}

TEST_F(ModelFile, LeavesNoPartOfAModelWithExternalDataBehind) {
  const Model made = Model::from_graph(large_and_small()).value();
  const auto parts = [&] {
    return std::distance(std::filesystem::directory_iterator(path("")), std::filesystem::directory_iterator());
  };
  const auto before = parts();
  EXPECT_FALSE(made.save(path("no/such/m.onnx"), true).ok());
  std::filesystem::create_directories(path("m.onnx.data"));  // in the way of the tensors
  EXPECT_FALSE(made.save(path("m.onnx"), true).ok());
  EXPECT_FALSE(std::filesystem::exists(path("m.onnx")));
  std::filesystem::remove(path("m.onnx.data"));
  EXPECT_EQ(parts(), before);
  const Status stream = made.save("/dev/null", true);
  ASSERT_FALSE(stream.ok());
  EXPECT_THAT(stream.error().message, testing::HasSubstr("needs a file of its own"));
}

TEST_F(ModelFile, NamesTheFileThatFails) {
  const auto expect = [](const std::string& file, ErrorKind kind, const std::string& text) {
    const Result<Model> model = Model::load(file);
    ASSERT_FALSE(model.ok()) << file;
    EXPECT_EQ(model.error().kind, kind) << model.error().message;
    EXPECT_NE(model.error().message.find(file), std::string::npos) << model.error().message;
    EXPECT_NE(model.error().message.find(text), std::string::npos) << model.error().message;
  };
  expect(path("none.onnx"), ErrorKind::kIo, "No such file");
  expect(folder_.string(), ErrorKind::kIo, "this is a folder");
  expect(write("empty.onnx", ""), ErrorKind::kInvalidModel, "is empty");
  expect(write("text.onnx", "this is no model"), ErrorKind::kInvalidModel, "is not an ONNX model");
  Graph graph = add_graph();
  graph.opsets[""] = 99;
  const Result<Model> future = Model::from_graph(graph);
  ASSERT_FALSE(future.ok());
  EXPECT_EQ(future.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(future.error().message, "ai.onnx opset 99 is newer than 28, the newest this build knows");
}

TEST_F(ModelFile, CannotBeSavedToNowhere) {
  const Status status = Model::from_graph(add_graph()).value().save(path("no/such/folder/m.onnx"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kIo);
}

TEST_F(ModelFile, TensorsOfTestDataAreRead) {
  // TensorProto {dims: 2, data_type: FLOAT, float_data: 1, 2}
  const std::string bytes("\x08\x02\x10\x01\x22\x08\x00\x00\x80\x3F\x00\x00\x00\x40", 14);
  const Result<Tensor> tensor = api::load_tensor_proto(write("t.pb", bytes));
  ASSERT_TRUE(tensor.ok()) << tensor.error().message;
  EXPECT_EQ(tensor.value().to_doubles(), (std::vector<double>{1, 2}));
  EXPECT_FALSE(api::load_tensor_proto(path("none.pb")).ok());
  EXPECT_FALSE(api::load_tensor_proto(write("cut.pb", bytes.substr(0, 9))).ok());
}

TEST(Model, ListsOperators) {
  const std::vector<api::OperatorInfo> operators = api::supported_operators();
  const auto find = [&](const std::string& domain, const std::string& op_type) {
    return std::find_if(operators.begin(), operators.end(), [&](const api::OperatorInfo& info) {
      return info.domain == domain && info.op_type == op_type;
    });
  };
  const auto clip = find("", "Clip");
  ASSERT_NE(clip, operators.end());
  EXPECT_EQ(clip->first_opset, 7);
  EXPECT_EQ(clip->last_opset, 28);
  EXPECT_EQ(std::count_if(operators.begin(), operators.end(),
                          [](const api::OperatorInfo& info) { return info.op_type == "Clip"; }),
            1);
  EXPECT_NE(find("com.microsoft", "QGemm"), operators.end());
  EXPECT_EQ(find("", "Det"), operators.end());
}

TEST(Model, TypesAttributes) {
  EXPECT_EQ(api::attribute_type("", "Conv", "pads"), "ints");
  EXPECT_EQ(api::attribute_type("ai.onnx", "Conv", "group"), "int");
  EXPECT_EQ(api::attribute_type("", "Conv", "auto_pad"), "string");
  EXPECT_EQ(api::attribute_type("", "Clip", "min"), "float");
  EXPECT_EQ(api::attribute_type("", "Constant", "value"), "tensor");
  EXPECT_EQ(api::attribute_type("", "Constant", "value_floats"), "floats");
  EXPECT_EQ(api::attribute_type("com.microsoft", "QGemm", "transB"), "int");
  EXPECT_EQ(api::attribute_type("", "If", "then_branch"), "graph");
  EXPECT_EQ(api::attribute_type("", "Conv", "colour"), "");
  EXPECT_EQ(api::attribute_type("", "Det", "equation"), "");
}

TEST(Model, NodeTestsLoadOrAreUnsupported) {
  std::error_code missing;
  int loaded = 0;
  int refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kNodeTests, missing)) {
    const std::string path = (entry.path() / "model.onnx").string();
    const Result<Model> model = Model::load(path);
    if (model.ok()) {
      ++loaded;
      const Result<std::string> bytes = model.value().serialize();
      ASSERT_TRUE(bytes.ok()) << path << ": " << bytes.error().message;
      EXPECT_TRUE(Model::parse(std::as_bytes(std::span(bytes.value()))).ok()) << path;
    } else {
      ++refused;
      EXPECT_EQ(model.error().kind, ErrorKind::kUnsupported) << model.error().message;
    }
  }
  if (!missing) {
    EXPECT_GT(loaded, 100);
    EXPECT_GT(refused, 100);
  }
}

}  // namespace
}  // namespace assay
