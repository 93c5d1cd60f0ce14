// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/tensor_proto.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>

#include "engine/onnx/external_data.h"
#include "engine/onnx/text.h"

namespace assay::onnx {
namespace {

// raw_data is little-endian and copied as it is.
static_assert(std::endian::native == std::endian::little);

struct TypeRow {
  int data_type;  // TensorProto.DataType
  DType dtype;    // kUndefined: not supported
  std::string_view name;
};

constexpr std::array<TypeRow, 28> kTypes = {{
    {1, DType::kFloat32, "float32"},
    {2, DType::kUint8, "uint8"},
    {3, DType::kInt8, "int8"},
    {4, DType::kUint16, "uint16"},
    {5, DType::kInt16, "int16"},
    {6, DType::kInt32, "int32"},
    {7, DType::kInt64, "int64"},
    {8, DType::kUndefined, "string"},
    {9, DType::kBool, "bool"},
    {10, DType::kFloat16, "float16"},
    {11, DType::kFloat64, "float64"},
    {12, DType::kUint32, "uint32"},
    {13, DType::kUint64, "uint64"},
    {14, DType::kUndefined, "complex64"},
    {15, DType::kUndefined, "complex128"},
    {16, DType::kBfloat16, "bfloat16"},
    {17, DType::kUndefined, "float8e4m3fn"},
    {18, DType::kUndefined, "float8e4m3fnuz"},
    {19, DType::kUndefined, "float8e5m2"},
    {20, DType::kUndefined, "float8e5m2fnuz"},
    {21, DType::kUint4, "uint4"},
    {22, DType::kInt4, "int4"},
    {23, DType::kUndefined, "float4e2m1"},
    {24, DType::kUndefined, "float8e8m0"},
    {25, DType::kUndefined, "uint2"},
    {26, DType::kUndefined, "int2"},
    {27, DType::kUndefined, "float6e2m3"},
    {28, DType::kUndefined, "float6e3m2"},
}};

const TypeRow* find_type(int data_type) {
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& row) { return row.data_type == data_type; });
  return found == kTypes.end() ? nullptr : &*found;
}

// What is known of a tensor before its data are read.
struct Header {
  DType dtype = DType::kUndefined;
  Shape shape;
  std::size_t count = 0;
  std::string what;

  // In the file.
  std::size_t size_bytes() const { return is_4bit(dtype) ? (count + 1) / 2 : count * dtype_size_bytes(dtype); }
  Error wrong_size(const std::string& found) const {
    return invalid_model(what + ": " + std::string(dtype_name(dtype)) + shape_text(shape) + " needs " + found);
  }
};

// Elements of a typed field that is wider than the element type: T(value) must equal the value, or be its 16 bits.
template <typename T, typename Field>
Result<Tensor> narrow_field(const Header& header, const Field& field) {
  ASSAY_ASSIGN(Tensor tensor, Tensor::allocate(header.dtype, header.shape));
  for (int i = 0; i < field.size(); ++i) {
    const auto value = field.Get(i);
    if (!std::in_range<T>(value)) {
      return invalid_model(header.what + ": value " + std::to_string(value) + " of element " + std::to_string(i) +
                           " is outside " + std::string(dtype_name(header.dtype)));
    }
    const auto element = static_cast<T>(value);
    std::memcpy(tensor.mutable_bytes() + static_cast<std::size_t>(i) * sizeof(T), &element, sizeof(T));
  }
  return tensor;
}

// Two elements a byte, the first in the low half.
template <typename ByteAt>
Result<Tensor> unpack_4bit(const Header& header, const ByteAt& byte_at) {
  ASSAY_ASSIGN(Tensor tensor, Tensor::allocate(header.dtype, header.shape));
  for (std::size_t i = 0; i < header.count; ++i) {
    const unsigned nibble = (byte_at(i / 2) >> (i % 2 == 0 ? 0U : 4U)) & 0xFU;
    const bool negative = header.dtype == DType::kInt4 && nibble >= 8;
    tensor.mutable_bytes()[i] = static_cast<std::byte>(negative ? nibble | 0xF0U : nibble);
  }
  return tensor;
}

