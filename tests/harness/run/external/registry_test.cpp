// SPDX-License-Identifier: Apache-2.0
#include "harness/run/external/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/run/external/fake_adapter.h"
#include "tests/support/folders.h"

namespace assay::run {
namespace {

using testing::HasSubstr;

Result<RuntimeRegistry> registry_of(const std::string& text) {
  const std::string folder = test::test_folder("registry");
  EXPECT_TRUE(replace_file(folder + "/r.json", text).ok());
  return RuntimeRegistry::read(folder + "/r.json");
}

TEST(RuntimeRegistry, ReadsCommandsWithPathsBesideTheFile) {
  const Result<RuntimeRegistry> registry = registry_of(
      R"({"runtimes": {"a": {"command": ["node", "./a.js", "-x"], "requires": ["../lib"], "hint": "get it",
          "isa": "avx2", "emulated": true, "description": "d", "x-note": 1}}})");
  ASSERT_TRUE(registry.ok()) << registry.error().message;
  const RuntimeEntry entry = registry.value().entry("a").value();
  const std::string folder = (std::filesystem::path(testing::TempDir()) / "external_registry").lexically_normal();
  EXPECT_EQ(entry.command, (std::vector<std::string>{"node", folder + "/a.js", "-x"}));
  EXPECT_EQ(entry.requires_[0], (std::filesystem::path(folder).parent_path() / "lib").string());
  EXPECT_EQ(entry.isa, "avx2");
  EXPECT_TRUE(entry.emulated);
}

TEST(RuntimeRegistry, IdentityChangesWithWhatAnAnswerDependsOn) {
  const std::string folder = test::test_folder("identity");
  RuntimeEntry entry = test::fake_entry(folder, "plain");
  const std::string first = identity_text(entry);
  EXPECT_THAT(first, testing::StartsWith("isa unknown, command "));
  EXPECT_EQ(identity_text(entry), first);
  entry.description = "another";
  entry.hint = "another";
  EXPECT_EQ(identity_text(entry), first);
  const auto differs_with = [&](auto&& change) {
    RuntimeEntry changed = entry;
    change(changed);
    EXPECT_NE(identity_text(changed), first);
  };
  differs_with([](RuntimeEntry& changed) { changed.isa = "avx2"; });
  differs_with([](RuntimeEntry& changed) { changed.emulated = true; });
  differs_with([](RuntimeEntry& changed) { changed.command.back() = "other"; });
  differs_with([](RuntimeEntry& changed) { changed.command = {changed.command[0], changed.command[1] + "plain"}; });
  ASSERT_TRUE(replace_file(folder + "/fake.py", std::string(test::kFakeAdapter) + "#\n").ok());
  EXPECT_NE(identity_text(entry), first);
}

struct Bad {
  std::string text;
  std::string message;
};

TEST(RuntimeRegistry, SaysWhereItBreaksTheForm) {
  for (const Bad& bad : {
           Bad{"[]", "a registry of runtimes must be"},
           Bad{R"({"runtimes": {"a": 1}})", "runtime 'a' must be an object with a 'command'"},
           Bad{R"({"runtimes": {"a": {}}})", "runtime 'a' has no 'command'"},
           Bad{R"({"runtimes": {"a": {"command": []}}})", "runtime 'a' has no 'command'"},
           Bad{R"({"runtimes": {"a": {"command": ["x", 1]}}})", "command must be a list of texts"},
           Bad{R"({"runtimes": {"a": {"command": ["x\u0000y"]}}})", "none of them empty or with a NUL"},
           Bad{R"({"runtimes": {"a": {"command": ["x"], "isa": "a\u0000"}}})", "isa must be a text, not empty"},
           Bad{R"({"runtimes": {"a": {"comand": ["x"]}}})", "unknown key 'comand'; nearest known key is 'command'"},
           Bad{R"({"runtimes": {"a": {"command": ["x"], "emulated": 1}}})", "emulated must be true or false"},
           Bad{R"({"runtimes": {"a": {"command": ["x"], "isa": 3}}})", "isa must be a text"},
           Bad{R"({"runtimes": {"": {"command": ["x"]}}})", "a runtime's name has letters, digits"},
           Bad{R"({"runtimes": {"../../x": {"command": ["x"]}}})", "a runtime's name has letters, digits"},
           Bad{R"({"runtimes": {"a/b": {"command": ["x"]}}})", "a runtime's name has letters, digits"},
           Bad{R"({"runtimes": {"..": {"command": ["x"]}}})", "a runtime's name has letters, digits"},
           Bad{R"({"runtimes": {"a\nb": {"command": ["x"]}}})", "a runtime's name has letters, digits"},
           Bad{R"({"runtimes": {"assay": {"command": ["x"]}}})", "cannot be an external one"},
       }) {
    const Result<RuntimeRegistry> registry = registry_of(bad.text);
    ASSERT_FALSE(registry.ok()) << bad.text;
    EXPECT_THAT(registry.error().message, HasSubstr(bad.message));
    EXPECT_THAT(registry.error().message, HasSubstr("r.json:1:"));
  }
}

TEST(RuntimeRegistry, NamesTheNearestRuntime) {
  const Result<RuntimeRegistry> registry = registry_of(R"({"runtimes": {"onnxruntime": {"command": ["x"]}}})");
  EXPECT_THAT(registry.value().entry("onnxruntme").error().message,
              HasSubstr("nearest known runtime is 'onnxruntime'"));
  EXPECT_THAT(RuntimeRegistry().entry("x").error().message, HasSubstr("there is no registry of external runtimes"));
}

TEST(RuntimeRegistry, MissingPartsAreNamed) {
  RuntimeEntry entry;
  entry.name = "a";
  entry.command = {"no-such-program-anywhere"};
  entry.hint = "get it";
  EXPECT_EQ(missing_part(entry), "peer missing: no-such-program-anywhere of runtime 'a' is not here; get it");
  entry.command = {"sh"};
  EXPECT_EQ(missing_part(entry), std::nullopt);
  entry.requires_ = {"/no/such/folder"};
  EXPECT_THAT(missing_part(entry).value_or(""), HasSubstr("/no/such/folder"));
}

TEST(RuntimeRegistry, OwnRegistryFitsTheForm) {
  const Result<RuntimeRegistry> registry =
      RuntimeRegistry::read((assay::test::source_folder() / "scripts/runtimes/registry.json").string());
  ASSERT_TRUE(registry.ok()) << registry.error().message;
  EXPECT_TRUE(registry.value().entries().contains("onnxruntime"));
}

}  // namespace
}  // namespace assay::run
