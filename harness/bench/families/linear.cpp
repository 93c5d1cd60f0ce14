// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/linear/linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/bench/family.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr Index kCounts[] = {4'096, 1 << 20};  // in the first cache, and beyond the second
constexpr float kScale = 0.0123F;
constexpr std::int32_t kZeroPoint = 117;

struct Values {
  explicit Values(Index count) : floats(count), bytes(count) {}
  bool ok() const { return floats.ok() && bytes.ok(); }

  Elements<float> floats;
  Elements<std::uint8_t> bytes;
};

Prepared quantize_call(const std::shared_ptr<Values>& values) {
  fill_floats(values->floats.span(), 1, -2, 2);
  Prepared prepared;
  prepared.call = [values]() -> Status {
    kernels::quantize_linear(
        {values->floats.data(), values->floats.size(), kScale, kZeroPoint, DType::kUint8, values->bytes.data()});
    return {};
  };
  prepared.check = [values] {
    std::vector<std::uint8_t> expected;
    for (const float x : values->floats.span()) {
      expected.push_back(
          static_cast<std::uint8_t>(std::clamp(std::nearbyint(x / kScale) + float{kZeroPoint}, 0.0F, 255.0F)));
    }
    return expect_same<std::uint8_t>("quantize_linear", values->bytes.span(), expected, "a naive loop");
  };
  return prepared;
}

Prepared dequantize_call(const std::shared_ptr<Values>& values) {
  fill_bytes(values->bytes.span(), 2);
  Prepared prepared;
  prepared.call = [values]() -> Status {
    kernels::dequantize_linear(
        {values->bytes.data(), DType::kUint8, values->bytes.size(), kScale, kZeroPoint, values->floats.data()});
    return {};
  };
  prepared.check = [values] {
    std::vector<float> expected;
    for (const std::uint8_t x : values->bytes.span()) {
      expected.push_back(static_cast<float>(x - kZeroPoint) * kScale);
    }
    return expect_same<float>("dequantize_linear", values->floats.span(), expected, "a naive loop");
  };
  return prepared;
}

Result<Prepared> prepare(Prepared (*make)(const std::shared_ptr<Values>&), Index count) {
  auto values = std::make_shared<Values>(count);
  if (!values->ok()) {
    return resource_error("no memory for the values");
  }
  Prepared prepared = make(values);
  prepared.work.bytes = static_cast<double>(count) * (sizeof(float) + 1);
  return prepared;
}

}  // namespace

BenchmarkRows linear_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const Index count : kCounts) {
    rows.push_back({fmt::format("linear/quantize_u8/{}", count), [count] { return prepare(quantize_call, count); }});
    rows.push_back(
        {fmt::format("linear/dequantize_u8/{}", count), [count] { return prepare(dequantize_call, count); }});
  }
  return rows;
}

}  // namespace assay::bench
