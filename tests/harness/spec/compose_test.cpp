// SPDX-License-Identifier: Apache-2.0
// Cases put together from defaults of folders, includes and sets.
#include "harness/spec/compose.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/output_file.h"
#include "harness/spec/case.h"

namespace assay::spec {
namespace {

namespace fs = std::filesystem;
using Messages = std::vector<std::string>;

class Compose : public testing::Test {
 protected:
  void SetUp() override {
    root_ = (fs::path(testing::TempDir()) /
             ("compose_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name())))
                .string();
    fs::remove_all(root_);
    put("_folder.json", R"({"root": true})");
  }
  void TearDown() override { fs::remove_all(root_); }

  void put(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(root_ + "/" + file).parent_path());
    ASSERT_TRUE(replace_file(root_ + "/" + file, text).ok());
  }
  Case load(const std::string& file) const {
    CaseOrErrors loaded = load_case(root_ + "/" + file);
    for (const std::string& error : loaded.errors) {
      ADD_FAILURE() << error;
    }
    return loaded.value ? std::move(*loaded.value) : Case{};
  }
  // Without the folder's name.
  Messages errors(const std::string& file) const {
    Messages messages = load_case(root_ + "/" + file).errors;
    for (std::string& message : messages) {
      for (std::size_t at = message.find(root_ + "/"); at != std::string::npos; at = message.find(root_ + "/")) {
        message.erase(at, root_.size() + 1);
      }
    }
    return messages;
  }
  std::string root_;
};

std::vector<std::string> axes_of(const Case& test_case) {
  std::vector<std::string> names;
  for (const auto& [axis, values] : test_case.matrix) {
    names.push_back(axis);
  }
  return names;
}

const Check& check_at(const Case& test_case, std::size_t position) {
  return std::get<Check>(test_case.expectations.at(position).what);
}

TEST_F(Compose, IncludesComeFirstAndTheCaseCountsMore) {
  put("parts/_x86.json", R"({"tags": ["x86"], "matrix": {"runtime.isa": ["scalar", "avx2"], "runtime.threads": 2},
                             "expect": [{"metric": "exact"}], "weak_ok": "part", "tier": "weekly"})");
  put("c.json", R"({"name": "c", "includes": ["parts/_x86.json"], "model": {"path": "m.onnx"}, "tags": ["own"],
                    "matrix": {"quantizer.format": "qdq", "runtime.threads": [1, 3]},
                    "expect": [{"metric": "rmse", "at_most": 1}], "weak_ok": "case"})");
  const Case test_case = load("c.json");
  EXPECT_EQ(test_case.tags, (Messages{"x86", "own"}));
  EXPECT_EQ(axes_of(test_case), (Messages{"runtime.isa", "runtime.threads", "quantizer.format"}));
  EXPECT_EQ(test_case.matrix[1].second, (std::vector<Json>{1, 3}));
  ASSERT_EQ(test_case.expectations.size(), 2U);
  EXPECT_EQ(check_at(test_case, 0).metric, "exact");
  EXPECT_EQ(check_at(test_case, 1).metric, "rmse");
  EXPECT_EQ(test_case.weak_ok, "case");
  EXPECT_EQ(test_case.tier, Tier::kWeekly);
}

TEST_F(Compose, PathsAreRelativeToTheFileThatStatesThem) {
  put("parts/_model.json", R"({"model": {"path": "m.onnx"}, "inputs": {"x": {"npy": "x.npy"}},
                               "reference": {"golden": "gold"}, "matrix": {"quantizer.ranges": "r.json"}})");
  put("cases/c.json", R"({"name": "c", "includes": ["../parts/_model.json"]})");
  const Case test_case = load("cases/c.json");
  EXPECT_EQ(test_case.model.path, root_ + "/parts/m.onnx");
  EXPECT_EQ(std::get<GoldenReference>(test_case.references.at(0).what).path, root_ + "/parts/gold");
  const Element npy = test_case.inputs.at(0).second.element.member("npy");
  EXPECT_EQ(resolve_path(npy, npy.json().get<std::string>()), root_ + "/parts/x.npy");
  EXPECT_EQ(test_case.folder, root_ + "/cases");
  EXPECT_EQ(test_case.matrix.at(0).second.at(0), "../parts/r.json");
}

TEST_F(Compose, FoldersGiveDefaultsOutermostFirst) {
  put("_folder.json", R"({"root": true, "tags": ["outer"], "tier": "smoke", "matrix": {"runtime.isa": "scalar"}})");
  put("a/_folder.json", R"({"tags": ["inner"], "matrix": {"runtime.isa": "avx2"}, "model": {"path": "m.onnx"}})");
  put("a/b/c.json", R"({"name": "c", "tags": ["own"]})");
  const Case test_case = load("a/b/c.json");
  EXPECT_EQ(test_case.tags, (Messages{"outer", "inner", "own"}));
  EXPECT_EQ(test_case.matrix.at(0).second, (std::vector<Json>{"avx2"}));
  EXPECT_EQ(test_case.tier, Tier::kSmoke);
  EXPECT_EQ(test_case.model.path, root_ + "/a/m.onnx");
}

