// SPDX-License-Identifier: Apache-2.0
// What a profile costs where the CPU lacks its ISA: every profile on a host that is capped at AVX2, whatever this one
// has.
#include <fmt/format.h>

#include "harness/bench/family.h"
#include "harness/bench/operator_model.h"
#include "harness/bench/session_row.h"

namespace assay::bench {
namespace {

constexpr Isa kHost = Isa::kAvx2;

constexpr ConvShape kConvolutions[] = {
    {"conv_3x3_64ch_28x28", 64, 64, 28, 3, 1, 1},
    {"conv_3x3_3ch_56x56", 3, 32, 56, 3, 1, 1},
    {"depthwise_3x3_32ch_56x56", 32, 32, 56, 3, 1, 32},
};
constexpr GemmShape kProduct = {"", 49, 512, 512};

}  // namespace

BenchmarkRows emulation_rows(const FamilyOptions& /*options*/) {
  std::vector<ModelRun> runs;
  for (const ConvShape& shape : kConvolutions) {
    runs.push_back({fmt::format("emulation/QLinearConv/{}", shape.name), [&shape] { return qlinear_conv(shape); }});
  }
  const std::string product = shape_name(kProduct);
  runs.push_back({"emulation/QLinearMatMul/" + product, [] { return qlinear_matmul(kProduct); }});
  runs.push_back(
      {"emulation/MatMulInteger_s8s8/" + product, [] { return matmul_integer(kProduct, ActivationType::kInt8); }});
  BenchmarkRows rows;
  if (!can_run(host_features(), kHost)) {
    return rows;
  }
  for (const ModelRun& run : runs) {
    for (const Isa isa : all_isas()) {
      for (const Precision precision : {Precision::kFast, Precision::kExact}) {
        rows.push_back(emulation_row(run, {isa, precision}, kHost));
      }
    }
  }
  return rows;
}

}  // namespace assay::bench
