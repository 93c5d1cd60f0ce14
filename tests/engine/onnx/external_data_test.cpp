// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/external_data.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "engine/base/output_file.h"
#include "tests/engine/onnx/expect_error.h"

namespace assay {
namespace {

using test::fails_with;

constexpr auto kInvalid = ErrorKind::kInvalidModel;

// <tmp>/model/{weights.bin, link -> ../secret.bin} and <tmp>/secret.bin
class ExternalData : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("assay_external_" + std::to_string(getpid()));
    std::filesystem::create_directories(root_ / "model");
    ASSERT_TRUE(replace_file(root_ / "model" / "weights.bin", "0123456789").ok());
    ASSERT_TRUE(replace_file(root_ / "secret.bin", "secret").ok());
    std::filesystem::create_symlink("../secret.bin", root_ / "model" / "link");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  Result<std::string> read(const std::string& location, const std::string& offset = "",
                           const std::string& length = "") {
    ::onnx::TensorProto proto;
    for (const auto& [key, value] :
         {std::pair<std::string, std::string>{"location", location}, {"offset", offset}, {"length", length}}) {
      if (!value.empty()) {
        auto& entry = *proto.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
      }
    }
    ASSAY_ASSIGN(const onnx::ExternalData data,
                 onnx::find_external_data(proto, (root_ / "model").string(), "initializer 'w'"));
    std::string bytes(data.length, '\0');
    ASSAY_TRY(data.read(reinterpret_cast<std::byte*>(bytes.data())));
    return bytes;
  }

  std::filesystem::path root_;
};

TEST_F(ExternalData, ReadsTheBytesNamed) {
  EXPECT_EQ(read("weights.bin").value(), "0123456789");
  EXPECT_EQ(read("weights.bin", "4").value(), "456789");
  EXPECT_EQ(read("./weights.bin", "2", "3").value(), "234");
}

TEST_F(ExternalData, RefusesToLeaveTheFolder) {
  EXPECT_TRUE(fails_with(read("../secret.bin"), kInvalid, "'../secret.bin' is outside the model's folder"));
  EXPECT_TRUE(fails_with(read((root_ / "secret.bin").string()), kInvalid, "must be relative to the model"));
  EXPECT_TRUE(fails_with(read("link"), kInvalid, "'link' is outside the model's folder"));
}

TEST_F(ExternalData, RefusesWhatTheFileDoesNotHave) {
  EXPECT_TRUE(fails_with(read("none.bin"), ErrorKind::kIo, "initializer 'w': cannot open external data 'none.bin'"));
  EXPECT_TRUE(fails_with(read("weights.bin", "8", "3"), kInvalid, "has 10 bytes, fewer than offset 8 + length 3"));
  EXPECT_TRUE(fails_with(read("weights.bin", "11"), kInvalid, "fewer than offset 11"));
  EXPECT_TRUE(fails_with(read("weights.bin", "18446744073709551615", "2"), kInvalid, "fewer than offset"));
  EXPECT_TRUE(fails_with(read("weights.bin", "-1"), kInvalid, "offset '-1' is not a byte count"));
  EXPECT_TRUE(fails_with(read("weights.bin", "1x"), kInvalid, "offset '1x' is not a byte count"));
  EXPECT_TRUE(fails_with(read(""), kInvalid, "without a location"));
  EXPECT_TRUE(fails_with(read("."), ErrorKind::kIo, "cannot read external data '.'"));
}

}  // namespace
}  // namespace assay
