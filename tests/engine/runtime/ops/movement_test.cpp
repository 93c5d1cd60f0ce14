// SPDX-License-Identifier: Apache-2.0
// Identity, Flatten, Reshape, Squeeze, Unsqueeze, Transpose, Concat, Pad, Constant.
#include <array>

#include "tests/engine/runtime/ops/float_data.h"

namespace assay::test {
namespace {

using Ints = std::vector<Index>;

Tensor list(const Ints& values) { return Tensor::from<Index>({static_cast<Index>(values.size())}, values); }

// 0, 1, 2, ... in the given type.
Tensor counting(DType dtype, const Shape& shape) {
  Tensor tensor = Tensor::allocate(dtype, shape).value();
  const std::size_t size_bytes = dtype_size_bytes(dtype);
  for (Index i = 0; i < tensor.size(); ++i) {  // little-endian, like the bytes of every type
    std::memcpy(tensor.mutable_bytes() + static_cast<std::size_t>(i) * size_bytes, &i, size_bytes);
  }
  return tensor;
}

constexpr std::array kMovedTypes = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBfloat16,
                                    DType::kInt8,    DType::kUint8,   DType::kInt16,   DType::kUint16,
                                    DType::kInt32,   DType::kUint32,  DType::kInt64,   DType::kUint64};

TEST(View, SharesTheData) {
  const Tensor x = counting(DType::kInt8, {2, 3, 4});
  const Tensor same = run_one({.op_type = "Identity", .inputs = {x}});
  EXPECT_EQ(same.bytes(), x.bytes());
  EXPECT_EQ(same.shape(), x.shape());
  const Tensor flat = run_one({.op_type = "Flatten", .inputs = {x}});
  EXPECT_EQ(flat.bytes(), x.bytes());
  EXPECT_EQ(flat.shape(), (Shape{2, 12}));
}

TEST(Flatten, SplitsAtTheAxis) {
  const Tensor x = counting(DType::kFloat32, {2, 3, 4});
  const auto shape = [&x](Index axis) {
    return run_one({.op_type = "Flatten", .attributes = {{"axis", axis}}, .inputs = {x}}).shape();
  };
  EXPECT_EQ(shape(0), (Shape{1, 24}));
  EXPECT_EQ(shape(3), (Shape{24, 1}));
  EXPECT_EQ(shape(-1), (Shape{6, 4}));
  EXPECT_EQ(refusal({.op_type = "Flatten", .attributes = {{"axis", Index{4}}}, .inputs = {x}}),
            "axis must lie in [-3, 3]; found 4");
}

TEST(Reshape, CopiesZerosAndComputesMinusOne) {
  const Tensor x = counting(DType::kFloat32, {2, 3, 4});
  const auto shape = [&x](const Ints& to) {
    return run_one({.op_type = "Reshape", .inputs = {x, list(to)}, .computed = {true, true}}).shape();
  };
  EXPECT_EQ(shape({6, 4}), (Shape{6, 4}));
  EXPECT_EQ(shape({0, -1}), (Shape{2, 12}));
  EXPECT_EQ(shape({-1}), (Shape{24}));
  const Tensor none = counting(DType::kFloat32, {0, 3});
  const AttributeMap allow = {{"allowzero", Index{1}}};
  EXPECT_EQ(run_one({.op_type = "Reshape", .attributes = allow, .inputs = {none, list({3, 0})}, .opset = 14}).shape(),
            (Shape{3, 0}));
}

TEST(Reshape, RefusesWhatDoesNotFit) {
  const Tensor x = counting(DType::kFloat32, {2, 3});
  const auto message = [&x](const Ints& to) { return refusal({.op_type = "Reshape", .inputs = {x, list(to)}}); };
  EXPECT_EQ(message({4}), "data of shape [2,3] has 6 elements; the new shape [4] has 4");
  EXPECT_EQ(message({-1, -1}), "shape may hold one -1; found [-1,-1]");
  EXPECT_EQ(message({-2, 3}), "shape must hold sizes, 0 or -1; found [-2,3]");
  EXPECT_EQ(message({1, 6, 0}), "shape [1,6,0] copies dimension 2, which data of shape [2,3] does not have");
  EXPECT_EQ(message({4, -1}), "shape [4,-1] leaves no size for -1: data of shape [2,3] has 6 elements");
  EXPECT_EQ(refusal({.op_type = "Reshape", .inputs = {x, Tensor::from<float>({1}, {6})}}),
            "shape must have one of the types int64, int32; found float32");
}

TEST(Squeeze, TakesAxesAsAttributeOrInput) {
  const Tensor x = counting(DType::kFloat32, {1, 3, 1, 2});
  EXPECT_EQ(run_one({.op_type = "Squeeze", .inputs = {x}}).shape(), (Shape{3, 2}));
  EXPECT_EQ(run_one({.op_type = "Squeeze", .inputs = {x, list({-2})}}).shape(), (Shape{1, 3, 2}));
  EXPECT_EQ(run_one({.op_type = "Squeeze", .attributes = {{"axes", Ints{0}}}, .inputs = {x}, .opset = 11}).shape(),
            (Shape{3, 1, 2}));
  EXPECT_EQ(run_one({.op_type = "Squeeze", .inputs = {x}, .opset = 11}).shape(), (Shape{3, 2}));
  EXPECT_EQ(refusal({.op_type = "Squeeze", .inputs = {x, list({1})}}),
            "a squeezed dimension must be 1; dimension 1 of [1,3,1,2] is not");
  EXPECT_EQ(refusal({.op_type = "Squeeze", .inputs = {x, list({0, -4})}}), "axes names dimension 0 twice: [0,-4]");
}

TEST(Unsqueeze, CountsAxesInTheOutput) {
  const Tensor x = counting(DType::kFloat32, {3, 2});
  EXPECT_EQ(run_one({.op_type = "Unsqueeze", .inputs = {x, list({0, -1})}}).shape(), (Shape{1, 3, 2, 1}));
  EXPECT_EQ(run_one({.op_type = "Unsqueeze", .attributes = {{"axes", Ints{1}}}, .inputs = {x}, .opset = 11}).shape(),
            (Shape{3, 1, 2}));
  EXPECT_EQ(refusal({.op_type = "Unsqueeze", .inputs = {x, list({3})}}), "axes: axis 3 is outside [-3, 2]");
}

TEST(Transpose, MovesEveryTypeToItsPlace) {
  Random random(40);
  for (int round = 0; round < 200; ++round) {
    const bool is_large = round % 4 == 3;  // more than one block of the kernels
    Shape shape;
    Ints perm;
    for (Index i = random.integer(1, is_large ? 3 : 4); i > 0; --i) {
      perm.insert(perm.begin() + random.integer(0, static_cast<Index>(perm.size())), static_cast<Index>(perm.size()));
      shape.push_back(random.integer(1, is_large && random.chance(0.7) ? 70 : 4));
    }
    const Tensor x = counting(kMovedTypes[static_cast<std::size_t>(round) % kMovedTypes.size()], shape);
    const Tensor y = run_one({.op_type = "Transpose", .attributes = {{"perm", perm}}, .inputs = {x}});
    ASSERT_EQ(y.dtype(), x.dtype());
    std::vector<Index> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
      strides[i - 1] = strides[i] * shape[i];
    }
    for (Index flat = 0; flat < y.size(); ++flat) {
      Index rest = flat;
      Index source = 0;
      for (std::size_t i = shape.size(); i-- > 0;) {
        const auto from = static_cast<std::size_t>(perm[i]);
        ASSERT_EQ(y.dim(i), shape[from]);
        source += rest % y.dim(i) * strides[from];
        rest /= y.dim(i);
      }
      const std::size_t size_bytes = dtype_size_bytes(x.dtype());
      ASSERT_EQ(std::memcmp(y.bytes() + static_cast<std::size_t>(flat) * size_bytes,
                            x.bytes() + static_cast<std::size_t>(source) * size_bytes, size_bytes),
                0);
    }
  }
}

