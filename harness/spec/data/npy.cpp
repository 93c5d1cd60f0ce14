// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "harness/spec/nearest.h"

namespace assay::spec {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeRow {
  std::string_view code;  // without the byte order
  DType dtype;
};
constexpr std::array<TypeRow, 12> kTypes = {{{"b1", DType::kBool},
                                             {"i1", DType::kInt8},
                                             {"u1", DType::kUint8},
                                             {"i2", DType::kInt16},
                                             {"u2", DType::kUint16},
                                             {"i4", DType::kInt32},
                                             {"u4", DType::kUint32},
                                             {"i8", DType::kInt64},
                                             {"u8", DType::kUint64},
                                             {"f2", DType::kFloat16},
                                             {"f4", DType::kFloat32},
                                             {"f8", DType::kFloat64}}};

struct Header {
  std::string descr;
  bool has_descr = false;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
};

// Reads the header's Python literal: a dictionary with the keys descr, fortran_order and shape in any order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<Header> run() {
    Header header;
    if (!accept('{')) {
      return bad("a '{'");
    }
    while (!accept('}')) {
      ASSAY_ASSIGN(const std::string key, quoted());
      if (!accept(':')) {
        return bad("':' after a key");
      }
      ASSAY_TRY(entry(key, header));
      if (!accept(',') && peek() != '}') {
        return bad("',' or '}'");
      }
    }
    if (header.descr.empty() || !header.fortran_order || !header.shape) {
      return invalid_argument("the .npy header needs 'descr', 'fortran_order' and 'shape'");
    }
    return header;
  }

 private:
  Status entry(const std::string& key, Header& header) {
    if ((key == "descr" && header.has_descr) || (key == "fortran_order" && header.fortran_order) ||
        (key == "shape" && header.shape)) {
      return invalid_argument(fmt::format("the .npy header has the key '{}' twice", key));
    }
    if (key == "descr") {
      ASSAY_ASSIGN(header.descr, quoted());
      header.has_descr = true;
      return {};
    }
    if (key == "fortran_order") {
      if (accept_word("True")) {
        header.fortran_order = true;
      } else if (accept_word("False")) {
        header.fortran_order = false;
      } else {
        return bad("True or False");
      }
      return {};
    }
    if (key == "shape") {
      ASSAY_ASSIGN(header.shape, tuple());
      return {};
    }
    return invalid_argument(fmt::format("the .npy header has the unknown key '{}'", shortened(key, 20)));
  }

  Result<Shape> tuple() {
    Shape shape;
    if (!accept('(')) {
      return bad("a '('");
    }
    while (!accept(')')) {
      skip_space();
      Index dim = 0;
      const char* begin = text_.data() + position_;
      const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), dim);
      if (code != std::errc() || dim < 0) {
        return bad("a dimension");
      }
      position_ += static_cast<std::size_t>(end - begin);
      accept('L');  // written by Python 2
      shape.push_back(dim);
      if (!accept(',') && peek() != ')') {
        return bad("',' or ')'");
      }
    }
    return shape;
  }

  Result<std::string> quoted() {
    skip_space();
    const char quote = peek();
    if (quote != '\'' && quote != '"') {
      return bad("a text in quotes");
    }
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) {
      return bad("the end of a text");
    }
    std::string text(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return text;
  }

  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) {
      ++position_;
    }
  }
  char peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) {
      return false;
    }
    ++position_;
    return true;
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.substr(position_).starts_with(word)) {
      return false;
    }
    position_ += word.size();
    return true;
  }
  Error bad(std::string_view expected) const {
    return invalid_argument(
        fmt::format("the .npy header is malformed: expected {} at its byte {}", expected, position_));
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

struct Layout {
  DType dtype = DType::kUndefined;
  bool swap = false;
};

Result<Layout> layout_of(const std::string& descr) {
  if (descr.size() >= 2 && std::string_view("<>|=").find(descr[0]) != std::string_view::npos) {
    for (const TypeRow& row : kTypes) {
      if (descr.substr(1) == row.code) {
        return Layout{row.dtype, descr[0] == '>'};
      }
    }
  }
  return unsupported(
      fmt::format("the .npy type '{}' is none of bool, int8 to int64, uint8 to uint64, float16, float32, "
                  "float64",
                  shortened(descr, 20)));
}

// From column-major `source` into row-major `target`.
void transpose_order(const std::byte* source, Tensor& target) {
  const std::size_t size = dtype_size_bytes(target.dtype());
  const Shape& shape = target.shape();
  Shape at(shape.size(), 0);
  for (Index i = 0; i < target.size(); ++i) {
    Index offset = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      offset = offset * shape[axis] + at[axis];
    }
    std::memcpy(target.mutable_bytes() + static_cast<std::size_t>(i) * size,
                source + static_cast<std::size_t>(offset) * size, size);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) {
        break;
      }
      at[axis] = 0;
    }
  }
}

}  // namespace

