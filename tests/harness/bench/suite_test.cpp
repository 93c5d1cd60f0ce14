// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/suite.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/bench/families/gemm.h"
#include "harness/bench/library_flags.h"

namespace assay::bench {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr GemmShape kShapes[] = {{"", 5, 7, 9}, {"", 70, 33, 64}};

struct Output {
  SuiteResult result;
  std::string out;
};

// Runs the rows quickly and gives what was printed.
Output run_rows(const BenchmarkRows& rows, std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"--benchmark_min_time=0.0001", "--benchmark_filter=all", "--benchmark_list_tests=false",
                               "--benchmark_format=json"});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Result<SuiteResult> ran = run_suite(rows, {.library_flags = flags, .context = {{"host_is", "here"}}});
  Output output;
  output.out = testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(ran.ok()) << ran.error().message;
  output.result = std::move(ran).value();
  return output;
}

kernels::GemmKernel scalar_kernel() {
  const auto table = kernels::gemm_kernels();
  return *std::ranges::find_if(table, [](const kernels::GemmKernel& kernel) {
    return kernel.isa == Isa::kScalar && kernel.operands == kernels::Operands::kU8S8 &&
           kernel.arithmetic == Arithmetic::kExact;
  });
}

const kernels::GemmKernel& right() {
  static const kernels::GemmKernel kernel = scalar_kernel();
  return kernel;
}

// Right but for the last element of C.
void run_broken(const kernels::GemmArgs& args) {
  right().run(args);
  args.c[(args.m - 1) * args.c_stride + args.n - 1] += 1;
}

TEST(Suite, RepeatsFiveTimesAndShowsRates) {
  const kernels::GemmKernel table[] = {right()};
  const Output output = run_rows(gemm_rows_of(table, kShapes), {});
  EXPECT_EQ(output.result.selected, 2);
  EXPECT_TRUE(output.result.errors.empty());
  const json printed = json::parse(output.out);
  EXPECT_EQ(printed.at("context").at("host_is"), "here");
  int repetitions = 0;
  for (const json& row : printed.at("benchmarks")) {
    repetitions += row.at("run_type") == "iteration" ? 1 : 0;
    EXPECT_TRUE(row.at("GOP/s").is_number()) << row;
    EXPECT_TRUE(row.at("bytes_per_second").is_number()) << row;
  }
  EXPECT_EQ(repetitions, 2 * 5);
}

TEST(Suite, RowsShowThePeakAndTheirShareOfIt) {
  const kernels::GemmKernel table[] = {right()};
  const BenchmarkRows rows = gemm_rows_of(table, {&kShapes[1], 1});
  if (kernels::find_peak(Isa::kScalar, Arithmetic::kExact) == nullptr) {
    return;  // this architecture's mix has no row
  }
  const json printed = json::parse(run_rows(rows, {}).out);
  for (const json& row : printed.at("benchmarks")) {
    if (row.at("run_type") == "iteration") {
      EXPECT_GT(row.at("peak_share"), 0);
      EXPECT_GT(row.at("peak_GOP/s"), 0);
    }
  }
}

// The baseline is called as often as the row, once more to warm up, and the row says how many times as long it takes.
TEST(Suite, ARowWithABaselineSaysItsRatio) {
  const kernels::GemmKernel table[] = {right()};
  BenchmarkRows rows = gemm_rows_of(table, kShapes);
  rows.resize(1);
  const auto prepare = rows[0].prepare;
  int calls = 0;
  rows[0].prepare = [&]() -> Result<Prepared> {
    ASSAY_ASSIGN(Prepared prepared, prepare());
    prepared.baseline = [&calls]() -> Status {
      ++calls;
      return {};
    };
    return prepared;
  };
  const json printed = json::parse(run_rows(rows, {"--benchmark_repetitions=2"}).out);
  Index iterations = 0;
  for (const json& row : printed.at("benchmarks")) {
    EXPECT_GT(row.at("times_baseline").get<double>(), 0) << row;
    iterations += row.at("run_type") == "iteration" ? row.at("iterations").get<Index>() + 1 : 0;
  }
  EXPECT_GE(calls, iterations);  // the library's own trials are beside the repetitions that it prints
  rows[0].prepare = [&]() -> Result<Prepared> {
    ASSAY_ASSIGN(Prepared prepared, prepare());
    prepared.baseline = [] { return Status(internal_error("no baseline")); };
    return prepared;
  };
  EXPECT_EQ(run_rows(rows, {}).result.errors.size(), 1U);
}

