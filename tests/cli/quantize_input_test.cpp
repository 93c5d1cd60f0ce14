// SPDX-License-Identifier: Apache-2.0
// Bad input to `assay quantize` and `assay compare`: the exit code, a message that names what is wrong, and nothing
// written.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/cli/small_model.h"

namespace assay::test {
namespace {

using testing::HasSubstr;

class QuantizeInput : public SmallModel {
 protected:
  void SetUp() override {
    SmallModel::SetUp();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> plain = {-1, 2, -3, 4};
    save("plain.npy", {2, 1, 1, 2, 2}, {-1, 2, -3, 4, 5, 6, 7, 8});
    save("constant.npy", {2, 1, 1, 2, 2}, std::vector<float>(8, 3));
    save("zeros.npy", {2, 1, 1, 2, 2}, std::vector<float>(8, 0));
    save("nan.npy", {2, 1, 1, 2, 2}, {1, 2, 3, 4, 5, nan, 7, 8});
    save("inf.npy", {2, 1, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, infinity});
    save("none.npy", {0, 1, 1, 2, 2}, {});
    save("shape.npy", {2, 1, 1, 3, 2}, std::vector<float>(12, 1));
    ASSERT_TRUE(
        spec::save_npy(path("int.npy"), Tensor::from<std::int32_t>({2, 1, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})).ok());
    ASSERT_TRUE(spec::save_npy(path("labels.npy"), Tensor::from<Index>({2}, {0, 0})).ok());
    ASSERT_TRUE(spec::save_npy(path("labels3.npy"), Tensor::from<Index>({3}, {0, 0, 0})).ok());
    const std::string model = read("m.onnx");
    write("cut.onnx", model.substr(0, model.size() / 2));
    write("empty.onnx", "");
    write("none.json", "{}");
    write("text.onnx", "this is no model");
    write("ranges.json", R"({"x": [-1, 1], "c": [-1, 1], "y/out:0": [0, 1]})");
    write("backwards.json", R"({"x": [1, -1]})");
    write("wide.json", R"({"x": [-1e300, 1], "c": [-1, 1], "y/out:0": [0, 1]})");
    write("weight.json", R"({"x": [-1, 1], "c": [-1, 1], "y/out:0": [0, 1], "w": [0, 127]})");
    write("some.json", R"({"c": [-1, 1]})");
    write("broken.json", "{\"x\": [1,");
    write("folder/.keep", "");
  }

  void save(const std::string& name, const Shape& shape, const std::vector<float>& values) const {
    ASSERT_TRUE(spec::save_npy(path(name), Tensor::from<float>(shape, values)).ok());
  }

