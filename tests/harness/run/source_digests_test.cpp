// SPDX-License-Identifier: Apache-2.0
#include "harness/run/source_digests.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/output_file.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using reports::Json;

class Digests : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::path(testing::TempDir()) /
               ("digests_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name())))
                  .string();
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/golden");
    for (const char* file : {"m.bin", "x.npy", "c0.npy", "c1.npz", "r.json", "golden/output_0.pb", "golden/notes"}) {
      put(file, file);
    }
    put("c.json", case_text(""));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& file, const std::string& text) const {
    ASSERT_TRUE(replace_file(folder_ + "/" + file, text).ok());
  }
  static std::string case_text(const std::string& description) {
    return R"({"name": "c", "description": ")" + description + R"(", "model": {"path": "m.bin"},
      "inputs": {"x": {"npy": "x.npy"}}, "calibration": {"x": [{"npy": "c0.npy"}, {"npz": "c1.npz"}]},
      "matrix": {"quantizer.ranges": ["r.json", {}]}, "reference": {"golden": "golden"}})";
  }
  Json now() const {
    spec::CaseOrErrors loaded = spec::load_case(folder_ + "/c.json");
    for (const std::string& error : loaded.errors) {
      ADD_FAILURE() << error;
    }
    return SourceDigests().of(loaded.value.value(), {});
  }
  std::string folder_;
};

TEST_F(Digests, KnowTheCaseAndEveryFileItNames) {
  const Json digests = now();
  std::vector<std::string> files;
  for (const auto& [file, digest] : digests.items()) {
    files.push_back(fs::path(file).lexically_relative(folder_).string());
    EXPECT_EQ(digest.get<std::string>().size(), 16U) << file;
  }
  EXPECT_EQ(files,
            (std::vector<std::string>{"c.json", "m.bin", "x.npy", "c0.npy", "c1.npz", "r.json", "golden/output_0.pb"}));
  EXPECT_EQ(changed_source(digests, now()), "");
}

TEST_F(Digests, AnyOfThemChangedIsNamed) {
  const Json before = now();
  for (const char* file : {"m.bin", "x.npy", "c0.npy", "c1.npz", "r.json", "golden/output_0.pb"}) {
    put(file, "other");
    EXPECT_EQ(changed_source(before, now()), folder_ + "/" + file + " has changed");
    put(file, file);
    EXPECT_EQ(changed_source(before, now()), "");
  }
  put("c.json", case_text("another"));
  EXPECT_EQ(changed_source(before, now()), folder_ + "/c.json has changed");
  put("c.json", case_text(""));
  put("golden/output_1.pb", "new");
  EXPECT_EQ(changed_source(before, now()), folder_ + "/golden/output_1.pb has changed");
  fs::remove_all(folder_ + "/golden");
  EXPECT_NE(changed_source(before, now()), "");
  EXPECT_NE(changed_source(Json::object(), now()), "");
}

TEST_F(Digests, EveryTensorOfAFolderCounts) {
  fs::create_directories(folder_ + "/cald/test_data_set_0");
  put("golden/y.npy", "gold");
  put("cald/test_data_set_0/input_0.pb", "sample");
  put("c.json", R"({"name": "c", "model": {"path": "m.bin"}, "inputs": {"x": {"npy": "x.npy"}}, "calibration": "cald",
                    "reference": {"golden": "golden"}})");
  const Json before = now();
  for (const char* file : {"golden/y.npy", "cald/test_data_set_0/input_0.pb"}) {
    put(file, "other");
    EXPECT_EQ(changed_source(before, now()), folder_ + "/" + file + " has changed");
    put(file, file == std::string("golden/y.npy") ? "gold" : "sample");
    EXPECT_EQ(changed_source(before, now()), "");
  }
  fs::create_directories(folder_ + "/cald/test_data_set_1");
  put("cald/test_data_set_1/input_0.pb", "sample");
  EXPECT_NE(changed_source(before, now()), "");
  fs::remove_all(folder_ + "/cald/test_data_set_1");
  fs::rename(folder_ + "/golden/y.npy", folder_ + "/golden/z.npy");
  EXPECT_EQ(changed_source(before, now()), folder_ + "/golden/y.npy is now " + folder_ + "/golden/z.npy");
}

TEST_F(Digests, TolerancesOfAnOnnxTestCount) {
  fs::create_directories(folder_ + "/test_data_set_0");
  put("test_data_set_0/input_0.pb", "input");
  put("data.json", R"({"rtol": 0.001})");
  put("c.json", R"({"name": "c", "model": {"path": "m.bin"}, "inputs": "test_data_set_0"})");
  const Json before = now();
  put("data.json", R"({"rtol": 0})");
  EXPECT_EQ(changed_source(before, now()), folder_ + "/data.json has changed");
}

TEST_F(Digests, PartsAndTheFilesThatTheyNameCount) {
  fs::create_directories(folder_ + "/parts/sets/test_data_set_0");
  put("parts/sets/test_data_set_0/input_0.pb", "input");
  put("parts/gold.npy", "gold");
  put("parts/_part.json", R"({"inputs": "sets/test_data_set_0", "reference": {"golden": {"y": "gold.npy"}}})");
  put("c.json", R"({"name": "c", "includes": ["parts/_part.json"], "model": {"path": "m.bin"}})");
  const Json before = now();
  for (const char* file :
       {"c.json", "parts/_part.json", "parts/sets/test_data_set_0/input_0.pb", "parts/gold.npy", "m.bin"}) {
    EXPECT_TRUE(before.contains(folder_ + "/" + file)) << file << " " << before.dump();
  }
  put("parts/_part.json",
      R"({"inputs": "sets/test_data_set_0", "reference": {"golden": {"y": "gold.npy"}}, "tags": []})");
  EXPECT_EQ(changed_source(before, now()), folder_ + "/parts/_part.json has changed");
}

TEST_F(Digests, RangeFileOfTheConfigurationCounts) {
  spec::CaseOrErrors loaded = spec::load_case(folder_ + "/c.json");
  spec::Configuration configuration;
  put("set.json", "{}");
  configuration.set("quantizer.ranges", fs::absolute(folder_ + "/set.json").string());
  const Json before = SourceDigests().of(loaded.value.value(), configuration);
  put("set.json", R"({"x": [0, 1]})");
  EXPECT_NE(changed_source(before, SourceDigests().of(loaded.value.value(), configuration)), "");
}

}  // namespace
}  // namespace assay::run
