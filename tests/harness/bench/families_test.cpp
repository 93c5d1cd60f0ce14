// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>

#include "engine/kernels/depthwise/depthwise.h"
#include "engine/kernels/gemm/gemm.h"
#include "harness/bench/families/gemm.h"
#include "harness/bench/family.h"
#include "harness/bench/operator_model.h"
#include "tests/support/folders.h"

namespace assay::bench {
namespace {

FamilyOptions options() {
  return {.threads = {1, 2}, .models_folder = (test::source_folder() / "cases/reported/models").string()};
}

std::set<std::string> names_of(const BenchmarkRows& rows) {
  std::set<std::string> names;
  std::ranges::transform(rows, std::inserter(names, names.end()), &BenchmarkRow::name);
  return names;
}

TEST(Families, RowsAreNamedAfterTheirFamilyAndNoNameIsGivenTwice) {
  std::set<std::string> all;
  for (const Family& family : families()) {
    const BenchmarkRows rows = family.rows(options());
    EXPECT_TRUE(!rows.empty() || (family.name == "emulation" && !host_features().avx2)) << family.name;
    EXPECT_GT(family.summary.size(), 5U);
    for (const BenchmarkRow& row : rows) {
      EXPECT_TRUE(row.name.starts_with(std::string(family.name) + "/")) << row.name;
      EXPECT_TRUE(all.insert(row.name).second) << row.name << " twice";
    }
  }
}

TEST(Families, EveryKernelOfATableThatThisCpuRunsIsThereOnEveryShape) {
  const std::set<std::string> gemm = names_of(gemm_rows(options()));
  std::size_t expected = 0;
  for (const kernels::GemmKernel& kernel : kernels::gemm_kernels()) {
    const bool runs = can_run(host_features(), kernel.isa);
    for (const GemmShape& shape : gemm_shapes()) {
      EXPECT_EQ(gemm.contains(std::string("gemm/") + kernel.name + "/" + shape_name(shape)), runs) << kernel.name;
      expected += runs ? 1 : 0;
    }
  }
  EXPECT_EQ(gemm.size(), expected);
  for (const kernels::DepthwiseKernel& kernel : kernels::depthwise_kernels()) {
    EXPECT_EQ(std::ranges::any_of(names_of(depthwise_rows(options())),
                                  [&](const std::string& name) {
                                    return name.starts_with(std::string("depthwise/") + kernel.name + "/");
                                  }),
              can_run(host_features(), kernel.isa));
  }
}

TEST(Families, ModelsRunUnderEachProfileAndThreadCount) {
  const std::set<std::string> networks = names_of(network_rows(options()));
  EXPECT_TRUE(networks.contains("networks/mobile_dark/int8/scalar/fast/t1"));
  EXPECT_TRUE(networks.contains("networks/mobile_dark/int8/scalar/fast/t2"));
  const std::set<std::string> operators = names_of(operator_rows(options()));
  EXPECT_TRUE(operators.contains("operators/QLinearConv/conv_3x3_64ch_56x56/scalar/fast/t2"));
  if (host_features().avx2) {
    EXPECT_TRUE(networks.contains("networks/mobile_dark/int8/avx2/exact/t1"));
    EXPECT_TRUE(operators.contains("operators/MatMulInteger/49x512x512/avx2/fast/t1"));
  }
}

// Answers of the quick rows of every family are right, each compared with what its family compares with.
TEST(Families, AnswersAreRight) {
  const std::set<std::string> slow = {"networks", "operators", "emulation", "gemm", "onednn"};
  for (const Family& family : families()) {
    for (const BenchmarkRow& row : family.rows(options())) {
      const bool quick = row.name.find("49x512x512") != std::string::npos ||
                         row.name.starts_with("networks/mobile_dark/") || !slow.contains(std::string(family.name));
      if (!quick) {
        continue;
      }
      Result<Prepared> prepared = row.prepare();
      ASSERT_TRUE(prepared.ok()) << row.name << ": " << prepared.error().message;
      ASSERT_TRUE(prepared.value().call().ok()) << row.name;
      const Status right = prepared.value().check();
      EXPECT_TRUE(right.ok()) << row.name << ": " << right.error().message;
      EXPECT_GT(prepared.value().work.operations + prepared.value().work.bytes, 0) << row.name;
    }
  }
}

// Before the first call outputs are zeros: a check that passes them looks at nothing.
TEST(Families, EveryCheckFindsAnAnswerThatWasNeverComputed) {
  for (const Family& family : families()) {
    if (family.name == "networks" || family.name == "operators" || family.name == "emulation") {
      continue;  // their sessions run once while they are made
    }
    const BenchmarkRows rows = family.rows(options());
    Result<Prepared> prepared = rows.back().prepare();
    ASSERT_TRUE(prepared.ok()) << rows.back().name;
    EXPECT_FALSE(prepared.value().check().ok()) << rows.back().name;
  }
}

TEST(OperatorModels, AreValid) {
  EXPECT_TRUE(qlinear_conv({"grouped", 8, 12, 9, 3, 2, 4}).ok());
  EXPECT_TRUE(qlinear_matmul({"", 3, 4, 5}).ok());
  EXPECT_TRUE(matmul_integer({"", 3, 4, 5}, ActivationType::kInt8).ok());
}

}  // namespace
}  // namespace assay::bench