TEST(Suite, FlagsReachTheLibrary) {
  const kernels::GemmKernel table[] = {right()};
  const BenchmarkRows rows = gemm_rows_of(table, kShapes);
  const Output two = run_rows(rows, {"--benchmark_repetitions=2", "--benchmark_filter=/5x7x9$"});
  EXPECT_EQ(two.result.selected, 1);
  const json printed = json::parse(two.out).at("benchmarks");
  EXPECT_EQ(std::ranges::count_if(printed, [](const json& row) { return row.at("run_type") == "iteration"; }), 2);
  const Output listed = run_rows(rows, {"--benchmark_list_tests=true"});
  EXPECT_EQ(listed.out, "gemm/gemm_u8s8_exact_scalar/5x7x9\ngemm/gemm_u8s8_exact_scalar/70x33x64\n");
  EXPECT_EQ(run_rows(rows, {"--benchmark_filter=nothing_of_this"}).result.selected, 0);
}

TEST(Suite, WrongAnswerIsAnErrorWithKernelAndShapeAndHasNoTime) {
  kernels::GemmKernel broken = right();
  broken.name = "gemm_broken";
  broken.run = run_broken;
  const kernels::GemmKernel table[] = {right(), broken};
  const Output output = run_rows(gemm_rows_of(table, {&kShapes[1], 1}), {});
  ASSERT_EQ(output.result.errors.size(), 1U);
  EXPECT_THAT(output.result.errors[0], AllOf(HasSubstr("gemm_broken"), HasSubstr("70x33x64"), HasSubstr("wrong")));
  int timed = 0;
  const json printed = json::parse(output.out);
  for (const json& row : printed.at("benchmarks")) {
    const bool is_broken = row.at("name").get<std::string>().starts_with("gemm/gemm_broken");
    EXPECT_EQ(row.contains("real_time") && !row.contains("error_occurred"), !is_broken) << row;
    timed += is_broken ? 0 : 1;
  }
  EXPECT_GT(timed, 0);
}

TEST(Suite, FailedCallIsAnError) {
  int calls = 0;
  const BenchmarkRows rows = {{"gone", []() -> Result<Prepared> { return resource_error("no memory"); }},
                              {"late", [&]() -> Result<Prepared> {
                                 Prepared prepared;
                                 prepared.call = [&] { return ++calls < 2 ? Status() : internal_error("broke"); };
                                 prepared.check = [] { return Status(); };
                                 return prepared;
                               }}};
  std::vector<std::string> errors = run_rows(rows, {}).result.errors;
  std::ranges::sort(errors);
  EXPECT_THAT(errors, ElementsAre("gone: no memory", "late: broke"));
}

TEST(LibraryFlags, DefaultsComeFirstSoThatTheUsersWin) {
  const Result<std::vector<std::string>> plain = complete_flags({"--benchmark_repetitions=3"});
  ASSERT_TRUE(plain.ok());
  EXPECT_THAT(plain.value(), ElementsAre("--benchmark_min_time=0.05", "--benchmark_enable_random_interleaving=true",
                                         "--benchmark_repetitions=5", "--benchmark_repetitions=3"));
  const Result<std::vector<std::string>> ordered = complete_flags({"--benchmark_enable_random_interleaving=false"});
  ASSERT_TRUE(ordered.ok());
  EXPECT_THAT(ordered.value(),
              ElementsAre("--benchmark_min_time=0.05", "--benchmark_enable_random_interleaving=false"));
}

TEST(LibraryFlags, BadOnesAreErrors) {
  for (const char* flag : {"--fast", "gemm", "--benchmark_format=xml", "--benchmark_out_format=",
                           "--benchmark_filter=(", "--benchmark_out=/no/such/folder/x.json"}) {
    EXPECT_FALSE(complete_flags({flag}).ok()) << flag;
  }
  for (const char* flag : {"--benchmark_such=1", "--benchmark_repetitions=many"}) {
    testing::internal::CaptureStderr();
    const Result<SuiteResult> ran = run_suite({}, {.library_flags = {flag}, .context = {}});
    testing::internal::GetCapturedStderr();
    EXPECT_FALSE(ran.ok()) << flag;
  }
}

}  // namespace
}  // namespace assay::bench
