// SPDX-License-Identifier: Apache-2.0
// Sizes that overflow and operands of any type become errors: they are never read beyond or as another type.
#include <limits>

#include "tests/engine/runtime/ops/float_data.h"

namespace assay::test {
namespace {

constexpr Index kHuge = Index{1} << 62;

Tensor list(const std::vector<Index>& values) {
  return Tensor::from<Index>({static_cast<Index>(values.size())}, values);
}

TEST(HostileOperands, SizesThatOverflow) {
  const Tensor x = Tensor::from<float>({4}, {1, 2, 3, 4});
  for (const Index repeat : {kHuge, kHuge + 1, Index{1} << 61, std::numeric_limits<Index>::max()}) {
    EXPECT_NE(refusal({.op_type = "Tile", .inputs = {x, list({repeat})}}), "") << repeat;
  }
  const Tensor cube = Tensor::from<float>({1, 4, 4, 4}, std::vector<float>(64, 1));
  EXPECT_NE(refusal({.op_type = "Tile", .inputs = {cube, list({kHuge, kHuge, 1, 1})}}), "");
  for (const Index size : {kHuge, kHuge + 1, std::numeric_limits<Index>::max(), Index{1} << 33}) {
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      EXPECT_NE(refusal({.op_type = "Resize",
                         .attributes = {{"mode", std::string(mode)}},
                         .inputs = {cube, Tensor(), Tensor(), list({1, 4, size, 4})}}),
                "")
          << mode << " " << size;
    }
  }
  for (const float scale : {1e18F, 1e30F, std::numeric_limits<float>::infinity()}) {
    EXPECT_NE(refusal({.op_type = "Resize", .inputs = {cube, Tensor(), Tensor::from<float>({4}, {1, 1, scale, 1})}}),
              "")
        << scale;
  }
}

TEST(HostileOperands, StepsAndDiagonalsWithoutANegative) {
  constexpr Index kLowest = std::numeric_limits<Index>::min();
  const Tensor x = Tensor::from<float>({3}, {1, 2, 3});
  EXPECT_TRUE(
      bytes_equal(run_one({.op_type = "Slice", .inputs = {x, list({2}), list({kLowest}), list({0}), list({kLowest})}}),
                  Tensor::from<float>({1}, {3})));
  const Tensor square = Tensor::from<float>({2, 2}, {7, 7, 7, 7});
  for (const Index k : {kLowest, kLowest + 1, Index{-2}, Index{2}, std::numeric_limits<Index>::max()}) {
    EXPECT_TRUE(bytes_equal(run_one({.op_type = "EyeLike", .attributes = {{"k", k}}, .inputs = {square}}),
                            Tensor::from<float>({2, 2}, {0, 0, 0, 0})))
        << k;
  }
}

// Source: Slice-13, "for negative stepping it is clamped to [0, dims[axes[i]]-1]".
TEST(HostileOperands, SliceStartsWithinTheDimension) {
  const Tensor x = Tensor::from<float>({4}, {5, 6, 7, 8});
  EXPECT_TRUE(bytes_equal(run_one({.op_type = "Slice", .inputs = {x, list({-6}), list({-9}), list({0}), list({-1})}}),
                          Tensor::from<float>({1}, {5})));
  const Tensor nothing = Tensor::from<float>({0}, {});
  EXPECT_EQ(run_one({.op_type = "Slice", .inputs = {nothing, list({-6}), list({-9}), list({0}), list({-1})}}).size(),
            0);
}

TEST(HostileOperands, EinsumGivesALabelOnce) {
  const Tensor x = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const char* equation : {"ij->iij", "ij->jj", "i...->ii..."}) {
    EXPECT_NE(refusal({.op_type = "Einsum", .attributes = {{"equation", std::string(equation)}}, .inputs = {x}})
                  .find("is given twice"),
              std::string::npos)
        << equation;
  }
}