  std::string listing() const { return shell("find . -type f ! -name stdout.txt ! -name stderr.txt | sort").out; }
};

struct Situation {
  const char* line;
  int code;
  const char* message;
};

TEST_F(QuantizeInput, IsRefusedWithTheRightCodeAndNothingWritten) {
  const std::string before = listing();
  const std::vector<Situation> situations = {
      // data
      {"assay quantize m.onnx -o q.onnx", 2, "--calibration DATA is needed"},
      {"assay quantize m.onnx -o q.onnx --calibration gone.npz", 2, "gone.npz"},
      {"assay quantize m.onnx -o q.onnx --calibration x=gone.npy", 2, "gone.npy"},
      {"assay quantize m.onnx -o q.onnx --calibration z=plain.npy", 2, "no such input; its inputs are: x"},
      {"assay quantize m.onnx -o q.onnx --calibration folder", 2, "no test_data_set_N"},
      {"assay quantize m.onnx -o q.onnx --calibration x=none.npy", 2, "no samples"},
      {"assay quantize m.onnx -o q.onnx --calibration x=nan.npy", 2, "sample 1: element 1 is nan"},
      {"assay quantize m.onnx -o q.onnx --calibration x=inf.npy", 2, "sample 1: element 3 is inf"},
      {"assay quantize m.onnx -o q.onnx --calibration x=shape.npy", 2, "shape"},
      {"assay quantize m.onnx -o q.onnx --calibration x=int.npy", 2, "int32"},
      // ranges
      {"assay quantize m.onnx -o q.onnx --ranges gone.json", 2, "gone.json"},
      {"assay quantize m.onnx -o q.onnx --ranges broken.json", 2, "broken.json:1:"},
      {"assay quantize m.onnx -o q.onnx --ranges backwards.json", 2, "min <= max"},
      {"assay quantize m.onnx -o q.onnx --ranges some.json", 2, "'x'"},
      {"assay quantize m.onnx -o q.onnx --ranges ranges.json --calibration data", 2, "has no effect"},
      {"assay quantize m.onnx -o q.onnx --ranges wide.json", 2, "'x': [-1e+300, 1] goes beyond float32"},
      {"assay quantize m.onnx -o q.onnx --ranges weight.json", 2,
       "'w' is a constant, whose range is that of its values, not [0, 127]"},
      // names
      {"assay quantize m.onnx -o q.onnx --calibration data --set 'quantizer.nodes_to_exclude=[\"conf\"]'", 2,
       "no node 'conf'"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set 'quantizer.nodes_to_quantize=[\"rely\"]'", 2,
       "'relu'"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set 'quantizer.overrides={\"d\": {\"scale\": 1}}'", 2,
       "no tensor 'd'"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set 'quantizer.op_types=[\"Conf\"]'", 2, "'Conf'"},
      // settings that the format has no use for
      {"assay quantize m.onnx -o q.onnx --set quantizer.format=weight_only --set quantizer.smooth_quant=true", 2,
       "--set quantizer.smooth_quant=true: it has no effect under the other settings"},
      {"assay quantize m.onnx -o q.onnx --set quantizer.format=dynamic --set quantizer.bias_correction=true", 2,
       "--set quantizer.bias_correction=true: it has no effect under the other settings"},
      {"assay quantize m.onnx -o q.onnx --ranges ranges.json --set quantizer.smooth_quant=true", 2,
       "--calibration DATA is needed"},
      {"assay quantize m.onnx -o q.onnx --ranges ranges.json -j 2", 2, "-j has no effect: the ranges are given"},
      {"assay quantize m.onnx -o q.onnx --ranges ranges.json --save-ranges r.json", 2,
       "--save-ranges has no effect: the ranges are given"},
      {"assay quantize m.onnx -o q.onnx --set quantizer.format=dynamic --save-ranges r.json", 2,
       "--save-ranges has no effect: nothing is calibrated"},
      {"assay quantize m.onnx -o q.onnx --set quantizer.format=dynamic --calibration data", 2,
       "--calibration has no effect"},
      {"assay quantize m.onnx -o q.onnx --set quantizer.format=dynamic --ranges ranges.json", 2,
       "--ranges has no effect"},
      {"assay quantize m.onnx -o q.onnx --to-u8 -j 2", 2, "have no meaning"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set quantizer.percentile=50", 2,
       "--set quantizer.percentile=50: it has no effect under the other settings"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set quantizer.smooth_quant_alpha=0.9", 2, "no effect"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set quantizer.activation_range=narrow", 2, "no effect"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set 'quantizer.channel_axes={\"MatMul\":0}'", 2,
       "no effect"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set quantizer.per_channel=true "
       "--set 'quantizer.channel_axes={\"Conv\":1}'",
       2, "only MatMul and the normalizations have a choice of axis; found Conv"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set quantizer.format=qoperator --set "
       "quantizer.block_size=2",
       2, "no effect"},
      {"assay quantize m.onnx -o q.onnx --set quantizer.format=dynamic --set quantizer.block_size=2", 2, "no effect"},
      {"assay quantize m.onnx -o q.onnx --set quantizer.format=dynamic --set quantizer.calibration=entropy", 2,
       "no effect"},
      {"assay quantize m.onnx -o q.onnx --set quantizer.format=weight_only --set quantizer.relu=keep", 2, "no effect"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set quantizer.quantize_bias=false --set "
       "quantizer.bias_guard=false",
       2, "no effect"},
      {"assay infer m.onnx --input x=x.npy -o out --set runtime.name=onnxruntime --set runtime.precision=exact", 2,
       "no effect"},
      {"assay quantize m.onnx -o q.onnx --calibration data --set quantizer.smooth_quant_alpha=2", 2,
       "smooth_quant_alpha"},
      // models
      {"assay quantize gone.onnx -o q.onnx --calibration data", 2, "gone.onnx"},
      {"assay quantize cut.onnx -o q.onnx --calibration data", 2, "cut.onnx"},
      {"assay quantize empty.onnx -o q.onnx --calibration data", 2, "empty.onnx"},
      {"assay quantize text.onnx -o q.onnx --calibration data", 2, "text.onnx"},
      {"assay quantize folder -o q.onnx --calibration data", 2, "folder"},
      // outputs
      {"assay quantize m.onnx -o nowhere/q.onnx --calibration data", 4, "nowhere/q.onnx"},
      {"assay quantize m.onnx -o folder --calibration data", 4, "folder"},
      {"assay quantize m.onnx -o /dev/full --calibration data", 4, "/dev/full"},
      {"assay quantize m.onnx -o q.onnx --calibration data --report nowhere/r.json", 4, "nowhere/r.json"},
      {"assay quantize m.onnx -o q.onnx --calibration data --report /dev/full", 4, "/dev/full"},
      {"assay quantize m.onnx -o q.onnx --calibration data --save-ranges /dev/full", 4, "/dev/full"},
      {"assay quantize m.onnx -o q.onnx --calibration x=plain.npy --report plain.npy", 2, "file of --calibration"},
      {"assay quantize m.onnx -o plain.npy --calibration x=plain.npy", 2, "file of --calibration"},
      {"assay quantize m.onnx -o ./ranges.json --ranges ranges.json", 2, "file of --ranges"},
      // targets
      {"assay quantize m.onnx -o q.onnx --calibration data --target ''", 2, "--target"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target speed", 2, "NAME<=NUMBER"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'sqnr<=3'", 2, "write >="},
      {"assay quantize m.onnx -o q.onnx --ranges ranges.json --target 'sqnr>=3'", 2, "needs samples"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'top1_drop<=3'", 2, "needs --labels"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'top1_drop<=3' --labels labels3.npy", 2,
       "2 samples, so labels of shape [2]"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'top1_drop<=3' --labels plain.npy", 2,
       "labels must be integers"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'sqnr>=3' --labels labels.npy", 2, "no effect"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'sqnr>=3' --validation gone.npz", 2, "gone.npz"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'sqnr>=3' --validation z=x.npy", 2,
       "--validation 'z=x.npy'"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'sqnr>=3' --target-output z", 2, "no output 'z'"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'sqnr>=3' --search quantizer.bits=4", 2,
       "--search quantizer.bits=4"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'sqnr>=3' --search quantizer.format=none,qdq", 2,
       "format none quantizes nothing"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'sqnr>=3' --search runtime.isa=avx2", 2,
       "only quantizer.* axes"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'sqnr>=3' --set runtime.batch=2", 2,
       "runtime.batch"},
      {"assay quantize m.onnx -o q.onnx --calibration data --target 'sqnr>=3' --budget-seconds nan", 2, "nan"},
      {"assay quantize m.onnx -o q.onnx --calibration data --labels labels.npy", 2, "only with --target"},
      {"assay quantize m.onnx -o q.onnx --calibration data --max-float-layers 0", 2, "only with --target"},
      {"assay quantize m.onnx -o q.onnx --calibration x=nan.npy --target 'sqnr>=3'", 2, "is nan"},
      {"assay quantize m.onnx -o /dev/full --calibration data --target 'sqnr>=3'", 4, "/dev/full"},
      {"assay quantize m.onnx -o q.onnx --to-u8 --target 'sqnr>=3'", 2, "have no meaning"},
      // compare
      {"assay compare m.onnx", 2, "B"},
      {"assay compare m.onnx gone.onnx", 2, "gone.onnx"},
      {"assay compare cut.onnx m.onnx", 2, "cut.onnx"},
      {"assay compare m.onnx text.onnx", 2, "text.onnx"},
      {"assay compare m.onnx folder", 2, "folder"},
      {"assay compare m.onnx ranges.json", 2, "two of a kind"},
      {"assay compare none.json none.json", 2, "hold no ranges"},
      {"assay compare ranges.json broken.json", 2, "broken.json:1:"},
      {"assay compare ranges.json backwards.json", 2, "min <= max"},
      {"assay compare m.onnx m.onnx --scale-tolerance nan", 2, "--scale-tolerance"},
      {"assay compare m.onnx m.onnx --scale-tolerance -1", 2, "--scale-tolerance"},
      {"assay compare m.onnx m.onnx --step-tolerance 1.5", 2, "--step-tolerance"},
      {"assay compare m.onnx m.onnx --json m.onnx", 2, "--json m.onnx"},
      {"assay compare m.onnx m.onnx --json nowhere/c.json", 4, "nowhere/c.json"},
      {"assay compare m.onnx m.onnx --json /dev/full", 4, "/dev/full"},
      {"assay compare m.onnx m.onnx > /dev/full", 4, "stdout"},
  };
  for (const Situation& situation : situations) {
    const Ran ran = shell(situation.line);
    EXPECT_EQ(ran.code, situation.code) << situation.line << "\n" << ran.err;
    EXPECT_THAT(ran.err, testing::StartsWith("assay: ")) << situation.line;
    EXPECT_THAT(ran.err, HasSubstr(situation.message)) << situation.line;
    EXPECT_EQ(ran.out, "") << situation.line;
    EXPECT_EQ(listing(), before) << situation.line;
  }
}

// What is unusual and still has an answer.
TEST_F(QuantizeInput, ConstantTensorsAreQuantized) {
  for (const char* data : {"constant.npy", "zeros.npy"}) {
    const Ran ran = shell(std::string("assay quantize m.onnx -o q.onnx --calibration x=") + data);
    EXPECT_EQ(ran.code, 0) << data << "\n" << ran.err;
    EXPECT_EQ(shell("assay infer q.onnx --input x=x.npy -o out").code, 0) << data;
    for (const float value : output("out")) {
      EXPECT_TRUE(std::isfinite(value)) << data;
    }
  }
}

TEST_F(QuantizeInput, SamplesWithoutElementsHaveAnEmptyRange) {
  Graph graph;
  graph.opsets[""] = 13;
  const std::vector<Dim> dims = {{-1, "n"}, {2, ""}};
  graph.inputs = {{.name = "x", .dtype = DType::kFloat32, .has_shape = true, .dims = dims}};
  graph.outputs = {{.name = "y", .dtype = DType::kFloat32, .has_shape = true, .dims = dims}};
  graph.initializers["w"] = Tensor::from<float>({2, 2}, {1, 2, 3, 4});
  graph.nodes = {{.name = "product", .op_type = "MatMul", .inputs = {"x", "w"}, .outputs = {"y"}}};
  const Result<api::Model> model = api::Model::from_graph(graph);
  ASSERT_TRUE(model.ok()) << model.error().message;
  ASSERT_TRUE(model.value().save(path("n.onnx")).ok());
  save("empty.npy", {2, 0, 2}, {});
  const Ran ran = shell("assay quantize n.onnx -o q.onnx --calibration x=empty.npy --save-ranges r.json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(read("r.json"), HasSubstr("\"x\": [0, 0]"));
  EXPECT_EQ(shell("assay compare n.onnx q.onnx").code, 1);
}

// The input may be the output: it is replaced as a whole, or stays.
TEST_F(QuantizeInput, TheModelMayReplaceItself) {
  const std::string model = read("m.onnx");
  EXPECT_EQ(shell("assay quantize ./m.onnx -o folder/../m.onnx --calibration x=nan.npy").code, 2);
  EXPECT_EQ(read("m.onnx"), model);
  // A full disk, on which stderr cannot be written either.
  EXPECT_EQ(shell("(ulimit -f 0; assay quantize m.onnx -o m.onnx --calibration data)").code, 4);
  EXPECT_EQ(shell("(ulimit -f 0; assay quantize m.onnx -o q.onnx --calibration data)").code, 4);
  EXPECT_FALSE(exists("q.onnx"));
  EXPECT_EQ(read("m.onnx"), model);
  EXPECT_EQ(shell("assay quantize m.onnx -o m.onnx --calibration data").code, 0);
  EXPECT_NE(read("m.onnx"), model);
  const Ran again = shell("assay quantize m.onnx -o m.onnx --calibration data");
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("quantized already"));
}

}  // namespace
}  // namespace assay::test
