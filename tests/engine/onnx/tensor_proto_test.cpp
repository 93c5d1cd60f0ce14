// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/tensor_proto.h"

#include <gtest/gtest.h>

#include <tuple>

#include "engine/onnx/parse_model.h"
#include "tests/engine/onnx/expect_error.h"

namespace assay {
namespace {

using test::fails_with;
using Proto = ::onnx::TensorProto;

constexpr auto kInvalid = ErrorKind::kInvalidModel;
constexpr auto kUnsupported = ErrorKind::kUnsupported;

Proto proto_of(int type, const std::vector<Index>& dims) {
  Proto proto;
  proto.set_data_type(type);
  for (const Index dim : dims) {
    proto.add_dims(dim);
  }
  return proto;
}

Result<Tensor> read(Proto proto) { return onnx::tensor_from_proto(proto, std::nullopt, "tensor 't'"); }

struct TypeCase {
  int type;
  DType dtype;
};

constexpr TypeCase kTypes[] = {
    {Proto::FLOAT, DType::kFloat32},     {Proto::DOUBLE, DType::kFloat64}, {Proto::FLOAT16, DType::kFloat16},
    {Proto::BFLOAT16, DType::kBfloat16}, {Proto::INT8, DType::kInt8},      {Proto::UINT8, DType::kUint8},
    {Proto::INT16, DType::kInt16},       {Proto::UINT16, DType::kUint16},  {Proto::INT32, DType::kInt32},
    {Proto::UINT32, DType::kUint32},     {Proto::INT64, DType::kInt64},    {Proto::UINT64, DType::kUint64},
    {Proto::BOOL, DType::kBool},
};

TEST(TensorProto, RawDataOfEveryTypeRoundTrips) {
  for (const TypeCase& row : kTypes) {
    SCOPED_TRACE(dtype_name(row.dtype));
    EXPECT_EQ(onnx::dtype_from_proto(row.type), row.dtype);
    EXPECT_EQ(onnx::dtype_to_proto(row.dtype), row.type);
    Proto proto = proto_of(row.type, {2, 3});
    std::string raw(6 * dtype_size_bytes(row.dtype), '\0');
    for (std::size_t i = 0; i < raw.size(); ++i) {
      raw[i] = static_cast<char>(row.dtype == DType::kBool ? i % 2 : i * 37 + 1);
    }
    proto.set_raw_data(raw);
    const Result<Tensor> tensor = read(proto);
    ASSERT_TRUE(tensor.ok()) << tensor.error().message;
    EXPECT_EQ(tensor.value().dtype(), row.dtype);
    Proto written;
    onnx::tensor_to_proto(tensor.value(), written);
    EXPECT_EQ(written.raw_data(), raw);
    EXPECT_EQ(written.data_type(), row.type);
    EXPECT_EQ(written.dims_size(), 2);
  }
}

// Two elements a byte in the file, the first in the low half; one a byte in memory.
TEST(TensorProto, FourBitTypesArePacked) {
  for (const auto& [type, dtype, values] : {std::tuple{22, DType::kInt4, std::vector<Index>{-8, 7, -1}},
                                            {21, DType::kUint4, std::vector<Index>{8, 7, 15}}}) {
    Proto proto = proto_of(type, {3});
    proto.set_raw_data("\x78\x0F");
    const Result<Tensor> raw = read(proto);
    ASSERT_TRUE(raw.ok()) << raw.error().message;
    EXPECT_EQ(raw.value().dtype(), dtype);
    EXPECT_EQ(raw.value().to_indices(), values);
    Proto written;
    onnx::tensor_to_proto(raw.value(), written);
    EXPECT_EQ(written.raw_data(), proto.raw_data());
    proto.clear_raw_data();
    proto.add_int32_data(0x78);
    proto.add_int32_data(0x0F);
    EXPECT_EQ(read(proto).value().to_indices(), values);
    proto.set_raw_data("\x78\x0F\x01");
    proto.clear_int32_data();
    EXPECT_TRUE(fails_with(read(proto), kInvalid, "needs 2 bytes, but its data have 3"));
  }
}

TEST(TensorProto, TypedFieldsAreRead) {
  Proto proto = proto_of(Proto::INT8, {2});
  proto.add_int32_data(-128);
  proto.add_int32_data(127);
  EXPECT_EQ(read(proto).value().to_indices(), (std::vector<Index>{-128, 127}));
  proto = proto_of(Proto::UINT8, {1});
  proto.add_int32_data(255);
  EXPECT_EQ(read(proto).value().to_indices(), (std::vector<Index>{255}));
  proto = proto_of(Proto::UINT32, {1});
  proto.add_uint64_data(0xFFFFFFFFU);
  EXPECT_EQ(read(proto).value().to_indices(), (std::vector<Index>{0xFFFFFFFF}));
  proto = proto_of(Proto::FLOAT16, {1});
  proto.add_int32_data(0x3E00);  // 1.5
  EXPECT_EQ(read(proto).value().to_doubles(), (std::vector<double>{1.5}));
  proto = proto_of(Proto::BOOL, {2});
  proto.add_int32_data(2);
  proto.add_int32_data(0);
  EXPECT_EQ(read(proto).value().to_indices(), (std::vector<Index>{1, 0}));
  proto = proto_of(Proto::DOUBLE, {});
  proto.add_double_data(0.1);
  EXPECT_EQ(read(proto).value().to_doubles(), (std::vector<double>{0.1}));
  proto = proto_of(Proto::UINT64, {});
  proto.add_uint64_data(9);
  EXPECT_EQ(read(proto).value().to_indices(), (std::vector<Index>{9}));
}

TEST(TensorProto, AnyByteButZeroIsTrue) {
  Proto proto = proto_of(Proto::BOOL, {3});
  proto.set_raw_data(std::string("\x00\x02\xFF", 3));
  EXPECT_EQ(read(proto).value().to_indices(), (std::vector<Index>{0, 1, 1}));
}

TEST(TensorProto, EmptyTensorsNeedNoData) {
  const Result<Tensor> tensor = read(proto_of(Proto::FLOAT, {0, 5}));
  ASSERT_TRUE(tensor.ok()) << tensor.error().message;
  EXPECT_EQ(tensor.value().size(), 0);
}

TEST(TensorProto, RefusesValuesOutsideTheType) {
  Proto proto = proto_of(Proto::UINT8, {2});
  proto.add_int32_data(0);
  proto.add_int32_data(256);
  EXPECT_TRUE(fails_with(read(proto), kInvalid, "tensor 't': value 256 of element 1 is outside uint8"));
  proto = proto_of(Proto::INT8, {1});
  proto.add_int32_data(128);
  EXPECT_TRUE(fails_with(read(proto), kInvalid, "value 128 of element 0 is outside int8"));
}

TEST(TensorProto, RefusesDataOfAnotherSize) {
  Proto proto = proto_of(Proto::FLOAT, {2, 3});
  proto.set_raw_data("1234");
  EXPECT_TRUE(fails_with(read(proto), kInvalid, "float32[2,3] needs 24 bytes, but its data have 4"));
  proto = proto_of(Proto::FLOAT, {2});
  proto.add_float_data(1);
  EXPECT_TRUE(fails_with(read(proto), kInvalid, "float32[2] needs 2 values, but its data have 1"));
  proto = proto_of(Proto::FLOAT, {1});
  proto.add_float_data(1);
  proto.set_raw_data("1234");
  EXPECT_TRUE(fails_with(read(proto), kInvalid, "both raw_data and a typed field"));
  // Values in the field of another type count for nothing.
  proto = proto_of(Proto::FLOAT, {1});
  proto.add_int64_data(1);
  EXPECT_TRUE(fails_with(read(proto), kInvalid, "needs 1 values, but its data have 0"));
}

TEST(TensorProto, RefusesImpossibleShapesWithoutAllocating) {
  EXPECT_TRUE(fails_with(read(proto_of(Proto::FLOAT, {2, -1})), kInvalid, "[2,-1] has a negative dimension"));
  EXPECT_TRUE(fails_with(read(proto_of(Proto::FLOAT, {Index{1} << 62, 8})), ErrorKind::kUnsupported, "elements"));
  EXPECT_TRUE(fails_with(read(proto_of(Proto::FLOAT, {Index{1} << 32})), kInvalid, "but its data have 0"));
}

TEST(TensorProto, RefusesOtherTypes) {
  for (const int type : {8, 14, 15, 17, 18, 19, 20, 23, 24, 25, 26, 27, 28}) {
    EXPECT_TRUE(fails_with(read(proto_of(type, {1})), kUnsupported,
                           "data type " + onnx::proto_type_name(type) + " is not supported"));
  }
  EXPECT_TRUE(fails_with(read(proto_of(99, {1})), kInvalid, "data type 99 is not one that ONNX has"));
  EXPECT_TRUE(fails_with(read(proto_of(0, {1})), kInvalid, "data type 0 is not one that ONNX has"));
  Proto proto = proto_of(Proto::FLOAT, {1});
  proto.mutable_segment()->set_begin(0);
  EXPECT_TRUE(fails_with(read(proto), kUnsupported, "segments"));
  proto = proto_of(Proto::FLOAT, {1});
  proto.set_data_location(Proto::EXTERNAL);
  EXPECT_TRUE(fails_with(read(proto), kUnsupported, "only be read for a model in a file"));
}

TEST(TensorProto, ParsesOneMessage) {
  Proto proto = proto_of(Proto::FLOAT, {1});
  proto.add_float_data(2.5F);
  const std::string bytes = proto.SerializeAsString();
  const Result<Tensor> tensor = onnx::parse_tensor(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(tensor.ok()) << tensor.error().message;
  EXPECT_EQ(tensor.value().to_doubles(), (std::vector<double>{2.5}));
  EXPECT_TRUE(fails_with(onnx::parse_tensor({}), kInvalid, "is empty, not an ONNX tensor"));
}

}  // namespace
}  // namespace assay
