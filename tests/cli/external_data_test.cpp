// SPDX-License-Identifier: Apache-2.0
// `assay quantize --external-data`, and models whose tensors are in a file beside them.
#include <gmock/gmock.h>

#include "tests/cli/small_model.h"

namespace assay::test {
namespace {

using testing::HasSubstr;

class ExternalData : public ProgramTest {
 protected:
  // m.onnx: y = x w, w of 64 x 32; its tensors are in m.onnx.data.
  void SetUp() override {
    ProgramTest::SetUp();
    Graph graph;
    graph.opsets[""] = 13;
    graph.inputs = {{.name = "x", .dtype = DType::kFloat32, .has_shape = true, .dims = {{1, ""}, {64, ""}}}};
    graph.outputs = {{.name = "y", .dtype = DType::kFloat32, .has_shape = true, .dims = {{1, ""}, {32, ""}}}};
    graph.initializers["w"] = Tensor::from<float>({64, 32}, ramp(64 * 32));
    graph.nodes = {{.name = "product", .op_type = "MatMul", .inputs = {"x", "w"}, .outputs = {"y"}}};
    const Result<api::Model> model = api::Model::from_graph(graph);
    ASSERT_TRUE(model.ok()) << model.error().message;
    ASSERT_TRUE(model.value().save(path("m.onnx"), true).ok());
    ASSERT_TRUE(spec::save_npy(path("samples.npy"), Tensor::from<float>({2, 1, 64}, ramp(128))).ok());
    ASSERT_TRUE(spec::save_npy(path("x.npy"), Tensor::from<float>({1, 64}, ramp(64))).ok());
    ASSERT_TRUE(exists("m.onnx.data"));
  }

  static std::vector<float> ramp(int count) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i) {
      values.push_back(static_cast<float>(i * 37 % 101 - 50) / 50);
    }
    return values;
  }

  Ran quantize(const std::string& flags) const {
    return shell("assay quantize m.onnx --calibration x=samples.npy " + flags);
  }

  std::string outputs_of(const std::string& model) const {
    const Ran ran = shell("rm -rf out; assay infer " + model + " --input x=x.npy -o out");
    EXPECT_EQ(ran.code, 0) << model << "\n" << ran.err;
    return read("out/y.npy");
  }
};

TEST_F(ExternalData, AskedForGoesToAFileBesideTheModel) {
  ASSERT_EQ(quantize("-o one.onnx").code, 0);
  EXPECT_FALSE(exists("one.onnx.data"));
  ASSERT_EQ(quantize("-o two.onnx --external-data").code, 0);
  EXPECT_EQ(read("two.onnx.data").size(), 64U * 32) << "the weights, in int8";
  EXPECT_LT(read("two.onnx").size() + 64 * 32, read("one.onnx").size() + 300);
  const Ran same = shell("assay compare one.onnx two.onnx");
  EXPECT_EQ(same.code, 0) << same.out;
  EXPECT_EQ(outputs_of("one.onnx"), outputs_of("two.onnx"));
}

// A model and its tensors may move together, but not apart.
TEST_F(ExternalData, IsFoundBesideTheModel) {
  ASSERT_EQ(quantize("-o q.onnx --external-data").code, 0);
  const std::string outputs = outputs_of("q.onnx");
  ASSERT_EQ(shell("mkdir moved && mv q.onnx q.onnx.data moved").code, 0);
  EXPECT_EQ(outputs_of("moved/q.onnx"), outputs);
  ASSERT_EQ(shell("rm moved/q.onnx.data").code, 0);
  const Ran ran = shell("assay infer moved/q.onnx --input x=x.npy -o out");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("q.onnx.data"));
}

TEST_F(ExternalData, MayReplaceTheModelAndItsTensors) {
  ASSERT_EQ(quantize("-o q.onnx --external-data").code, 0);
  ASSERT_EQ(quantize("-o m.onnx --external-data").code, 0);
  EXPECT_EQ(outputs_of("m.onnx"), outputs_of("q.onnx"));
}

