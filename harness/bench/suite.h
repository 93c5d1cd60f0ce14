// SPDX-License-Identifier: Apache-2.0
// Runs benchmark rows through Google Benchmark, which prints them in its own formats.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/bench/benchmark_row.h"

namespace assay::bench {

struct SuiteOptions {
  std::vector<std::string> library_flags;                    // --benchmark_...: passed on
  std::vector<std::pair<std::string, std::string>> context;  // shown with the host's facts
  // Told of each measurement's row before it begins, and when it ends; several are made of a row.
  std::function<void(const std::string& row)> on_begin = [](const std::string&) {};
  std::function<void()> on_end = [] {};
};

struct SuiteResult {
  Index selected = 0;               // rows that the filter took
  std::vector<std::string> errors;  // of rows that have no time, one each
};

// Random interleaving is on, with 5 repetitions of 0.05 s, unless a flag says otherwise. A row's answer is checked
// once, before it is timed; a row whose answer is wrong, or whose call fails, has an error and no time. Errors:
// kInvalidArgument for a flag or value that the library does not know, kIo for an output file that cannot be written.
// The output file is written at the end, whole or not at all; without rows there is none.
// Not for concurrent use: Google Benchmark's registry and flags are one per process.
Result<SuiteResult> run_suite(const BenchmarkRows& rows, const SuiteOptions& options);

}  // namespace assay::bench
