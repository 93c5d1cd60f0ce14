// SPDX-License-Identifier: Apache-2.0
// Models of one node: what a user pays for an operator, with im2col, requantization and the session around the kernel.
#include <fmt/format.h>

#include "harness/bench/family.h"
#include "harness/bench/gemm_shapes.h"
#include "harness/bench/operator_model.h"
#include "harness/bench/session_row.h"

namespace assay::bench {
namespace {

constexpr ConvShape kConvolutions[] = {
    {"conv_3x3_64ch_56x56", 64, 64, 56, 3, 1, 1},
    {"conv_1x1_256to64_56x56", 256, 64, 56, 1, 1, 1},
    {"conv_7x7s2_3ch_224x224", 3, 64, 224, 7, 2, 1},
    {"depthwise_3x3_32ch_112x112", 32, 32, 112, 3, 1, 32},
    {"depthwise_3x3s2_32ch_112x112", 32, 32, 112, 3, 2, 32},
};

}  // namespace

BenchmarkRows operator_rows(const FamilyOptions& options) {
  std::vector<ModelRun> runs;
  for (const ConvShape& shape : kConvolutions) {
    runs.push_back({fmt::format("operators/QLinearConv/{}", shape.name), [&shape] { return qlinear_conv(shape); }});
  }
  for (const GemmShape& shape : gemm_shapes()) {
    const std::string name = shape_name(shape);
    runs.push_back({"operators/QLinearMatMul/" + name, [&shape] { return qlinear_matmul(shape); }});
    runs.push_back(
        {"operators/MatMulInteger/" + name, [&shape] { return matmul_integer(shape, ActivationType::kUint8); }});
    runs.push_back(
        {"operators/MatMulInteger_s8s8/" + name, [&shape] { return matmul_integer(shape, ActivationType::kInt8); }});
  }
  BenchmarkRows rows;
  for (const ModelRun& run : runs) {
    for (const Profile& profile : native_profiles()) {
      for (const int threads : options.threads) {
        rows.push_back(session_row(run, profile, threads));
      }
    }
  }
  return rows;
}

}  // namespace assay::bench