TEST_F(ExternalData, NeverTakesThePlaceOfAnotherFileInUse) {
  // The tensors of copy.onnx are in m.onnx.data: m.onnx with tensors beside it would overwrite them.
  ASSERT_EQ(shell("cp m.onnx copy.onnx").code, 0);
  const std::string tensors = read("m.onnx.data");
  const Ran over = shell("assay quantize copy.onnx --calibration x=samples.npy -o m.onnx --external-data");
  EXPECT_EQ(over.code, 2);
  EXPECT_THAT(over.err, HasSubstr("this is the file of the external data of the model"));
  EXPECT_EQ(read("m.onnx.data"), tensors);
  for (const char* flag : {"--report", "--save-ranges"}) {
    const Ran same = quantize(std::string("-o q.onnx --external-data ") + flag + " q.onnx.data");
    EXPECT_EQ(same.code, 2) << flag;
    EXPECT_THAT(same.err, HasSubstr("this is the file of --external-data")) << flag;
    EXPECT_FALSE(exists("q.onnx") || exists("q.onnx.data")) << flag;
  }
}

TEST_F(ExternalData, LeavesNothingWhereItCannotBeWritten) {
  const std::string before = shell("ls").out;
  EXPECT_EQ(shell("(ulimit -f 1; assay quantize m.onnx --calibration x=samples.npy -o q.onnx --external-data)").code,
            4);
  EXPECT_EQ(shell("ls").out, before);
  ASSERT_EQ(shell("mkdir q.onnx.data").code, 0);
  EXPECT_EQ(quantize("-o q.onnx --external-data").code, 4);
  EXPECT_FALSE(exists("q.onnx"));
}

// Under whatever name: relative, a link, a hard link.
TEST_F(ExternalData, NothingIsWrittenOverAnInput) {
  ASSERT_EQ(shell("ln -s m.onnx.data soft && ln m.onnx.data hard && cp m.onnx.data d.json && ln -f d.json m.onnx.data "
                  "&& ln -f samples.npy same.npy")
                .code,
            0);
  const std::string tensors = read("m.onnx.data");
  const std::string samples = read("samples.npy");
  const std::string model = read("m.onnx");
  const std::string quantize = "assay quantize m.onnx --calibration x=samples.npy ";
  const std::string infer = "assay infer m.onnx --input x=x.npy -o out ";
  for (const std::string& line : {
           quantize + "-o m.onnx.data",
           quantize + "-o soft",
           quantize + "-o ./d.json",
           quantize + "-o same.npy",
           quantize + "-o q.onnx --report soft",
           quantize + "-o q.onnx --save-ranges d.json",
           quantize + "-o q.onnx --report same.npy",
           infer + "--save-optimized m.onnx.data",
           infer + "--save-optimized d.json",
           infer + "--trace soft",
           infer + "--times d.json",
           std::string("assay new m.onnx -o d.json --force"),
           std::string("assay compare m.onnx m.onnx --json d.json"),
           std::string("assay compare m.onnx m.onnx --json soft"),
       }) {
    const Ran ran = shell(line);
    EXPECT_EQ(ran.code, 2) << line;
    EXPECT_THAT(ran.err, HasSubstr("it needs one of its own")) << line;
    EXPECT_EQ(read("m.onnx.data"), tensors) << line;
    EXPECT_EQ(read("samples.npy"), samples) << line;
    EXPECT_EQ(read("m.onnx"), model) << line;
  }
  EXPECT_FALSE(exists("q.onnx"));
  ASSERT_EQ(shell("mkdir -p set/test_data_set_0 && cp x.npy set/test_data_set_0/input_0.npy").code, 0);
  const Ran inside = shell("assay quantize m.onnx --calibration set -o set/test_data_set_0/input_0.npy");
  EXPECT_EQ(inside.code, 2) << inside.err;
  EXPECT_EQ(shell("assay quantize m.onnx --calibration set -o set/q.onnx").code, 0);
}

}  // namespace
}  // namespace assay::test