std::string pack_4bit(const Tensor& tensor) {
  std::string packed((static_cast<std::size_t>(tensor.size()) + 1) / 2, '\0');
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.size()); ++i) {
    const unsigned nibble = std::to_integer<unsigned>(tensor.bytes()[i]) & 0xFU;
    packed[i / 2] = static_cast<char>(static_cast<unsigned char>(packed[i / 2]) | (nibble << (i % 2 == 0 ? 0U : 4U)));
  }
  return packed;
}

template <typename Field>
Result<Tensor> same_field(const Header& header, const Field& field) {
  ASSAY_ASSIGN(Tensor tensor, Tensor::allocate(header.dtype, header.shape));
  if (field.size() > 0) {
    std::memcpy(tensor.mutable_bytes(), field.data(), header.size_bytes());
  }
  return tensor;
}

// The number of values that the field for this type holds.
int field_size(const ::onnx::TensorProto& proto, DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return proto.float_data_size();
    case DType::kFloat64:
      return proto.double_data_size();
    case DType::kInt64:
      return proto.int64_data_size();
    case DType::kUint32:
    case DType::kUint64:
      return proto.uint64_data_size();
    case DType::kUndefined:
      return 0;
    case DType::kFloat16:
    case DType::kBfloat16:
    case DType::kInt8:
    case DType::kUint8:
    case DType::kInt16:
    case DType::kUint16:
    case DType::kInt32:
    case DType::kBool:
    case DType::kInt4:
    case DType::kUint4:
      return proto.int32_data_size();
  }
  return 0;
}

Result<Tensor> read_field(const ::onnx::TensorProto& proto, const Header& header) {
  switch (header.dtype) {
    case DType::kFloat32:
      return same_field(header, proto.float_data());
    case DType::kFloat64:
      return same_field(header, proto.double_data());
    case DType::kInt64:
      return same_field(header, proto.int64_data());
    case DType::kUint64:
      return same_field(header, proto.uint64_data());
    case DType::kInt32:
      return same_field(header, proto.int32_data());
    case DType::kUint32:
      return narrow_field<std::uint32_t>(header, proto.uint64_data());
    case DType::kInt8:
      return narrow_field<std::int8_t>(header, proto.int32_data());
    case DType::kUint8:
      return narrow_field<std::uint8_t>(header, proto.int32_data());
    case DType::kInt16:
      return narrow_field<std::int16_t>(header, proto.int32_data());
    case DType::kUint16:
    case DType::kFloat16:
    case DType::kBfloat16:
      return narrow_field<std::uint16_t>(header, proto.int32_data());
    case DType::kBool:
      return narrow_field<std::uint8_t>(header, proto.int32_data());
    case DType::kInt4:
    case DType::kUint4: {
      const auto& field = proto.int32_data();
      return unpack_4bit(header, [&](std::size_t i) { return static_cast<unsigned>(field.Get(static_cast<int>(i))); });
    }
    case DType::kUndefined:
      break;
  }
  return internal_error(header.what + ": no field for its type");
}

Status check_raw_size(const Header& header, std::uintmax_t found) {
  if (found == header.size_bytes()) {
    return {};
  }
  return header.wrong_size(std::to_string(header.size_bytes()) + " bytes, but its data have " + std::to_string(found));
}

Result<Tensor> read_raw(const std::string& raw, const Header& header) {
  ASSAY_TRY(check_raw_size(header, raw.size()));
  if (is_4bit(header.dtype)) {
    return unpack_4bit(header,
                       [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(raw[i])); });
  }
  ASSAY_ASSIGN(Tensor tensor, Tensor::allocate_uninitialized(header.dtype, header.shape));
  if (!raw.empty()) {
    std::memcpy(tensor.mutable_bytes(), raw.data(), raw.size());
  }
  return tensor;
}

