// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/document.h"

#include <gtest/gtest.h>

#include "harness/spec/json_scanner.h"
#include "tests/support/random.h"

namespace assay::spec {
namespace {

std::string error_of(const std::string& text) {
  const auto document = Document::parse("f.json", text);
  return document.ok() ? "no error" : document.error().message;
}

TEST(Document, SyntaxErrorsSayWhereAndWhatWasExpected) {
  EXPECT_EQ(error_of(""), "f.json:1:1: expected a value, found the end of the file");
  EXPECT_EQ(error_of("{\n  \"a\": 1,\n}"), "f.json:3:1: expected a key in double quotes, found '}'");
  EXPECT_EQ(error_of("{\"a\" 1}"), "f.json:1:6: expected ':' after the key 'a', found '1'");
  EXPECT_EQ(error_of("{\"a\": 1 \"b\": 2}"), "f.json:1:9: expected ',' or '}' after the member 'a', found '\"'");
  EXPECT_EQ(error_of("[1 2]"), "f.json:1:4: expected ',' or ']' after a list item, found '2'");
  EXPECT_EQ(error_of("[1,]"), "f.json:1:4: expected a value, found ']'");
  EXPECT_EQ(error_of("[NaN]"), "f.json:1:2: expected a value, found 'NaN'");
  EXPECT_EQ(error_of("[trues]"), "f.json:1:2: expected a value, found 'trues'");
  EXPECT_EQ(error_of("{} x"), "f.json:1:4: expected the end of the file, found 'x'");
  EXPECT_EQ(error_of("[1"), "f.json:1:3: expected ',' or ']' after a list item, found the end of the file");
  EXPECT_EQ(error_of("[\"abc"), "f.json:1:2: expected '\"' at the end of the text that begins here");
  EXPECT_EQ(error_of("[\"a\\q\"]"),
            "f.json:1:4: unknown escape in a text: JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX");
  EXPECT_EQ(error_of("[\"\\u12G4\"]"), "f.json:1:3: expected four hexadecimal digits after \\u");
  EXPECT_EQ(error_of("[\"\t\"]"),
            "f.json:1:3: control character in a text: write it as an escape such as \\t or \\u0001");
  EXPECT_EQ(error_of("[01]"), "f.json:1:2: a number does not begin with a 0 before other digits");
  EXPECT_EQ(error_of("[1.]"), "f.json:1:4: expected a digit after the decimal point, found ']'");
  EXPECT_EQ(error_of("[1e]"), "f.json:1:4: expected a digit in the exponent, found ']'");
  EXPECT_EQ(error_of("[-]"), "f.json:1:3: expected a digit after '-', found ']'");
}

TEST(Document, HasNoComments) {
  EXPECT_EQ(error_of("{\n // no\n}"),
            "f.json:2:2: expected a key in double quotes, found a comment, which JSON does not have");
  EXPECT_EQ(error_of("[1, /* no */ 2]"), "f.json:1:5: expected a value, found a comment, which JSON does not have");
}

TEST(Document, RefusesAKeyGivenTwice) {
  EXPECT_EQ(error_of("{\"a\": {\"b\": 1},\n \"c\": 2, \"a\": 3}"), "f.json:2:10: key 'a' is given twice");
  EXPECT_EQ(error_of("{\"a\": 1, \"\\u0061\": 2}"), "f.json:1:10: key 'a' is given twice");
  EXPECT_EQ(error_of("[{\"a\": 1}, {\"a\": 1}]"), "no error");
}

TEST(Document, RefusesWhatCannotBeHeld) {
  EXPECT_EQ(error_of("[1e999]"), "f.json:1:2: number 1e999 is beyond the range of double");
  EXPECT_EQ(error_of("[-" + std::string(400, '9') + "]"),
            "f.json:1:2: number -" + std::string(29, '9') + "... is beyond the range of double");
  EXPECT_EQ(error_of("[\"\xFF\"]"), "f.json:1:3: text that is not valid UTF-8");
  EXPECT_EQ(error_of("{\"\xC3(\": 1}"), "f.json:1:2: this key is not valid UTF-8");
}

// The JSON library takes it for the end of the text.
TEST(Document, ANulByteIsAnError) {
  EXPECT_EQ(error_of(std::string("{\"a\": 1}\n\0{\"b\": 2}", 19)),
            "f.json:2:1: expected the end of the file, found byte 0x00");
  EXPECT_EQ(error_of(std::string("[1, \0 2]", 8)), "f.json:1:5: expected a value, found byte 0x00");
  EXPECT_EQ(error_of(std::string("\0", 1)), "f.json:1:1: expected a value, found byte 0x00");
  EXPECT_EQ(error_of(std::string("[\"a\0\"]", 6)).substr(0, 33), "f.json:1:4: control character in ");
}

TEST(Document, RefusesDeepNestingWithoutRunningOutOfStack) {
  const std::string message = "f.json:1:101: more than 100 nested lists and objects";
  EXPECT_EQ(error_of(std::string(100'000, '[')), message);
  EXPECT_EQ(error_of(std::string(100'000, '[') + std::string(100'000, ']')), message);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) {
    objects += "{\"a\":";
  }
  EXPECT_EQ(error_of(objects), "f.json:1:501: more than 100 nested lists and objects");
  EXPECT_EQ(error_of(std::string(100, '[') + std::string(100, ']')), "no error");
}

TEST(Document, CountsColumnsInCharacters) {
  EXPECT_EQ(error_of("{\"\xC3\xA4\xE2\x82\xAC\": x}"), "f.json:1:8: expected a value, found 'x'");
  EXPECT_EQ(error_of("\xEF\xBB\xBF{}"), "no error");
}

TEST(Document, LocatesValuesAndKeys) {
  const std::string text = "{\n  \"a/b\": [10,\n    {\"~x\": true}],\n  \"c\": {}\n}";
  const auto document = Document::parse("dir/f.json", text).value();
  EXPECT_EQ(document->folder(), "dir");
  const Element root(document);
  EXPECT_EQ(root.where(), "dir/f.json:1:1");
  EXPECT_EQ(root.member("a/b").where(), "dir/f.json:2:10");
  EXPECT_EQ(root.member("a/b").key_error("m").message, "dir/f.json:2:3: m");
  EXPECT_EQ(root.member("a/b").item(0).where(), "dir/f.json:2:11");
  EXPECT_EQ(root.member("a/b").item(1).member("~x").where(), "dir/f.json:3:12");
  EXPECT_EQ(root.member("a/b").item(1).member("~x").pointer(), "/a~1b/1/~0x");
  EXPECT_EQ(root.member("c").error("m").message, "dir/f.json:4:8: m");
  EXPECT_FALSE(root.member("d").exists());
  EXPECT_FALSE(root.member("a/b").item(2).exists());
  EXPECT_TRUE(root.member("d").json().is_null());
}

TEST(Document, ResolvesPathsAgainstItsFolder) {
  const auto document = Document::parse("cases/a.json", "{}").value();
  EXPECT_EQ(resolve_path(*document, "m.onnx"), "cases/m.onnx");
  EXPECT_EQ(resolve_path(*document, "../m.onnx"), "m.onnx");
  EXPECT_EQ(resolve_path(*document, "/m.onnx"), "/m.onnx");
}

TEST(Document, MissingFileNamesIt) {
  const auto missing = Document::read("/nonexistent/a.json");
  EXPECT_EQ(missing.error().kind, ErrorKind::kIo);
  EXPECT_EQ(missing.error().message, "/nonexistent/a.json: cannot be read: No such file or directory");
}

// Our grammar is nlohmann's: whatever is done to a text, both accept it or both refuse it.
TEST(Document, AgreesWithTheParserOnDamagedTexts) {
  const std::string text =
      R"({"a": [1, -2.5e3, true, null, "t\u00e9\n"], "b": {"c": {}, "d": []}, "e": "\\\"", "f": 0.1E-2})";
  test::Random random;
  const std::string alphabet = "{}[]:,\"\\0123456789.eE+-truefalsn \n/\x01\xC3";
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged =
        text.substr(0, static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(text.size()))));
    if (random.chance(0.7)) {
      damaged = text;
    }
    for (std::int64_t edits = random.integer(0, 3); edits > 0 && !damaged.empty(); --edits) {
      const auto at = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(damaged.size()) - 1));
      const char c =
          alphabet[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(alphabet.size()) - 1))];
      if (random.chance(0.5)) {
        damaged[at] = c;
      } else {
        damaged.insert(at, 1, c);
      }
    }
    const auto failure = check_syntax(damaged, kMaxDepth);
    if (failure && failure->message.find("given twice") != std::string::npos) {
      continue;
    }
    const bool accepted = Document::parse("f", damaged).ok();
    ASSERT_EQ(accepted, Json::accept(damaged)) << damaged;
  }
}

}  // namespace
}  // namespace assay::spec