// Source: ConvTranspose-11, "pads[start_i] = total_padding[i] - (total_padding[i]/2)" but for SAME_UPPER;
// ConvTranspose-1 has the halves the other way round.
TEST(HostileOperands, OddPadsOfConvTransposeBeginWithTheLargerHalf) {
  const auto run = [](Index opset, const char* auto_pad) {
    return run_one(
        {.op_type = "ConvTranspose",
         .attributes = {{"output_shape", std::vector<Index>{4}}, {"auto_pad", std::string(auto_pad)}},
         .inputs = {Tensor::from<float>({1, 1, 4}, {1, 2, 3, 4}), Tensor::from<float>({1, 1, 4}, {1, 10, 100, 1000})},
         .opset = opset});
  };
  const Tensor larger = Tensor::from<float>({1, 1, 4}, {123, 1234, 2340, 3400});
  const Tensor smaller = Tensor::from<float>({1, 1, 4}, {12, 123, 1234, 2340});
  for (const Index opset : {11, 22}) {
    EXPECT_TRUE(bytes_equal(run(opset, "NOTSET"), larger));
    EXPECT_TRUE(bytes_equal(run(opset, "SAME_LOWER"), larger));
    EXPECT_TRUE(bytes_equal(run(opset, "SAME_UPPER"), smaller));
  }
  EXPECT_TRUE(bytes_equal(run(7, "NOTSET"), smaller));
  EXPECT_TRUE(bytes_equal(run(7, "SAME_UPPER"), larger));
}

TEST(HostileOperands, PoolsRoundedUpReachBeyondTheInput) {
  const AttributeMap attributes = {
      {"kernel_shape", std::vector<Index>{3}}, {"strides", std::vector<Index>{3}}, {"ceil_mode", Index{1}}};
  const Tensor x = Tensor::from<float>({1, 1, 2}, {5, 7});
  EXPECT_TRUE(bytes_equal(run_one({.op_type = "MaxPool", .attributes = attributes, .inputs = {x}}),
                          Tensor::from<float>({1, 1, 1}, {7})));
  EXPECT_TRUE(bytes_equal(run_one({.op_type = "AveragePool", .attributes = attributes, .inputs = {x}, .opset = 19}),
                          Tensor::from<float>({1, 1, 1}, {6})));
  AttributeMap whole = attributes;
  whole.erase("ceil_mode");
  EXPECT_NE(refusal({.op_type = "MaxPool", .attributes = whole, .inputs = {x}}), "");
}

Tensor of_type(DType dtype, const Shape& shape) { return Tensor::allocate(dtype, shape).value(); }

