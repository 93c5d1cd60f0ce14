// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/kernels/elementwise/binary.h"
#include "harness/bench/copy_call.h"
#include "harness/bench/family.h"
#include "harness/bench/host_rows.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr Index kCounts[] = {4'096, 1 << 20};
constexpr float kA = 0.02F;
constexpr float kB = 0.03F;
constexpr float kY = 0.05F;
constexpr std::int32_t kAZero = 120;
constexpr std::int32_t kBZero = 130;
constexpr std::int32_t kYZero = 110;

struct Spans {
  explicit Spans(Index count) : a(count), b(count), y(count) {}
  bool ok() const { return a.ok() && b.ok() && y.ok(); }

  Elements<std::uint8_t> a;
  Elements<std::uint8_t> b;
  Elements<std::uint8_t> y;
};

struct Operation {
  const char* name;
  void (*kernels::BinaryKernel::*run)(const kernels::BinaryArgs& args);
  float (*naive)(std::uint8_t a, std::uint8_t b);  // before rounding
};

float fused_sum(std::uint8_t a, std::uint8_t b) {
  const float ra = kA / kY;
  const float rb = kB / kY;
  const float c = float{kYZero} - std::fma(ra, float{kAZero}, rb * float{kBZero});
  return std::fma(static_cast<float>(a), ra, std::fma(static_cast<float>(b), rb, c));
}

float unfused_sum(std::uint8_t a, std::uint8_t b) {
  const float ra = kA / kY;
  const float rb = kB / kY;
  const float c = float{kYZero} - (ra * float{kAZero} + rb * float{kBZero});
  return static_cast<float>(b) * rb + (static_cast<float>(a) * ra + c);
}

float product(std::uint8_t a, std::uint8_t b) {
  return static_cast<float>((a - kAZero) * (b - kBZero)) * (kA * kB / kY) + float{kYZero};
}

constexpr Operation kOperations[] = {
    {"add_fused_u8", &kernels::BinaryKernel::add_fused, fused_sum},
    {"add_unfused_u8", &kernels::BinaryKernel::add_unfused, unfused_sum},
    {"mul_u8", &kernels::BinaryKernel::mul, product},
};

Status check(const Operation& operation, const Spans& spans) {
  std::vector<std::uint8_t> expected;
  for (std::size_t i = 0; i < spans.a.span().size(); ++i) {
    const float v = operation.naive(spans.a.span()[i], spans.b.span()[i]);
    expected.push_back(static_cast<std::uint8_t>(std::nearbyint(std::clamp(v, 0.0F, 255.0F))));
  }
  return expect_same<std::uint8_t>(operation.name, spans.y.span(), expected, "a naive loop");
}

Result<Prepared> prepare(const kernels::BinaryKernel& kernel, const Operation& operation, Index count) {
  auto spans = std::make_shared<Spans>(count);
  if (!spans->ok()) {
    return resource_error("no memory for the spans");
  }
  fill_bytes(spans->a.span(), 1);
  fill_bytes(spans->b.span(), 2);
  Prepared prepared;
  prepared.call = [&kernel, &operation, spans]() -> Status {
    kernels::BinaryArgs args;
    args.a = {spans->a.data(), 1, kA, kAZero};
    args.b = {spans->b.data(), 1, kB, kBZero};
    args.count = spans->a.size();
    args.y_scale = kY;
    args.y_zero_point = kYZero;
    args.y = spans->y.data();
    (kernel.*operation.run)(args);
    return {};
  };
  prepared.check = [&operation, spans] { return check(operation, *spans); };
  prepared.work.bytes = 3.0 * static_cast<double>(count);
  return prepared;
}

}  // namespace

BenchmarkRows elementwise_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const Index count : kCounts) {
    rows.push_back({fmt::format("elementwise/memcpy/{}", count), [count] { return prepare_copy(3 * count); }});
  }
  for (const kernels::BinaryKernel& kernel : host_rows(kernels::binary_kernels())) {
    for (const Operation& operation : kOperations) {
      for (const Index count : kCounts) {
        rows.push_back({fmt::format("elementwise/{}/{}/{}", kernel.name, operation.name, count),
                        [&kernel, &operation, count] { return prepare(kernel, operation, count); }});
      }
    }
  }
  return rows;
}

}  // namespace assay::bench
