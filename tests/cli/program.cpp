// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/program.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace assay::test {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

void ProgramTest::SetUp() {
  std::string pattern = (fs::path(testing::TempDir()) / "assay_cli_XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
}

void ProgramTest::TearDown() { fs::remove_all(folder_); }

Ran ProgramTest::shell(const std::string& line, const std::map<std::string, std::string>& environment) const {
  std::string script =
      "cd '" + folder_.string() + "' || exit 99\nunset NO_COLOR\nassay() { '" ASSAY_PROGRAM "' \"$@\"; }\n";
  for (const auto& [name, value] : environment) {
    script += "export " + name + "='" + value + "'\n";
  }
  script += "{ " + line + "\n} >stdout.txt 2>stderr.txt\n";
  {
    std::ofstream file(folder_ / "script.sh");
    file << script;
  }
  const int status = std::system(("sh '" + (folder_ / "script.sh").string() + "'").c_str());
  Ran ran;
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = slurp(folder_ / "stdout.txt");
  ran.err = slurp(folder_ / "stderr.txt");
  return ran;
}

void ProgramTest::write(const std::string& name, const std::string& text) const {
  fs::create_directories((folder_ / name).parent_path());
  std::ofstream file(folder_ / name, std::ios::binary);
  file << text;
}

std::string ProgramTest::read(const std::string& name) const { return slurp(folder_ / name); }

void ProgramTest::write_case(const std::string& name, const std::string& matrix, const std::string& expect,
                             const std::string& more) const {
  write("cases/" + name + ".json", R"({"name": ")" + name + R"(", "model": {"graph": {"opset": 13,
    "inputs": {"x": {"type": "float32", "shape": [1, 1, 2, 2]}},
    "initializers": {"w": {"type": "float32", "shape": [1, 1, 1, 1], "data": [127]}},
    "nodes": [{"op": "Conv", "name": "conv", "inputs": ["x", "w"], "outputs": ["c"]},
              {"op": "Relu", "name": "relu", "inputs": ["c"], "outputs": ["y"]}],
    "outputs": {"y": {"type": "float32", "shape": [1, 1, 2, 2]}}}},
    "inputs": {"x": {"values": [-127, 127, 64, -3]}},
    "calibration": {"x": [{"constant": -127}, {"constant": 127}]},
    "matrix": {)" + matrix + R"(}, "expect": [)" +
                                       expect + "]" + (more.empty() ? "" : ", " + more) + "}\n");
}

void ProgramTest::write_good_case() const {
  write_case("good", R"("quantizer.relu": ["safe", "keep"], "runtime.isa": ["scalar", "avx2"])",
             R"({"metric": "max_abs_error", "at_most": 130})");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace assay::test
