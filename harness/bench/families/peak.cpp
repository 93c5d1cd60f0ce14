// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "harness/bench/family.h"
#include "harness/bench/host_rows.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr Index kSteps = 10'000;

// With operands of 1 no arithmetic saturates.
Status check(const kernels::PeakKernel& kernel, std::int32_t sum) {
  const auto expected = static_cast<std::int32_t>(kernel.chains * kSteps * kernel.lane_products);
  return expect_same<std::int32_t>(kernel.name, {&sum, 1}, {&expected, 1}, "arithmetic");
}

Result<Prepared> prepare(const kernels::PeakKernel& kernel) {
  auto sum = std::make_shared<std::int32_t>(0);
  Prepared prepared;
  prepared.call = [&kernel, sum]() -> Status {
    kernels::PeakArgs args;
    args.steps = kSteps;
    args.a = 1;
    args.b = 1;
    args.sum = sum.get();
    kernel.run(args);
    return {};
  };
  prepared.check = [&kernel, sum] { return check(kernel, *sum); };
  prepared.work.operations = static_cast<double>(kSteps * kernels::peak_operations_per_step(kernel));
  return prepared;
}

}  // namespace

BenchmarkRows peak_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const kernels::PeakKernel& kernel : host_rows(kernels::peak_kernels())) {
    rows.push_back({fmt::format("peak/{}", kernel.name), [&kernel] { return prepare(kernel); }});
  }
  return rows;
}

}  // namespace assay::bench