TEST(Transpose, SharesTheDataWhereTheOrderStays) {
  const Tensor x = counting(DType::kInt8, {2, 1, 3, 4});
  const Tensor y = run_one({.op_type = "Transpose", .attributes = {{"perm", Ints{1, 0, 2, 3}}}, .inputs = {x}});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 3, 4}));
  EXPECT_EQ(y.bytes(), x.bytes());
}

TEST(Transpose, ReversesByDefaultAndRefusesOtherLists) {
  const Tensor x = counting(DType::kInt8, {2, 3});
  const Tensor y = run_one({.op_type = "Transpose", .inputs = {x}});
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_EQ(y.to_indices(), (Ints{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(refusal({.op_type = "Transpose", .attributes = {{"perm", Ints{0, 0}}}, .inputs = {x}}),
            "perm must be a permutation of the 2 dimensions of data; found [0,0]");
}

TEST(Concat, JoinsEveryType) {
  for (const DType dtype : kMovedTypes) {
    const Tensor a = counting(dtype, {2, 1, 2});
    const Tensor b = counting(dtype, {2, 2, 2});
    const Tensor y = run_one({.op_type = "Concat", .attributes = {{"axis", Index{-2}}}, .inputs = {a, b}});
    ASSERT_EQ(y.dtype(), dtype);
    ASSERT_EQ(y.shape(), (Shape{2, 3, 2}));
    const std::size_t size_bytes = dtype_size_bytes(dtype);
    const Ints expected = {0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 6, 7};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(std::memcmp(y.bytes() + i * size_bytes, &expected[i], size_bytes), 0) << dtype_name(dtype);
    }
  }
}

TEST(Concat, RefusesPartsThatDoNotFit) {
  const auto message = [](const Tensor& a, const Tensor& b, Index axis) {
    return refusal({.op_type = "Concat", .attributes = {{"axis", axis}}, .inputs = {a, b}});
  };
  const Tensor x = counting(DType::kInt8, {2, 3});
  EXPECT_EQ(message(x, counting(DType::kUint8, {2, 3}), 0), "input 1 must have the type of input 0, int8; found uint8");
  EXPECT_EQ(message(x, counting(DType::kInt8, {2, 4}), 0),
            "input 1 must have the shape of input 0, [2,3], but for dimension 0; found [2,4]");
  EXPECT_EQ(message(x, x, 2), "axis: axis 2 is outside [-2, 1]");
  EXPECT_EQ(refusal({.op_type = "Concat", .inputs = {x}}),
            "Concat node 'node' (opset 13): the attribute axis is missing");
}

Ints padded(const Ints& values, const std::string& mode, Index begin, Index end) {
  const Tensor x = list(values);
  const NodeRun run{
      .op_type = "Pad", .attributes = {{"mode", mode}}, .inputs = {x, list({begin, end}), Tensor::scalar<Index>(9)}};
  return run_one(run).to_indices();
}

TEST(Pad, FillsAsItsModeSays) {
  EXPECT_EQ(padded({1, 2, 3}, "constant", 1, 2), (Ints{9, 1, 2, 3, 9, 9}));
  EXPECT_EQ(padded({1, 2, 3}, "edge", 2, 1), (Ints{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(padded({1, 2, 3}, "reflect", 2, 2), (Ints{3, 2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(padded({1, 2, 3}, "constant", -1, 1), (Ints{2, 3, 9}));
  EXPECT_EQ(padded({1, 2, 3, 4}, "reflect", -1, 2), (Ints{2, 3, 4, 3, 2}));
  EXPECT_EQ(padded({1, 2, 3, 4}, "edge", 1, -2), (Ints{1, 1, 2}));
  EXPECT_EQ(padded({1, 2}, "constant", -2, 1), (Ints{9}));
}

TEST(Pad, PadsEveryTypeAndDimension) {
  for (const DType dtype : kMovedTypes) {
    const Tensor y = run_one({.op_type = "Pad", .inputs = {counting(dtype, {2, 2}), list({1, 0, 0, 1})}});
    ASSERT_EQ(y.shape(), (Shape{3, 3}));
    const Ints expected = {0, 0, 0, 0, 1, 0, 2, 3, 0};
    const std::size_t size_bytes = dtype_size_bytes(dtype);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(std::memcmp(y.bytes() + i * size_bytes, &expected[i], size_bytes), 0) << dtype_name(dtype);
    }
  }
}

TEST(Pad, TakesAttributesBeforeOpset11AndAxesFrom18) {
  const Tensor x = Tensor::from<float>({1, 2}, {1, 2});
  const AttributeMap attributes = {{"pads", Ints{0, 1, 0, 0}}, {"value", 0.5F}};
  expect_close(run_one({.op_type = "Pad", .attributes = attributes, .inputs = {x}, .opset = 10}), {1, 3}, {0.5, 1, 2},
               0);
  const NodeRun axes{.op_type = "Pad", .inputs = {x, list({1, 0}), Tensor(), list({-1})}, .opset = 18};
  expect_close(run_one(axes), {1, 3}, {0, 1, 2}, 0);
}

TEST(Pad, RefusesWhatItCannotDo) {
  const Tensor x = list({1, 2});
  const auto message = [&x](const std::string& mode, const Ints& pads) {
    return refusal({.op_type = "Pad", .attributes = {{"mode", mode}}, .inputs = {x, list(pads)}});
  };
  EXPECT_EQ(message("mirror", {1, 1}),
            "Pad node 'node' (opset 13): mode must be constant, reflect, edge or wrap; found 'mirror'");
  EXPECT_EQ(message("constant", {1}), "pads must have a begin and an end for each of the 1 dimensions; found [1]");
  EXPECT_EQ(message("reflect", {2, 0}),
            "a reflected pad must be smaller than what it reflects: dimension 0 of size 2 with pads 2 and 0");
  EXPECT_EQ(message("edge", {-2, 1}),
            "an edge or wrapped pad needs an element to repeat: dimension 0 of size 2 with pads -2 and 1");
  EXPECT_EQ(message("constant", {-2, -1}),
            "negative pads take away more than there is: dimension 0 of size 2 with pads -2 and -1");
  const auto huge = run_node({.op_type = "Pad", .inputs = {x, list({INT64_MAX, INT64_MIN})}}, {});
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().kind, ErrorKind::kUnsupported);
  // Refused for the whole shape, before either dimension's positions are listed.
  const Tensor square = Tensor::allocate(DType::kUint8, {1, 1}).value();
  const Index many = Index{1} << 33;
  EXPECT_EQ(refusal({.op_type = "Pad", .inputs = {square, list({0, 0, many - 1, many - 1})}}),
            "shape [8589934592,8589934592] has more than 8589934592 elements, the most a tensor may have");
  EXPECT_EQ(refusal({.op_type = "Pad", .inputs = {x, list({1, 0}), Tensor::scalar(1.0F)}}),
            "constant_value must be one element of data's type int64; found float32 []");
}

TEST(Constant, GivesItsAttribute) {
  const auto value = [](AttributeMap attributes) {
    return run_one({.op_type = "Constant", .attributes = std::move(attributes)});
  };
  EXPECT_EQ(value({{"value", list({4, 5})}}).to_indices(), (Ints{4, 5}));
  EXPECT_EQ(value({{"value_ints", Ints{7}}}).shape(), (Shape{1}));
  EXPECT_EQ(value({{"value_int", Index{7}}}).shape(), (Shape{}));
  expect_close(value({{"value_float", 1.5F}}), {}, {1.5}, 0);
  expect_close(value({{"value_floats", std::vector<float>{1, 2}}}), {2}, {1, 2}, 0);
  EXPECT_EQ(refusal({.op_type = "Constant", .attributes = {{"value_string", std::string("a")}}}),
            "Constant node 'node' (opset 13): one of value, value_float, value_floats, value_int and value_ints is "
            "required");
}

}  // namespace
}  // namespace assay::test
