// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/session_row.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/bench/operator_model.h"

namespace assay::bench {
namespace {

std::vector<api::KernelInfo> kernels_of(const std::vector<std::string>& names) {
  std::vector<api::KernelInfo> out;
  for (const std::string& name : names) {
    out.push_back({.kernel = name});
  }
  return out;
}

TEST(CeilingOf, FollowsFromTheKernelsThatRan) {
  const kernels::PeakKernel* portable = kernels::find_peak(Isa::kScalar, Arithmetic::kExact);
  EXPECT_EQ(ceiling_of(kernels_of({"gemm_s8s8_exact_scalar"})), portable);
  EXPECT_EQ(ceiling_of(kernels_of({"view", "gemm_s8s8_exact_scalar", "scalar", "gemm_u8u8_exact_scalar"})), portable);
  EXPECT_EQ(ceiling_of(kernels_of({"gemm_u8s8_sat16_pairs_scalar"})), nullptr);
  EXPECT_EQ(ceiling_of(kernels_of({"depthwise_scalar"})), nullptr);
  EXPECT_EQ(ceiling_of(kernels_of({"gemm_s8s8_exact_scalar", "depthwise_scalar"})), nullptr);
  EXPECT_EQ(ceiling_of(kernels_of({"gemm_s8s8_exact_scalar", "onednn:jit:avx2"})), nullptr);
  EXPECT_EQ(ceiling_of(kernels_of({"scalar"})), nullptr);
  EXPECT_EQ(ceiling_of({}), nullptr);
#if defined(__x86_64__)
  EXPECT_EQ(ceiling_of(kernels_of({"gemm_s8s8_exact_avx2"})), kernels::find_peak(Isa::kAvx2, Arithmetic::kExact));
  EXPECT_EQ(ceiling_of(kernels_of({"gemm_u8s8_sat16_pairs_avx2"})),
            kernels::find_peak(Isa::kAvx2, Arithmetic::kSat16Pairs));
  EXPECT_EQ(ceiling_of(kernels_of({"gemm_s8s8_exact_avx2", "gemm_u8s8_sat16_pairs_avx2"})), nullptr);
#endif
}

const kernels::PeakKernel* ceiling_of_row(const ModelRun& run, const Profile& profile) {
  Result<Prepared> prepared = session_row(run, profile, 1).prepare();
  EXPECT_TRUE(prepared.ok());
  return prepared.ok() ? prepared.value().work.peak : nullptr;
}

// s8 x s8 saturates nowhere: one kernel, and one ceiling, under fast and exact; sse41 runs the portable kernels.
TEST(SessionRow, CeilingsAreThoseOfTheKernelsNotOfTheProfile) {
  static constexpr GemmShape kShape = {"", 5, 16, 8};
  const ModelRun s8s8 = {"s8s8", [] { return matmul_integer(kShape, ActivationType::kInt8); }};
  const ModelRun depthwise = {"depthwise", [] { return qlinear_conv({"", 4, 4, 8, 3, 1, 4}); }};
  for (const Isa isa : all_isas()) {
    if (!can_run(host_features(), isa)) {
      continue;
    }
    const kernels::PeakKernel* exact = ceiling_of_row(s8s8, {isa, Precision::kExact});
    EXPECT_EQ(ceiling_of_row(s8s8, {isa, Precision::kFast}), exact) << isa_name(isa);
    EXPECT_EQ(exact, kernels::find_peak(isa == Isa::kSse41 ? Isa::kScalar : isa, Arithmetic::kExact)) << isa_name(isa);
    EXPECT_EQ(ceiling_of_row(depthwise, {isa, Precision::kFast}), nullptr) << isa_name(isa);
  }
}

}  // namespace
}  // namespace assay::bench
