// SPDX-License-Identifier: Apache-2.0
// The backend tests of ONNX, one node each, from Debian's libonnx-testdata: every test that loads must give the
// recorded outputs, with the optimiser off and on. The table pins how many tests each operator has, so that a test that
// no longer loads is noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>

#include "engine/api/session.h"

namespace assay::api {
namespace {

namespace fs = std::filesystem;

// ONNX's own tolerances for its node tests.
constexpr double kRelative = 1e-3;
constexpr double kAbsolute = 1e-7;

struct OperatorCount {
  const char* op_type;
  int tests;
};

constexpr OperatorCount kExpectedCounts[] = {
    {"Add", 3},
    {"AveragePool", 12},
    {"BatchNormalization", 2},
    {"Clip", 11},
    {"Concat", 12},
    {"Conv", 6},
    {"ConvInteger", 3},
    {"DequantizeLinear", 2},
    {"Div", 4},
    {"DynamicQuantizeLinear", 3},
    {"Erf", 1},
    {"Flatten", 9},
    {"Gemm", 11},
    {"HardSwish", 1},
    {"Identity", 1},
    {"LeakyRelu", 3},
    {"MatMul", 3},
    {"MatMulInteger", 1},
    {"MaxPool", 12},
    {"Mul", 4},
    {"Pad", 3},
    {"QLinearConv", 1},
    {"QLinearMatMul", 2},
    {"QuantizeLinear", 2},
    {"Relu", 1},
    {"Reshape", 10},
    {"Sigmoid", 2},
    {"Softmax", 7},
    {"Squeeze", 2},
    {"Sub", 4},
    {"Tanh", 2},
    {"Transpose", 7},
    {"Unsqueeze", 8},
};

// Tests that load but are refused when planned or run, and why.
struct Refusal {
  const char* test;
  const char* message;  // contained in the error
};

constexpr Refusal kRefusals[] = {
    {"test_averagepool_3d_default", "X must have the shape [N,C,W] or [N,C,H,W]"},
    {"test_maxpool_3d_default", "X must have the shape [N,C,W] or [N,C,H,W]"},
};

std::optional<Refusal> refusal_of(const std::string& test) {
  const auto found = std::find_if(std::begin(kRefusals), std::end(kRefusals),
                                  [&test](const Refusal& refusal) { return test == refusal.test; });
  return found == std::end(kRefusals) ? std::nullopt : std::optional(*found);
}

Result<std::vector<Tensor>> load_tensors(const fs::path& folder, const std::string& prefix) {
  std::vector<Tensor> tensors;
  for (int i = 0;; ++i) {
    const fs::path path = folder / (prefix + std::to_string(i) + ".pb");
    if (!fs::exists(path)) {
      return tensors;
    }
    ASSAY_ASSIGN(Tensor tensor, load_tensor_proto(path.string()));
    tensors.push_back(std::move(tensor));
  }
}

// "" if equal, else what differs.
std::string difference(const Tensor& actual, const Tensor& expected) {
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) {
    return "found " + std::string(dtype_name(actual.dtype())) + shape_text(actual.shape()) + ", expected " +
           std::string(dtype_name(expected.dtype())) + shape_text(expected.shape());
  }
  const bool is_float = actual.dtype() == DType::kFloat32 || actual.dtype() == DType::kFloat64;
  const auto a = actual.to_doubles();
  const auto e = expected.to_doubles();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double tolerance = is_float ? kAbsolute + kRelative * std::abs(e[i]) : 0;
    const bool equal = a[i] == e[i] || (std::isnan(a[i]) && std::isnan(e[i])) || std::abs(a[i] - e[i]) <= tolerance;
    if (!equal) {
      return "element " + std::to_string(i) + " is " + std::to_string(a[i]) + ", expected " + std::to_string(e[i]);
    }
  }
  return "";
}

Result<std::vector<Tensor>> run_model(const Model& model, const std::vector<Tensor>& inputs, Optimization level) {
  SessionOptions options;
  options.optimization = level;
  ASSAY_ASSIGN(const Session session, Session::create(model, options));
  NamedTensors named;
  for (std::size_t i = 0; i < inputs.size() && i < model.graph().inputs.size(); ++i) {
    named[model.graph().inputs[i].name] = inputs[i];
  }
  ASSAY_ASSIGN(const RunResult result, session.run(named));
  std::vector<Tensor> outputs;
  for (const ValueInfo& output : model.graph().outputs) {
    outputs.push_back(result.outputs.at(output.name));
  }
  return outputs;
}

void expect_outputs(const std::string& test, const Result<std::vector<Tensor>>& outputs,
                    const std::vector<Tensor>& expected) {
  const auto refusal = refusal_of(test);
  if (refusal.has_value()) {
    ASSERT_FALSE(outputs.ok()) << test << " runs: take it out of the table of refusals";
    EXPECT_NE(outputs.error().message.find(refusal->message), std::string::npos)
        << test << ": " << outputs.error().message;
    return;
  }
  ASSERT_TRUE(outputs.ok()) << test << ": " << outputs.error().message;
  ASSERT_EQ(outputs.value().size(), expected.size()) << test;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(difference(outputs.value()[i], expected[i]), "") << test << " output " << i;
  }
}

void run_test(const fs::path& folder, const Model& model) {
  const std::string test = folder.filename().string();
  const fs::path data = folder / "test_data_set_0";
  const auto inputs = load_tensors(data, "input_");
  const auto expected = load_tensors(data, "output_");
  ASSERT_TRUE(inputs.ok()) << test << ": " << inputs.error().message;
  ASSERT_TRUE(expected.ok()) << test << ": " << expected.error().message;
  for (const Optimization level : {Optimization::kNone, Optimization::kAll}) {
    SCOPED_TRACE(std::string(optimization_name(level)));
    expect_outputs(test, run_model(model, inputs.value(), level), expected.value());
  }
}

TEST(OnnxNodeTests, EveryTestOfASupportedOperatorAgrees) {
  const fs::path root = fs::path(ASSAY_ONNX_TESTDATA_DIR) / "node";
  if (!fs::is_directory(root)) {
    std::puts("skipped: libonnx-testdata missing");
    return;
  }
  std::map<std::string, int> counts;
  int folders = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    ++folders;
    const auto model = Model::load((entry.path() / "model.onnx").string());
    if (!model.ok()) {
      EXPECT_EQ(model.error().kind, ErrorKind::kUnsupported) << entry.path() << ": " << model.error().message;
      continue;
    }
    const bool refused = refusal_of(entry.path().filename().string()).has_value();
    for (const Node& node : model.value().graph().nodes) {
      if (!refused) {
        ++counts[node.op_type];
      }
    }
    run_test(entry.path(), model.value());
  }
  std::map<std::string, int> expected;
  for (const OperatorCount& row : kExpectedCounts) {
    expected[row.op_type] = row.tests;
  }
  for (const auto& [op_type, count] : counts) {
    std::printf("%-24s %3d tests\n", op_type.c_str(), count);
  }
  EXPECT_EQ(counts, expected);
  EXPECT_GT(folders, 900);
}

}  // namespace
}  // namespace assay::api
