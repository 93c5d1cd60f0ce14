// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/npy.h"

#include <gtest/gtest.h>

#include "harness/spec/data/archive.h"
#include "harness/spec/data_source.h"
#include "tests/support/folders.h"
#include "tests/support/random.h"

namespace assay::spec {
namespace {

std::string fixture(const std::string& name) {
  return test::source_folder().string() + "/tests/harness/spec/data/" + name;
}

Result<Tensor> parse(const std::string& bytes) { return parse_npy(std::as_bytes(std::span(bytes))); }

// A file of version 1 with this header text and these data bytes.
std::string file_of(const std::string& header, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFFU);
  bytes += static_cast<char>(header.size() >> 8U);
  return bytes + header + data;
}

std::string error_of(const std::string& header, const std::string& data) {
  const auto tensor = parse(file_of(header, data));
  return tensor.ok() ? "no error" : tensor.error().message;
}

TEST(Npy, RoundTripsEveryType) {
  test::Random random;
  for (int code = 1; code <= static_cast<int>(DType::kBool); ++code) {
    const auto dtype = static_cast<DType>(code);
    if (dtype == DType::kBfloat16) {
      continue;
    }
    for (int round = 0; round < 20; ++round) {
      Shape shape;
      for (std::int64_t rank = random.integer(0, 4); rank > 0; --rank) {
        shape.push_back(random.integer(0, 5));
      }
      Tensor tensor = Tensor::allocate(dtype, shape).value();
      for (std::size_t i = 0; i < tensor.size_bytes(); ++i) {
        tensor.mutable_bytes()[i] = static_cast<std::byte>(random.integer(0, dtype == DType::kBool ? 1 : 255));
      }
      const std::string bytes = format_npy(tensor).value();
      EXPECT_EQ((bytes.size() - tensor.size_bytes()) % 64, 0U);
      const auto read = parse(bytes);
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_TRUE(bytes_equal(read.value(), tensor));
    }
  }
}

TEST(Npy, WritesNumpysHeader) {
  const std::string bytes = format_npy(Tensor::from<float>({3}, {1, 2, 3})).value();
  EXPECT_EQ(bytes.substr(10, 57), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
  EXPECT_EQ(format_npy(Tensor::from<bool>({1, 2}, {true, false})).value().substr(10, 59),
            "{'descr': '|b1', 'fortran_order': False, 'shape': (1, 2), }");
  EXPECT_EQ(format_npy(Tensor::scalar<double>(1)).value().substr(10, 55),
            "{'descr': '<f8', 'fortran_order': False, 'shape': (), }");
}

TEST(Npy, WidensBfloat16) {
  Tensor tensor = Tensor::allocate(DType::kBfloat16, {1}).value();
  const std::uint16_t bits = 0x3FC0;  // 1.5
  std::memcpy(tensor.mutable_bytes(), &bits, sizeof(bits));
  const Tensor read = parse(format_npy(tensor).value()).value();
  EXPECT_EQ(read.dtype(), DType::kFloat32);
  EXPECT_EQ(read.data<float>()[0], 1.5F);
}

TEST(Npy, ReadsNumpysFiles) {
  const Tensor fortran = load_npy(fixture("fortran_f8.npy")).value();
  EXPECT_EQ(fortran.shape(), (Shape{2, 3, 4}));
  for (Index i = 0; i < 24; ++i) {
    EXPECT_EQ(fortran.data<double>()[static_cast<std::size_t>(i)], static_cast<double>(i));
  }
  EXPECT_EQ(load_npy(fixture("big_endian_i4.npy")).value().to_indices(), (std::vector<Index>{0, 1000, 2000, 3000}));
  EXPECT_EQ(load_npy(fixture("bool.npy")).value().to_indices(), (std::vector<Index>{1, 0, 1}));
  EXPECT_EQ(load_npy(fixture("version3_u1.npy")).value().to_indices(), (std::vector<Index>{0, 1, 2}));
  const Tensor scalar = load_npy(fixture("scalar_f2.npy")).value();
  EXPECT_EQ(scalar.shape(), Shape{});
  EXPECT_EQ(scalar.to_doubles(), std::vector<double>{1.5});
}

TEST(Npy, SaysWhatIsWrong) {
  const std::string good = "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n";
  EXPECT_EQ(error_of(good, "abc"), "no error");
  EXPECT_EQ(error_of("{'shape': (3,), 'fortran_order': False, 'descr': '|u1'}", "abc"), "no error");
  EXPECT_EQ(error_of(good, "ab"), "the .npy header announces [3] of uint8, which is 3 bytes of data; the file has 2");
  EXPECT_EQ(error_of(good, "abcd"), "the .npy header announces [3] of uint8, which is 3 bytes of data; the file has 4");
  EXPECT_EQ(error_of("{'descr': '<c8', 'fortran_order': False, 'shape': (), }", ""),
            "the .npy type '<c8' is none of bool, int8 to int64, uint8 to uint64, float16, float32, float64");
  EXPECT_EQ(error_of("{'descr': '|O', 'fortran_order': False, 'shape': (), }", "x").substr(0, 18),
            "the .npy type '|O'");
  EXPECT_EQ(error_of("{'descr': '|u1', 'shape': (1,)}", "x"),
            "the .npy header needs 'descr', 'fortran_order' and 'shape'");
  const std::string twice = "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), ";
  EXPECT_EQ(error_of(twice + "'shape': (3,), }", "abc"), "the .npy header has the key 'shape' twice");
  EXPECT_EQ(error_of(twice + "'descr': '|u1', }", "abc"), "the .npy header has the key 'descr' twice");
  EXPECT_EQ(error_of(twice + "'fortran_order': False, }", "abc"), "the .npy header has the key 'fortran_order' twice");
  EXPECT_EQ(error_of("{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}", "x"),
            "the .npy header is malformed: expected True or False at its byte 34");
  EXPECT_EQ(error_of("{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}", "x"),
            "the .npy header is malformed: expected a dimension at its byte 51");
  EXPECT_EQ(error_of("{'a': 1}", "x"), "the .npy header has the unknown key 'a'");
  EXPECT_EQ(parse("\x93NUMPY").error().message, "this is not a .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(parse(std::string("\x93NUMPY\x09\x00\x00\x00", 10)).error().message,
            ".npy version 9 is unknown; 1, 2 and 3 can be read");
  EXPECT_EQ(parse(std::string("\x93NUMPY\x01\x00\xFF\xFF{", 11)).error().message,
            "the .npy file ends inside its header: 65535 bytes announced, 1 there");
}

TEST(Npy, RefusesHugeShapesBeforeAskingForMemory) {
  EXPECT_EQ(error_of("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "").substr(0, 5),
            "shape");
  EXPECT_EQ(error_of("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }", ""),
            "the .npy header announces [1000000000] of float64, which is 8000000000 bytes of data; the file has 0");
}

TEST(Npy, SurvivesDamage) {
  test::Random random;
  const std::string good = format_npy(Tensor::from<std::int16_t>({2, 3}, {1, 2, 3, 4, 5, 6})).value();
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = good;
    for (std::int64_t edits = random.integer(1, 4); edits > 0; --edits) {
      damaged[static_cast<std::size_t>(random.integer(0, static_cast<Index>(damaged.size()) - 1))] =
          static_cast<char>(random.integer(0, 255));
    }
    damaged.resize(static_cast<std::size_t>(random.integer(0, static_cast<Index>(damaged.size()))));
    (void)parse(damaged).ok();
  }
}

TEST(Npz, ReadsStoredAndDeflatedArrays) {
  EXPECT_EQ(npz_keys(fixture("stored.npz")).value(), (std::vector<std::string>{"x", "y"}));
  const Tensor stored = load_npz(fixture("stored.npz"), "x").value();
  EXPECT_EQ(stored.shape(), (Shape{2, 3}));
  EXPECT_EQ(stored.to_doubles(), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  const Tensor deflated = load_npz(fixture("deflated.npz"), "").value();
  EXPECT_EQ(deflated.shape(), (Shape{3, 4}));
  EXPECT_EQ(deflated.to_doubles(), std::vector<double>(12, 1.5));
}

TEST(Npz, SaysWhatIsWrong) {
  const std::string stored = fixture("stored.npz");
  EXPECT_EQ(load_npz(stored, "z").error().message, stored + " has no array 'z'; it has 'x', 'y'");
  EXPECT_EQ(load_npz(stored, "").error().message, stored + " has the arrays 'x', 'y': name one with 'key'");
  EXPECT_EQ(load_npz(fixture("bool.npy"), "x").error().message,
            fixture("bool.npy") + ": not a readable .npz: Not a zip archive");
  EXPECT_EQ(load_npz("/nonexistent.npz", "x").error().message,
            "/nonexistent.npz: cannot be read: No such file or directory");
}

TEST(Npy, MissingFileNamesIt) {
  EXPECT_EQ(load_npy("/nonexistent.npy").error().message,
            "/nonexistent.npy: cannot be read: No such file or directory");
  EXPECT_EQ(load_npy("/").error().message, "/: cannot be read: this is a folder, not a file");
  EXPECT_EQ(save_npy("/nonexistent/a.npy", Tensor::scalar(1.0F)).error().kind, ErrorKind::kIo);
}

}  // namespace
}  // namespace assay::spec