TEST_F(Compose, ARootEndsTheSearchForDefaults) {
  put("_folder.json", R"({"root": true, "tags": ["outer"]})");
  put("a/_folder.json", R"({"root": true, "tags": ["inner"]})");
  put("a/c.json", R"({"name": "c", "model": {"path": "m.onnx"}})");
  EXPECT_EQ(load("a/c.json").tags, (Messages{"inner"}));
}

TEST_F(Compose, FilesThatBeginWithAnUnderscoreAreNoCases) {
  put("a/_part.json", R"({"tags": ["t"]})");
  put("a/c.json", R"({"name": "c", "model": {"path": "m.onnx"}})");
  const CaseSet set = load_cases({root_});
  EXPECT_TRUE(set.errors.empty());
  ASSERT_EQ(set.cases.size(), 1U);
  const CaseSet named = load_cases({root_ + "/a/_part.json"});
  ASSERT_EQ(named.errors.size(), 1U);
  EXPECT_NE(named.errors[0].find("a file whose name begins with '_' is a part of cases, not a case"),
            std::string::npos);
}

TEST_F(Compose, SetsAreMergedUnderWhatUsesThem) {
  put("_sets.json", R"({"sets": {
    "images": {"npy": "x.npy", "scale": 2},
    "x86": {"runtime.isa": ["scalar", "avx2"], "runtime.threads": 2},
    "strict": [{"metric": "exact"}, {"metric": "max_abs_error", "at_most": 0}],
    "loose": {"metric": "rmse", "at_most": 1}}})");
  put("c.json", R"({"name": "c", "includes": ["_sets.json"], "model": {"path": "m.onnx"},
                    "inputs": {"x": {"use": "images", "scale": 3}},
                    "matrix": {"use": "x86", "runtime.threads": 1, "runtime.batch": 4},
                    "expect": [{"use": "strict"}, {"use": "loose", "at_most": 5}, {"metric": "cosine", "at_least": 0}]})");
  const Case test_case = load("c.json");
  const Element x = test_case.inputs.at(0).second.element;
  EXPECT_EQ(x.json(), Json::parse(R"({"npy": "x.npy", "scale": 3})"));
  EXPECT_EQ(axes_of(test_case), (Messages{"runtime.isa", "runtime.threads", "runtime.batch"}));
  EXPECT_EQ(test_case.matrix[1].second, (std::vector<Json>{1}));
  ASSERT_EQ(test_case.expectations.size(), 4U);
  EXPECT_EQ(check_at(test_case, 1).metric, "max_abs_error");
  EXPECT_EQ(check_at(test_case, 2).metric, "rmse");
  EXPECT_EQ(check_at(test_case, 2).at_most, 5);
  EXPECT_EQ(check_at(test_case, 3).metric, "cosine");
}

TEST_F(Compose, ACaseMayUseASetAsAWholeAndSetsOneAnother) {
  put("c.json", R"({"name": "c", "sets": {"net": {"model": {"path": "m.onnx"}, "use": "checks", "tags": ["net"]},
                    "checks": {"expect": [{"metric": "exact"}], "tags": ["checked"]}}, "use": ["net"], "tags": ["own"]})");
  const Case test_case = load("c.json");
  EXPECT_EQ(test_case.tags, (Messages{"checked", "net", "own"}));
  EXPECT_EQ(test_case.expectations.size(), 1U);
}

TEST_F(Compose, NamesOfTheModelAreNotUses) {
  const std::string text = R"({"name": "c", "model": {"graph": {"nodes": [{"op": "X", "outputs": ["y"],
    "attributes": {"use": "text"}}], "outputs": {"y": {"type": "float32"}}}}, "inputs": {"use": {"constant": 1}},
    "matrix": {"runtime.options": {"use": "text"}}})";
  put("c.json", text);
  const Case test_case = load("c.json");
  EXPECT_EQ(test_case.inputs.at(0).first, "use");
  EXPECT_EQ(test_case.model.element.member("graph").member("nodes").item(0).member("attributes").json(),
            Json::parse(R"({"use": "text"})"));
  EXPECT_EQ(test_case.matrix.at(0).second.at(0), Json::parse(R"({"use": "text"})"));
}

TEST_F(Compose, ErrorsStandWhereTheTextStands) {
  put("_part.json", "{\"sets\": {\"s\": {\"npy\": 5}},\n \"matrx\": {},\n \"expect\": [{\"metric\": \"rmse\"}]}");
  put("c.json",
      "{\"name\": \"c\", \"model\": {\"path\": \"m\"}, \"includes\": [\"_part.json\"],\n"
      " \"inputs\": {\"x\": {\"use\": \"s\"}}, \"tags\": 5}");
  Messages messages = errors("c.json");
  std::sort(messages.begin(), messages.end());
  EXPECT_EQ(messages, (Messages{"_part.json:1:24: 'npy' must be a text, found 5",
                                "_part.json:2:2: unknown key 'matrx'; nearest known key is 'matrix'",
                                "c.json:2:41: 'tags' must be a list, found 5"}));
  put("_part.json", "{\"expect\":\n [{\"metric\": \"rmse\"}]}");
  put("c.json", R"({"name": "c", "model": {"path": "m"}, "includes": ["_part.json"]})");
  EXPECT_EQ(errors("c.json"), (Messages{"_part.json:2:3: a check of 'rmse' needs 'at_most' or 'at_least'"}));
}