// Operators with the shapes of operands that they take: each operand in turn gets every other type.
TEST(HostileOperands, OperandsOfAnyTypeAreRunOrRefused) {
  struct Case {
    const char* op_type;
    const char* domain;
    std::vector<Shape> shapes;
    DType dtype = DType::kFloat32;
    AttributeMap attributes = {};
    std::size_t outputs = 1;
  };
  const AttributeMap hidden = {{"hidden_size", Index{1}}};
  const std::vector<Case> cases = {
      {"Conv", "", {{1, 2, 4}, {1, 2, 3}, {1}}},
      {"Conv", "", {{1, 2, 4, 4}, {1, 2, 3, 3}, {1}}},
      {"Conv", "", {{1, 2, 4, 4, 4}, {1, 2, 3, 3, 3}, {1}}},
      {"Conv", "", {{1, 2, 4}, {1, 2, 3}, {1}}, DType::kFloat64},
      {"ConvTranspose", "", {{1, 2, 4}, {2, 1, 3}, {1}}},
      {"LayerNormalization", "", {{2, 4}, {4}, {4}}},
      {"SkipLayerNormalization", kMicrosoftDomain, {{1, 2, 4}, {1, 2, 4}, {4}, {4}, {4}}},
      {"BatchNormalization", "", {{1, 2, 4}, {2}, {2}, {2}, {2}}},
      {"InstanceNormalization", "", {{1, 2, 4}, {2}, {2}}},
      {"Gemm", "", {{2, 3}, {3, 4}, {4}}},
      {"MatMul", "", {{2, 3}, {3, 4}}},
      {"PRelu", "", {{2, 3}, {3}}},
      {"Add", "", {{2, 3}, {3}}},
      {"Pow", "", {{2, 3}, {3}}},
      {"Where", "", {{3}, {3}, {3}}},
      {"Clip", "", {{3}, {}, {}}},
      {"Pad", "", {{3}, {2}, {}}},
      {"Resize", "", {{1, 1, 2, 2}, {8}, {4}}},
      {"LSTM", "", {{2, 1, 3}, {1, 4, 3}, {1, 4, 1}, {1, 8}}, DType::kFloat32, hidden},
      {"GRU", "", {{2, 1, 3}, {1, 3, 3}, {1, 3, 1}, {1, 6}}, DType::kFloat32, hidden},
      {"RNN", "", {{2, 1, 3}, {1, 1, 3}, {1, 1, 1}, {1, 2}}, DType::kFloat32, hidden},
      {"QuantizeLinear", "", {{3}, {}, {}}},
      {"DequantizeLinear", "", {{3}, {}, {}}, DType::kInt8},
      {"MatMulInteger", "", {{2, 3}, {3, 4}, {}, {}}, DType::kInt8},
      {"QLinearMatMul", "", {{2, 3}, {}, {}, {3, 4}, {}, {}, {}, {}}, DType::kInt8},
      {"QLinearConv", "", {{1, 2, 4}, {}, {}, {1, 2, 3}, {}, {}, {}, {}, {1}}, DType::kInt8},
      {"Gather", "", {{3}, {2}}},
      {"ScatterElements", "", {{3}, {2}, {2}}},
      {"Slice", "", {{3}, {1}, {1}, {1}, {1}}},
      {"Tile", "", {{3}, {1}}},
      {"Expand", "", {{3}, {1}}},
      {"Reshape", "", {{3}, {1}}},
      {"OneHot", "", {{3}, {}, {2}}},
      {"TopK", "", {{3}, {1}}, DType::kFloat32, {}, 2},
      {"Range", "", {{}, {}, {}}},
      {"CumSum", "", {{3}, {}}},
  };
  const std::vector<DType> types = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBfloat16, DType::kInt8,
                                    DType::kUint8,   DType::kInt16,   DType::kUint16,  DType::kInt32,    DType::kUint32,
                                    DType::kInt64,   DType::kUint64,  DType::kBool};
  for (const Case& c : cases) {
    for (std::size_t operand = 0; operand < c.shapes.size(); ++operand) {
      for (const DType type : types) {
        NodeRun run = {.op_type = c.op_type, .domain = c.domain, .attributes = c.attributes, .outputs = c.outputs};
        for (std::size_t i = 0; i < c.shapes.size(); ++i) {
          run.inputs.push_back(of_type(i == operand ? type : c.dtype, c.shapes[i]));
        }
        for (const bool computed : {false, true}) {
          run.computed.assign(c.shapes.size(), computed);
          (void)run_node(run, {});
        }
      }
    }
  }
  for (const auto& [op_type, domain] :
       {std::pair("ConvTranspose", ""), std::pair("SkipLayerNormalization", kMicrosoftDomain)}) {
    const bool is_skip = *domain != '\0';
    NodeRun run = {.op_type = op_type, .domain = domain};
    for (const Shape& shape : is_skip ? std::vector<Shape>{{1, 2, 4}, {1, 2, 4}, {4}, {4}, {4}}
                                      : std::vector<Shape>{{1, 2, 4}, {2, 1, 3}, {1}}) {
      run.inputs.push_back(of_type(DType::kFloat32, shape));
    }
    run.inputs.back() = of_type(DType::kFloat64, run.inputs.back().shape());
    EXPECT_NE(refusal(run).find("type"), std::string::npos) << op_type << ": " << refusal(run);
  }
}

