// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/onnx_tests.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
namespace assay::spec {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::vector<std::string> names(const CaseSet& set) {
  std::vector<std::string> out;
  for (const Case& test_case : set.cases) {
    out.push_back(test_case.name);
  }
  return out;
}

class OnnxTests : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root);
    fs::create_directories(root);
  }
  void TearDown() override { fs::remove_all(root); }

  const fs::path root = fs::path(testing::TempDir()) /
                        ("onnx_tests_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(OnnxTests, MakesACaseOfEveryDataSet) {
  write(root / "node/test_b/model.onnx", "");
  fs::create_directories(root / "node/test_b/test_data_set_0");
  write(root / "node/test_a/model.onnx", "");
  fs::create_directories(root / "node/test_a/test_data_set_10");
  fs::create_directories(root / "node/test_a/test_data_set_2");
  write(root / "node/test_a/data.json", R"({"rtol": 0.25, "atol": 0.5})");
  write(root / "real/test_far/data.json", R"({"url": "https://example.org"})");
  write(root / "no_test/notes.txt", "");
  const CaseSet set = load_onnx_tests(root.string());
  EXPECT_TRUE(set.errors.empty());
  ASSERT_EQ(names(set), (std::vector<std::string>{"node/test_a/test_data_set_2", "node/test_a/test_data_set_10",
                                                  "node/test_b", "real/test_far"}));
  const Case& first = set.cases[0];
  EXPECT_EQ(first.model.path, (root / "node/test_a/model.onnx").string());
  EXPECT_EQ(first.test_data, (root / "node/test_a/test_data_set_2").string());
  EXPECT_EQ(first.onnx_tests, root.string());
  EXPECT_TRUE(first.skips_unsupported);
  EXPECT_FALSE(first.skip_reason.has_value());
  const Check& check = std::get<Check>(first.expectations.at(0).what);
  EXPECT_EQ(check.metric, "tolerance_ratio");
  EXPECT_EQ(check.rtol, 0.25);
  EXPECT_EQ(check.atol, 0.5);
  EXPECT_EQ(std::get<Check>(set.cases[2].expectations.at(0).what).rtol, 1e-3);
  EXPECT_TRUE(set.cases[3].skip_reason.has_value());
}

TEST_F(OnnxTests, ATestItselfIsATree) {
  const fs::path folder = root / "test_abs";
  write(folder / "model.onnx", "");
  fs::create_directories(folder / "test_data_set_0");
  EXPECT_EQ(names(load_onnx_tests(folder.string())), (std::vector<std::string>{"test_abs"}));
}

TEST_F(OnnxTests, SaysWhereThereIsNothing) {
  EXPECT_EQ(load_onnx_tests(root.string()).errors.size(), 1U);
  EXPECT_EQ(load_onnx_tests((root / "none").string()).errors.size(), 1U);
}

}  // namespace
}  // namespace assay::spec