TEST_F(Compose, MistakesOfPuttingTogetherAreNamed) {
  const std::string head = R"({"name": "c", "model": {"path": "m"}, )";
  put("c.json", head + R"("includes": ["_no.json"]})");
  ASSERT_EQ(errors("c.json").size(), 1U);
  EXPECT_EQ(errors("c.json")[0].substr(0, 13), "c.json:1:52: ");
  EXPECT_NE(errors("c.json")[0].find("_no.json"), std::string::npos);
  put("_a.json", R"({"includes": ["_b.json"]})");
  put("_b.json", R"({"includes": ["_a.json"]})");
  put("c.json", head + R"("includes": ["_a.json"]})");
  EXPECT_EQ(errors("c.json"), (Messages{"_b.json:1:15: '_a.json' includes itself"}));
  put("c.json", head + R"("sets": {"pairs": {"constant": 1}}, "inputs": {"x": {"use": "pair"}}})");
  EXPECT_EQ(errors("c.json"), (Messages{"c.json:1:99: unknown set 'pair'; nearest known set is 'pairs'"}));
  put("c.json", head + R"("inputs": {"x": {"use": "pair"}}})");
  EXPECT_EQ(errors("c.json"), (Messages{"c.json:1:63: unknown set 'pair'; there are no 'sets' here"}));
  put("c.json", head + R"("sets": {"a": {"use": "b"}, "b": {"use": "a"}}, "inputs": {"x": {"use": "a"}}})");
  EXPECT_EQ(errors("c.json"), (Messages{"c.json:1:80: set 'a' uses itself"}));
  put("c.json", head + R"("sets": {"a": [1]}, "inputs": {"x": {"use": "a"}}})");
  EXPECT_EQ(errors("c.json"), (Messages{"c.json:1:83: a set that is used in an object must be an object"}));
  put("_a.json", R"({"name": "d"})");
  put("c.json", head + R"("includes": ["_a.json"]})");
  EXPECT_EQ(errors("c.json"), (Messages{"_a.json:1:2: 'name' belongs to a case, not to a part that cases share"}));
  put("_a.json", "[]");
  EXPECT_EQ(errors("c.json"), (Messages{"_a.json:1:1: a part of cases must be an object"}));
  put("c.json", head + R"("includes": "_a.json"})");
  EXPECT_EQ(errors("c.json"), (Messages{"c.json:1:51: 'includes' must be a list, found \"_a.json\""}));
  put("c.json", R"({"name": "c"})");
  EXPECT_EQ(errors("c.json"), (Messages{"c.json:1:1: the case has no 'model'"}));
}

// Twelve sets that use the one before ten times each: 10^12 items.
TEST_F(Compose, SetsThatGrowByPowersAreRefused) {
  std::string sets = R"("s0": [1, 2])";
  for (int i = 1; i <= 12; ++i) {
    sets += ", \"s" + std::to_string(i) + "\": [";
    for (int k = 0; k < 10; ++k) {
      sets += std::string(k == 0 ? "" : ", ") + "{\"use\": \"s" + std::to_string(i - 1) + "\"}";
    }
    sets += "]";
  }
  put("c.json", R"({"name": "c", "model": {"path": "m.onnx"}, )"
                "\"sets\": {" +
                    sets + R"(}, "inputs": {"x": {"values": [{"use": "s12"}]}}})");
  ASSERT_GE(errors("c.json").size(), 1U);
  EXPECT_NE(errors("c.json")[0].find("may bring in 100000 members and items in all"), std::string::npos)
      << errors("c.json")[0];
}

TEST_F(Compose, APartThatComesTwiceCountsOnce) {
  put("_a.json", R"({"tags": ["a"], "includes": ["_c.json"]})");
  put("_b.json", R"({"tags": ["b"], "includes": ["_c.json"]})");
  put("_c.json", R"({"tags": ["c"]})");
  put("c.json", R"({"name": "c", "model": {"path": "m"}, "includes": ["_a.json", "_b.json"]})");
  EXPECT_EQ(load("c.json").tags, (Messages{"c", "a", "b"}));
}

TEST_F(Compose, AFaultInAPartIsReportedOnce) {
  put("_folder.json", R"({"root": true, "tgs": []})");
  put("a.json", R"({"name": "a", "model": {"path": "m"}})");
  put("b.json", R"({"name": "b", "model": {"path": "m"}})");
  EXPECT_EQ(load_cases({root_}).errors.size(), 1U);
}

}  // namespace
}  // namespace assay::spec
