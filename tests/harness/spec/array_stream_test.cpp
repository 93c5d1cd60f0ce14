// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/array_stream.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/spec/case_parser.h"
#include "harness/spec/data_source.h"
#include "tests/support/folders.h"
#include "tests/support/peak_memory.h"

namespace assay::spec {
namespace {

using Values = std::vector<double>;

std::string fixture(const std::string& name) {
  return test::source_folder().string() + "/tests/harness/spec/data/" + name;
}

std::string file_with(const std::string& name, const Tensor& tensor) {
  const std::string path = testing::TempDir() + "/" + name;
  EXPECT_TRUE(save_npy(path, tensor).ok());
  return path;
}

TEST(ArrayStream, GivesTheRowsOfArchivesAndFiles) {
  ArrayStream stored = ArrayStream::open_npz(fixture("stored.npz"), "x").value();
  EXPECT_EQ(stored.shape(), (Shape{2, 3}));
  EXPECT_EQ(stored.dtype(), DType::kFloat32);
  EXPECT_EQ(stored.row(0).value().to_doubles(), (Values{0, 1, 2}));
  EXPECT_EQ(stored.row(1).value().to_doubles(), (Values{3, 4, 5}));
  EXPECT_EQ(stored.row(1).value().shape(), (Shape{3}));
  EXPECT_EQ(stored.row(0).value().to_doubles(), (Values{0, 1, 2}));

  ArrayStream deflated = ArrayStream::open_npz(fixture("deflated.npz"), "").value();
  EXPECT_EQ(deflated.row(2).value().to_doubles(), Values(4, 1.5));

  const std::string path = file_with("rows.npy", Tensor::from<Index>({3, 1, 2}, {1, 2, 3, 4, 5, 6}));
  ArrayStream file = ArrayStream::open_npy(path).value();
  EXPECT_EQ(file.row(2).value().to_doubles(), (Values{5, 6}));
  EXPECT_EQ(file.row(1).value().to_doubles(), (Values{3, 4}));
  EXPECT_EQ(file.row(2).value().shape(), (Shape{1, 2}));
}

// Every row of every fixture is that of the array as a whole: byte orders, types and Fortran order.
TEST(ArrayStream, AgreesWithTheWholeArray) {
  for (const char* name : {"big_endian_i4.npy", "bool.npy", "fortran_f8.npy", "version3_u1.npy"}) {
    const Tensor whole = load_npy(fixture(name)).value();
    ArrayStream stream = ArrayStream::open_npy(fixture(name)).value();
    ASSERT_EQ(stream.shape(), whole.shape()) << name;
    ASSERT_EQ(stream.dtype(), whole.dtype()) << name;
    const Values all = whole.to_doubles();
    Values rows;
    for (Index row = 0; row < whole.dim(0); ++row) {
      const Values part = stream.row(row).value().to_doubles();
      rows.insert(rows.end(), part.begin(), part.end());
    }
    EXPECT_EQ(rows, all) << name;
  }
}

TEST(ArrayStream, SaysWhatIsWrong) {
  const std::string stored = fixture("stored.npz");
  EXPECT_EQ(ArrayStream::open_npz(stored, "z").error().message, stored + " has no array 'z'; it has 'x', 'y'");
  EXPECT_EQ(ArrayStream::open_npy("/nonexistent.npy").error().message,
            "/nonexistent.npy: cannot be read: No such file or directory");
  EXPECT_EQ(ArrayStream::open_npy(stored).error().message,
            stored + ": this is not a .npy file: it does not begin with \\x93NUMPY");

  const std::string path = file_with("short.npy", Tensor::from<float>({2, 2}, {1, 2, 3, 4}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 4);
  EXPECT_EQ(ArrayStream::open_npy(path).error().message,
            path + ": the .npy header announces [2,2] of float32, which is 16 bytes of data; the file has 12");
  for (const std::uintmax_t size : {0U, 9U, 11U, 40U}) {
    std::filesystem::resize_file(path, size);
    EXPECT_FALSE(ArrayStream::open_npy(path).ok()) << size;
  }
}

TEST(ArrayStream, AFileThatShrinksMeanwhileIsAnError) {
  const std::string path = file_with("shrinks.npy", Tensor::allocate(DType::kFloat32, {4, 65536}).value());
  ArrayStream stream = ArrayStream::open_npy(path).value();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 12);
  EXPECT_TRUE(stream.row(2).ok());
  EXPECT_EQ(stream.row(3).error().message, path + ": the data end 12 bytes too early");
}

// 1000 samples of 256 KiB, 250 MiB in all, of 0.
constexpr Index kSamples = 1000;
constexpr Index kElements = 65536;

std::string large_file() {
  const std::string path = file_with("large.npy", Tensor::allocate(DType::kFloat32, {1, kElements}).value());
  // The header's text has room behind it, so that the file can grow where it is.
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string header(128, ' ');
  file.read(header.data(), 128);
  const std::size_t shape = header.find("(1, 65536), }  ");
  EXPECT_NE(shape, std::string::npos);
  header.replace(shape, 16, "(1000, 65536), }");
  file.seekp(0);
  file.write(header.data(), 128);
  file.close();
  std::filesystem::resize_file(path, 128 + static_cast<std::uintmax_t>(kSamples * kElements) * 4);
  return path;
}

// Through the sources that `assay quantize` and a case read.
TEST(ArrayStream, OneSampleIsInMemoryAtATime) {
  const std::string path = large_file();
  Graph graph;
  graph.inputs = {
      {.name = "x", .dtype = DType::kFloat32, .has_shape = true, .dims = {{.size = kElements, .name = ""}}}};
  const CaseOrErrors parsed = parse_case(testing::TempDir() + "/f.json",
                                         R"({"name": "case", "model": {"path": "m.onnx"},
                                             "calibration": {"x": {"npy": "large.npy", "offset": 2}}})");
  ASSERT_TRUE(parsed.value) << parsed.errors.front();
  for (const bool of_case : {false, true}) {
    const test::PeakMemory memory;
    const auto source = of_case ? open_calibration(*parsed.value, graph) : open_calibration_data({"x=" + path}, graph);
    ASSERT_TRUE(source.ok()) << source.error().message;
    for (int pass = 0; pass < 2; ++pass) {
      Index samples = 0;
      for (api::NamedTensors inputs; source.value()(samples, inputs).value(); inputs.clear()) {
        ASSERT_EQ(inputs.at("x").shape(), (Shape{kElements}));
        ASSERT_EQ(inputs.at("x").data<float>()[0], of_case ? 2.0F : 0.0F);
        ++samples;
      }
      EXPECT_EQ(samples, kSamples);
    }
    if (!test::freed_memory_is_kept()) {
      EXPECT_LT(memory.growth_kib(), 8 * 1024) << of_case;
    }
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace assay::spec
