// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/selection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

Graph small_graph() {
  return test::GraphBuilder()
      .input("x", {1, 1, 2, 2})
      .constant("w", test::floats({1, 1, 1, 1}, {1}))
      .node("Conv", "conv1", {"x", "w"})
      .node("Relu", "relu1", {"conv1"})
      .output("relu1", {1, 1, 2, 2})
      .build();
}

std::string error_of(const Options& options) {
  Status status = check_options(small_graph(), options);
  status = status.ok() ? check_ranges(small_graph(), small_graph(), options) : status;
  EXPECT_TRUE(status.ok() || status.error().kind == ErrorKind::kInvalidArgument);
  return status.ok() ? "" : status.error().message;
}

TEST(CheckOptions, AcceptsTheDefaults) { EXPECT_EQ(error_of({}), ""); }

TEST(CheckOptions, NamesUnknownThingsAndTheNearestKnownOnes) {
  Options options;
  options.op_types = {"Conv", "Rely"};
  EXPECT_EQ(error_of(options),
            "quantizer.op_types: the quantizer does not know 'Rely', and the model has no such node; did you mean "
            "'Relu'?");
  options = {};
  options.nodes_to_quantize = {"conv"};
  EXPECT_EQ(error_of(options), "quantizer.nodes_to_quantize: the model has no node 'conv'; did you mean 'conv1'?");
  options = {};
  options.nodes_to_exclude = {"relu1", "elsewhere"};
  EXPECT_EQ(error_of(options), "quantizer.nodes_to_exclude: the model has no node 'elsewhere'");
  options = {};
  options.overrides["v"];
  EXPECT_EQ(error_of(options), "quantizer.overrides: the model has no tensor 'v'; did you mean 'w'?");
  options = {};
  options.ranges["conv2"] = {0, 1};
  EXPECT_EQ(error_of(options), "quantizer.ranges: the model has no tensor 'conv2'; did you mean 'conv1'?");
}

TEST(CheckRanges, KnowsTheTensorsThatPreparationAdds) {
  Options options;
  options.ranges["x_smoothed"] = {0, 1};
  EXPECT_FALSE(check_ranges(small_graph(), small_graph(), options).ok());
  Graph prepared = small_graph();
  prepared.nodes[0].outputs[0] = "x_smoothed";
  EXPECT_TRUE(check_ranges(small_graph(), prepared, options).ok());
}

TEST(CheckOptions, RefusesContradictions) {
  Options options;
  options.nodes_to_quantize = {"conv1"};
  options.nodes_to_exclude = {"conv1"};
  EXPECT_EQ(error_of(options), "node 'conv1' is in both quantizer.nodes_to_quantize and nodes_to_exclude");
  options = {};
  options.ranges["conv1"] = {2, 1};
  EXPECT_EQ(error_of(options), "quantizer.ranges for 'conv1': min 2 is greater than max 1");
  options = {};
  options.activation_type = DType::kInt32;
  EXPECT_EQ(error_of(options), "quantizer.activation_type is int32; it must be int8, uint8, int16 or uint16");
  options.format = Format::kQOperator;
  options.activation_type = DType::kInt16;
  EXPECT_EQ(error_of(options), "quantizer.activation_type is int16; it must be int8 or uint8");
  options = {};
  options.activation_restricted = true;
  options.activation_type = DType::kInt8;
  EXPECT_EQ(error_of(options),
            "quantizer.activation_restricted is for unsigned activations that are not symmetric; found int8");
}

TEST(CheckIsFloatModel, NamesAQuantizedNode) {
  Graph graph = small_graph();
  EXPECT_TRUE(check_is_float_model(graph).ok());
  graph.nodes[1].op_type = "QuantizeLinear";
  const Status status = check_is_float_model(graph);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "the model is quantized already: it has QuantizeLinear node 'relu1' (opset 13); give the float model, or "
            "convert this one from int8 to uint8");
}

TEST(DeselectionReason, FollowsTheThreeLists) {
  const Node conv = small_graph().nodes[0];
  EXPECT_EQ(deselection_reason(conv, {}), "");
  Options options;
  options.nodes_to_exclude = {"conv1"};
  EXPECT_EQ(deselection_reason(conv, options), "excluded by quantizer.nodes_to_exclude");
  options = {};
  options.nodes_to_quantize = {"relu1"};
  EXPECT_EQ(deselection_reason(conv, options), "not in quantizer.nodes_to_quantize");
  options = {};
  options.op_types = {"Relu"};
  EXPECT_EQ(deselection_reason(conv, options), "Conv is not in quantizer.op_types");
}

// Each of these would ask for data and then not use it, or compute with it what has no meaning.
TEST(CheckOptions, RefusesPreparationsThatTheFormatHasNoUseFor) {
  Options options;
  options.format = Format::kWeightOnly;
  options.smooth_quant = true;
  EXPECT_EQ(error_of(options),
            "quantizer.smooth_quant is of no use with quantizer.format=weight_only: it makes activations easier to "
            "quantize, and they stay float");
  EXPECT_FALSE(needs_samples(options));
  options.bias_correction = true;
  EXPECT_TRUE(needs_samples(options));
  options = {};
  options.format = Format::kDynamic;
  options.bias_correction = true;
  EXPECT_EQ(error_of(options),
            "quantizer.bias_correction cannot be done with quantizer.format=dynamic: the scales that make the error "
            "are known only when the model runs");
  EXPECT_FALSE(needs_samples(options));
  options.bias_correction = false;
  options.smooth_quant = true;
  EXPECT_EQ(error_of(options), "");
  EXPECT_TRUE(needs_samples(options));
}

TEST(CheckOptions, SmoothQuantAlphaIsAShare) {
  Options options;
  for (const double alpha : {0.0, 0.5, 1.0}) {
    options.smooth_quant_alpha = alpha;
    EXPECT_EQ(error_of(options), "");
  }
  options.smooth_quant_alpha = 1.5;
  EXPECT_EQ(error_of(options), "quantizer.smooth_quant_alpha must lie in [0, 1]; found 1.5");
  options.smooth_quant_alpha = -0.25;
  EXPECT_EQ(error_of(options), "quantizer.smooth_quant_alpha must lie in [0, 1]; found -0.25");
  options.smooth_quant_alpha = std::nan("");
  EXPECT_EQ(error_of(options), "quantizer.smooth_quant_alpha must lie in [0, 1]; found nan");
}

TEST(CheckOptions, RefusesWhatNoRuntimeHasAnOperatorFor) {
  Options options;
  options.format = Format::kQOperator;
  options.activation_type = DType::kInt8;
  options.weight_type = DType::kUint8;
  EXPECT_EQ(error_of(options),
            "quantizer.activation_type=int8 with weight_type=uint8: ONNX Runtime has no QLinearConv, QLinearMatMul or "
            "QGemm of these; take int8 weights, or quantizer.format=qdq");
  options.weight_type = DType::kInt8;
  EXPECT_EQ(error_of(options), "");
  options.overrides["w"].type = DType::kInt16;
  EXPECT_EQ(error_of(options),
            "quantizer.overrides for 'w': type int16, but the operators of quantizer.format=qoperator and dynamic take "
            "int8 and uint8 only");
  options.format = Format::kQdq;
  EXPECT_EQ(error_of(options), "");
  options = {};
  options.block_size = 2;
  options.contrib_qdq = true;
  EXPECT_EQ(error_of(options),
            "quantizer.block_size cannot go with quantizer.contrib_qdq: DequantizeLinear of com.microsoft has no "
            "blocks");
}

}  // namespace
}  // namespace assay::quantizer
