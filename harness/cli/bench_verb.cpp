// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <memory>

#include "harness/bench/family.h"
#include "harness/bench/suite.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/progress_line.h"
#include "reports/exit_code.h"

namespace assay::cli {
namespace {

constexpr int kMaxThreads = 256;

struct BenchFlags {
  bench::FamilyOptions families;
  std::vector<std::string> library_flags;
};

std::string family_list() {
  std::string text = "Families; a benchmark is called FAMILY/...:\n";
  for (const bench::Family& family : bench::families()) {
    text += fmt::format("  {:<12} {}\n", family.name, family.summary);
  }
  return text;
}

std::string footer() {
  return family_list() +
         "\nFlags of Google Benchmark are passed on: --benchmark_filter=REGEX, --benchmark_list_tests,\n"
         "--benchmark_format=console|json|csv, --benchmark_out=FILE, --benchmark_out_format=...,\n"
         "--benchmark_repetitions=N, --benchmark_min_time=SECONDS, --benchmark_report_aggregates_only,\n"
         "--benchmark_enable_random_interleaving=true|false and the others of its user guide\n"
         "(https://github.com/google/benchmark/blob/main/docs/user_guide.md). Defaults here: random interleaving,\n"
         "5 repetitions (1 without interleaving), 0.05 s each. The library's environment variables (BENCHMARK_FILTER,\n"
         "BENCHMARK_OUT, ...) count as flags in front of those given.";
}

int bench_action(const BenchFlags& flags) {
  if (const Status status = host_isa_override_error(); !status.ok()) {
    return complain(status.error());
  }
  bench::BenchmarkRows rows;
  for (const bench::Family& family : bench::families()) {
    std::ranges::move(family.rows(flags.families), std::back_inserter(rows));
  }
  const CpuFeatures& features = host_features();
  run::ProgressLine progress(stderr_is_terminal());
  const auto start = std::chrono::steady_clock::now();
  Index measurements = 0;
  const auto show = [&](const std::string& row) {
    ++measurements;
    if (progress.due()) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
      progress.show(fmt::format("{} s, measurement {}: {}", seconds.count(), measurements, row));
    }
  };
  const Result<bench::SuiteResult> ran =
      bench::run_suite(rows, {.library_flags = flags.library_flags,
                              .context = {{"assay_version", ASSAY_VERSION},
                                          {"cpu_model", features.model_name},
                                          {"best_isa", std::string(isa_name(best_isa(features)))}},
                              .on_begin = show,
                              // The library prints its rows between measurements.
                              .on_end = [&] { progress.finish(); }});
  if (!ran.ok()) {
    // Files are only written here.
    return ran.error().kind == ErrorKind::kIo ? complain(ran.error().message, reports::kExitHarness)
                                              : complain(ran.error());
  }
  std::cout.flush();
  if (!std::cout) {
    return complain("stdout cannot be written", reports::kExitHarness);
  }
  for (const std::string& error : ran.value().errors) {
    say(error);
  }
  if (!ran.value().errors.empty()) {
    return reports::kExitHarness;
  }
  if (ran.value().selected == 0) {
    return complain("no benchmark was selected; --benchmark_list_tests lists them", reports::kExitNothingSelected);
  }
  return reports::kExitPass;
}

}  // namespace

void define_bench(CLI::App& command, Action& action) {
  auto flags = std::make_shared<BenchFlags>();
  flags->families.models_folder = ASSAY_MODELS_DIR;
  command
      .add_option("--threads", flags->families.threads,
                  "Thread counts of the families operators, networks and onednn: N[,N...]")
      ->delimiter(',')
      ->check(CLI::Range(1, kMaxThreads))
      ->capture_default_str();
  command.add_option("--models", flags->families.models_folder, "Folder of the .onnx files of the family networks")
      ->check(CLI::ExistingDirectory);
  command.footer(footer());
  command.allow_extras();
  command.callback([flags, &command, &action] {
    flags->library_flags = command.remaining();
    action = [flags] { return bench_action(*flags); };
  });
}

}  // namespace assay::cli