Result<std::size_t> npy_header_bytes(std::span<const std::byte> beginning) {
  const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  if (!text.starts_with(kMagic) || text.size() < 10) {
    return invalid_argument("this is not a .npy file: it does not begin with \\x93NUMPY");
  }
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    return unsupported(fmt::format(".npy version {} is unknown; 1, 2 and 3 can be read", version));
  }
  const std::size_t begin = version == 1 ? 10 : 12;
  if (text.size() < begin) {
    return invalid_argument("the .npy file ends inside its header");
  }
  return begin + (byte(8) | byte(9) << 8U | (version == 1 ? 0 : byte(10) << 16U | byte(11) << 24U));
}

Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes) {
  ASSAY_ASSIGN(const std::size_t end, npy_header_bytes(bytes));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t begin = text[6] == '\x01' ? 10 : 12;
  if (end > text.size()) {
    return invalid_argument(fmt::format("the .npy file ends inside its header: {} bytes announced, {} there",
                                        end - begin, text.size() - begin));
  }
  ASSAY_ASSIGN(const Header header, HeaderParser(text.substr(begin, end - begin)).run());
  ASSAY_ASSIGN(const Layout layout, layout_of(header.descr));
  ASSAY_ASSIGN(const Index count, element_count(*header.shape));
  return NpyHeader{.dtype = layout.dtype,
                   .swaps_bytes = layout.swap,
                   .columns_first = *header.fortran_order && header.shape->size() > 1,
                   .shape = *header.shape,
                   .data_offset = end,
                   .data_bytes = static_cast<std::size_t>(count) * dtype_size_bytes(layout.dtype)};
}

Status check_npy_size(const NpyHeader& header, std::size_t there) {
  if (there == header.data_bytes) {
    return {};
  }
  return invalid_argument(fmt::format("the .npy header announces {} of {}, which is {} bytes of data; the file has {}",
                                      shape_text(header.shape), dtype_name(header.dtype), header.data_bytes, there));
}

void adopt_npy_bytes(const NpyHeader& header, std::span<std::byte> bytes) {
  if (header.swaps_bytes) {
    const std::size_t size = dtype_size_bytes(header.dtype);
    for (std::size_t i = 0; i < bytes.size(); i += size) {
      std::reverse(bytes.data() + i, bytes.data() + i + size);
    }
  }
  if (header.dtype == DType::kBool) {
    for (std::byte& byte : bytes) {
      byte = std::byte{byte != std::byte{0}};
    }
  }
}

Result<Tensor> parse_npy(std::span<const std::byte> bytes) {
  ASSAY_ASSIGN(const NpyHeader header, parse_npy_header(bytes));
  ASSAY_TRY(check_npy_size(header, bytes.size() - header.data_offset));
  ASSAY_ASSIGN(Tensor tensor, Tensor::allocate(header.dtype, header.shape));
  const std::byte* data = bytes.data() + header.data_offset;
  if (header.columns_first) {
    transpose_order(data, tensor);
  } else if (header.data_bytes > 0) {
    std::memcpy(tensor.mutable_bytes(), data, header.data_bytes);
  }
  adopt_npy_bytes(header, {tensor.mutable_bytes(), header.data_bytes});
  return tensor;
}

Result<std::string> format_npy(const Tensor& tensor) {
  if (tensor.empty()) {
    return invalid_argument("a tensor without a type cannot be written as .npy");
  }
  if (tensor.dtype() == DType::kBfloat16) {
    ASSAY_ASSIGN(Tensor wide, Tensor::allocate(DType::kFloat32, tensor.shape()));
    const std::vector<double> values = tensor.to_doubles();
    std::transform(values.begin(), values.end(), wide.mutable_data<float>().begin(),
                   [](double value) { return static_cast<float>(value); });
    return format_npy(wide);
  }
  std::string_view code;
  for (const TypeRow& row : kTypes) {
    if (row.dtype == tensor.dtype()) {
      code = row.code;
    }
  }
  std::string dims;
  for (const Index dim : tensor.shape()) {
    dims += fmt::format("{}, ", dim);
  }
  if (tensor.rank() > 1) {
    dims.resize(dims.size() - 2);
  } else if (tensor.rank() == 1) {
    dims.resize(dims.size() - 1);
  }
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   dtype_size_bytes(tensor.dtype()) == 1 ? '|' : '<', code, dims);
  // The data begin at a multiple of 64 bytes, behind a line end.
  header.append(63 - (kMagic.size() + 4 + header.size()) % 64, ' ');
  header += '\n';
  if (header.size() > 0xFFFF) {
    return unsupported("the tensor has too many dimensions for .npy version 1");
  }
  std::string text(kMagic);
  text += {'\x01', '\x00', static_cast<char>(header.size() & 0xFFU), static_cast<char>(header.size() >> 8U)};
  text += header;
  if (tensor.size_bytes() > 0) {
    text.append(reinterpret_cast<const char*>(tensor.bytes()), tensor.size_bytes());
  }
  return text;
}

}  // namespace assay::spec
