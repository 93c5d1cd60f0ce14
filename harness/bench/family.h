// SPDX-License-Identifier: Apache-2.0
// The families of benchmarks: one ordered table. A family is a file in families/ and a row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/benchmark_row.h"

namespace assay::bench {

struct FamilyOptions {
  std::vector<int> threads = {1};  // of the families that run on several
  std::string models_folder;       // of the family `networks`
};

struct Family {
  std::string_view name;  // its rows are called name/...
  std::string_view summary;
  BenchmarkRows (*rows)(const FamilyOptions& options);
};
std::span<const Family> families();

BenchmarkRows peak_rows(const FamilyOptions& options);
BenchmarkRows gemm_rows(const FamilyOptions& options);
BenchmarkRows depthwise_rows(const FamilyOptions& options);
BenchmarkRows requantize_rows(const FamilyOptions& options);
BenchmarkRows linear_rows(const FamilyOptions& options);
BenchmarkRows elementwise_rows(const FamilyOptions& options);
BenchmarkRows lookup_rows(const FamilyOptions& options);
BenchmarkRows pool_rows(const FamilyOptions& options);
BenchmarkRows softmax_rows(const FamilyOptions& options);
BenchmarkRows im2col_rows(const FamilyOptions& options);
BenchmarkRows operator_rows(const FamilyOptions& options);
BenchmarkRows emulation_rows(const FamilyOptions& options);
BenchmarkRows network_rows(const FamilyOptions& options);
BenchmarkRows onednn_rows(const FamilyOptions& options);

}  // namespace assay::bench