TEST(HostileOperands, RecurrentOperandsOfAnotherSizeOrType) {
  const auto run = [](const char* op, Index gates, const AttributeMap& attributes, DType type = DType::kFloat32) {
    const auto operand = [&](const Shape& shape) { return Tensor::allocate(type, shape).value(); };
    return refusal({.op_type = op,
                    .attributes = attributes,
                    .inputs = {Tensor::allocate(DType::kFloat32, {2, 1, 3}).value(), operand({1, gates * 4, 3}),
                               operand({1, gates * 4, 4})},
                    .outputs = 2});
  };
  for (const auto& [op, gates] :
       {std::pair("LSTM", Index{4}), std::pair("GRU", Index{3}), std::pair("RNN", Index{1})}) {
    EXPECT_EQ(run(op, gates, {{"hidden_size", Index{4}}}), "");
    EXPECT_EQ(run(op, gates, {}), "");
    EXPECT_NE(run(op, gates, {{"hidden_size", Index{5}}}).find("hidden_size is 5"), std::string::npos) << op;
    EXPECT_NE(run(op, gates, {{"hidden_size", Index{0}}}).find("hidden_size must be positive"), std::string::npos);
    EXPECT_NE(run(op, gates, {{"hidden_size", Index{4}}}, DType::kFloat64), "") << op;
  }
}

// Source: ScatterND-18, "updates must have the shape indices.shape[:-1] + data.shape[indices.shape[-1]:]".
TEST(HostileOperands, UpdatesHaveTheShapeOfTheSlices) {
  const Tensor data = Tensor::allocate(DType::kFloat32, {2, 3, 4}).value();
  const Tensor indices = Tensor::from<Index>({2, 1}, {0, 1});
  const auto run = [&](const Shape& updates) {
    return refusal(
        {.op_type = "ScatterND", .inputs = {data, indices, Tensor::allocate(DType::kFloat32, updates).value()}});
  };
  EXPECT_EQ(run({2, 3, 4}), "");
  for (const Shape& shape : {Shape{2, 4, 3}, Shape{24}, Shape{2, 12}, Shape{6, 4}, Shape{1, 2, 3, 4}}) {
    EXPECT_NE(run(shape).find("updates must have the shape [2,3,4]"), std::string::npos) << shape_text(shape);
  }
}

// What has one type for all its float operands takes no other beside it.
TEST(HostileOperands, FloatOperandsAreOfOneType) {
  struct Row {
    const char* op;
    std::vector<Shape> shapes;
    bool takes_several = false;
  };
  for (const Row& row :
       {Row{"Conv", {{1, 1, 3, 3}, {1, 1, 1, 1}, {1}}}, Row{"ConvTranspose", {{1, 1, 3, 3}, {1, 1, 1, 1}, {1}}},
        Row{"Gemm", {{2, 2}, {2, 2}, {2}}}, Row{"MatMul", {{2, 2}, {2, 2}}}, Row{"Add", {{2}, {2}}},
        Row{"Concat", {{2}, {2}}}, Row{"PRelu", {{2}, {2}}}, Row{"Max", {{2}, {2}, {2}}},
        Row{"LayerNormalization", {{2, 2}, {2}, {2}}}, Row{"Pow", {{2}, {2}}, true}}) {
    for (std::size_t odd = 0; odd <= row.shapes.size(); ++odd) {  // the last: all alike
      for (const auto& [one, other] :
           {std::pair(DType::kFloat16, DType::kFloat32), std::pair(DType::kFloat32, DType::kFloat16),
            std::pair(DType::kFloat16, DType::kBfloat16)}) {
        NodeRun run{.op_type = row.op, .attributes = {}, .inputs = {}, .opset = 17};
        if (run.op_type == "Concat") {
          run.attributes["axis"] = Index{0};
        }
        for (std::size_t i = 0; i < row.shapes.size(); ++i) {
          run.inputs.push_back(Tensor::allocate(i == odd ? other : one, row.shapes[i]).value());
        }
        const bool constant_refused = refusal(run).empty();
        run.computed = std::vector<bool>(row.shapes.size(), true);
        const bool fits = odd == row.shapes.size() || row.takes_several;
        EXPECT_EQ(refusal(run).empty(), fits) << row.op << " operand " << odd << ": " << refusal(run);
        EXPECT_EQ(constant_refused, fits) << row.op << " operand " << odd << ", constant";
      }
    }
  }
}

}  // namespace
}  // namespace assay::test