// Straight into the tensor: the data may be most of what memory holds.
Result<Tensor> read_external(const ExternalData& data, const Header& header) {
  ASSAY_TRY(check_raw_size(header, data.length));
  if (is_4bit(header.dtype)) {
    std::string raw(data.length, '\0');
    ASSAY_TRY(data.read(reinterpret_cast<std::byte*>(raw.data())));
    return read_raw(raw, header);
  }
  ASSAY_ASSIGN(Tensor tensor, Tensor::allocate_uninitialized(header.dtype, header.shape));
  if (data.length > 0) {
    ASSAY_TRY(data.read(tensor.mutable_bytes()));
  }
  return tensor;
}

Result<Tensor> read_data(::onnx::TensorProto& proto, const std::optional<std::string>& folder, const Header& header) {
  const bool external = proto.data_location() == ::onnx::TensorProto::EXTERNAL;
  if (external) {
    ASSAY_ASSIGN(const ExternalData data, find_external_data(proto, folder, header.what));
    return read_external(data, header);
  }
  const int values = field_size(proto, header.dtype);
  if (proto.has_raw_data()) {
    if (values > 0) {
      return invalid_model(header.what + ": has both raw_data and a typed field");
    }
    const std::unique_ptr<std::string> raw(proto.release_raw_data());
    return read_raw(*raw, header);
  }
  const std::size_t expected = is_4bit(header.dtype) ? header.size_bytes() : header.count;
  if (static_cast<std::size_t>(values) != expected) {
    return header.wrong_size(std::to_string(expected) + " values, but its data have " + std::to_string(values));
  }
  return read_field(proto, header);
}

}  // namespace

DType dtype_from_proto(int data_type) {
  const TypeRow* row = find_type(data_type);
  return row == nullptr ? DType::kUndefined : row->dtype;
}

int dtype_to_proto(DType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) {
      return row.data_type;
    }
  }
  return ::onnx::TensorProto::UNDEFINED;
}

std::string proto_type_name(int data_type) {
  const TypeRow* row = find_type(data_type);
  return row == nullptr ? "type " + std::to_string(data_type) : std::string(row->name);
}

Result<Tensor> tensor_from_proto(::onnx::TensorProto& proto, const std::optional<std::string>& folder,
                                 const std::string& what) {
  Header header{.dtype = dtype_from_proto(proto.data_type()), .shape = {}, .count = 0, .what = what};
  if (header.dtype == DType::kUndefined) {
    if (find_type(proto.data_type()) == nullptr) {
      return invalid_model(what + ": data type " + std::to_string(proto.data_type()) + " is not one that ONNX has");
    }
    return unsupported(what + ": data type " + proto_type_name(proto.data_type()) + " is not supported");
  }
  if (proto.has_segment()) {
    return unsupported(what + ": data in segments are not supported");
  }
  header.shape.assign(proto.dims().begin(), proto.dims().end());
  const Result<Index> count = element_count(header.shape);
  if (!count.ok()) {
    const bool negative = count.error().kind == ErrorKind::kInvalidArgument;
    return Error{negative ? ErrorKind::kInvalidModel : count.error().kind, what + ": " + count.error().message};
  }
  header.count = static_cast<std::size_t>(count.value());
  ASSAY_ASSIGN(Tensor tensor, read_data(proto, folder, header));
  if (header.dtype == DType::kBool) {  // any byte but 0 means true; C++ has only 0 and 1
    std::byte* bytes = tensor.mutable_bytes();
    std::transform(bytes, bytes + header.count, bytes,
                   [](std::byte value) { return value == std::byte{0} ? std::byte{0} : std::byte{1}; });
  }
  return tensor;
}

void tensor_to_proto(const Tensor& tensor, ::onnx::TensorProto& proto, ExternalTensors* external) {
  proto.set_data_type(dtype_to_proto(tensor.dtype()));
  for (const Index dim : tensor.shape()) {
    proto.add_dims(dim);
  }
  const bool packs = is_4bit(tensor.dtype());
  if (external != nullptr && tensor.size_bytes() >= kLeastExternalBytes) {
    external->add(packs ? Stored(pack_4bit(tensor)) : Stored(tensor), proto);
  } else if (packs) {
    proto.set_raw_data(pack_4bit(tensor));
  } else {
    proto.set_raw_data(tensor.bytes(), tensor.size_bytes());
  }
}

}  // namespace assay::onnx
