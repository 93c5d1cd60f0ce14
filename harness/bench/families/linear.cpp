// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/linear/linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/bench/copy_call.h"
#include "harness/bench/family.h"
#include "harness/bench/host_rows.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr Index kQuantizeBytes = sizeof(float) + 1;  // of an element, read and written
constexpr Index kCounts[] = {4'096, 1 << 20};        // in the first cache, and beyond the second
constexpr float kScale = 0.0123F;
constexpr std::int32_t kZeroPoint = 117;

struct Values {
  explicit Values(Index count) : floats(count), bytes(count) {}
  bool ok() const { return floats.ok() && bytes.ok(); }

  Elements<float> floats;
  Elements<std::uint8_t> bytes;
  kernels::FloatRange range;
};

using Shared = std::shared_ptr<Values>;

Prepared quantize_call(const kernels::LinearKernel& kernel, const Shared& values) {
  fill_floats(values->floats.span(), 1, -2, 2);
  Prepared prepared;
  prepared.call = [&kernel, values]() -> Status {
    kernel.quantize({values->floats.data(), values->floats.size(), kScale, kZeroPoint, kernels::LinearType::kUint8,
                     values->bytes.data()});
    return {};
  };
  prepared.check = [&kernel, values] {
    std::vector<std::uint8_t> expected;
    for (const float x : values->floats.span()) {
      expected.push_back(
          static_cast<std::uint8_t>(std::clamp(std::nearbyint(x / kScale) + float{kZeroPoint}, 0.0F, 255.0F)));
    }
    return expect_same<std::uint8_t>(kernel.name, values->bytes.span(), expected, "a naive loop");
  };
  return prepared;
}

Prepared dequantize_call(const kernels::LinearKernel& kernel, const Shared& values) {
  fill_bytes(values->bytes.span(), 2);
  Prepared prepared;
  prepared.call = [&kernel, values]() -> Status {
    kernel.dequantize({values->bytes.data(), kernels::LinearType::kUint8, values->bytes.size(), kScale, kZeroPoint,
                       values->floats.data()});
    return {};
  };
  prepared.check = [&kernel, values] {
    std::vector<float> expected;
    for (const std::uint8_t x : values->bytes.span()) {
      expected.push_back(static_cast<float>(x - kZeroPoint) * kScale);
    }
    return expect_same<float>(kernel.name, values->floats.span(), expected, "a naive loop");
  };
  return prepared;
}

Prepared range_call(const kernels::LinearKernel& kernel, const Shared& values) {
  fill_floats(values->floats.span(), 3, -2, 2);
  Prepared prepared;
  prepared.call = [&kernel, values]() -> Status {
    values->range = kernel.range(values->floats.data(), values->floats.size());
    return {};
  };
  prepared.check = [&kernel, values] {
    const auto [low, high] = std::ranges::minmax(values->floats.span());
    const float found[] = {values->range.low, values->range.high};
    const float expected[] = {std::min(low, 0.0F), std::max(high, 0.0F)};
    return expect_same<float>(kernel.name, found, expected, "a naive loop");
  };
  return prepared;
}

struct Operation {
  const char* name;
  Prepared (*make)(const kernels::LinearKernel& kernel, const Shared& values);
  Index bytes;  // an element's, read and written
};
constexpr Operation kOperations[] = {
    {"quantize_u8", quantize_call, kQuantizeBytes},
    {"dequantize_u8", dequantize_call, kQuantizeBytes},
    {"range", range_call, sizeof(float)},
};

Result<Prepared> prepare(const kernels::LinearKernel& kernel, const Operation& operation, Index count) {
  auto values = std::make_shared<Values>(count);
  if (!values->ok()) {
    return resource_error("no memory for the values");
  }
  Prepared prepared = operation.make(kernel, values);
  prepared.work.bytes = static_cast<double>(count * operation.bytes);
  return prepared;
}

}  // namespace

BenchmarkRows linear_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const Index count : kCounts) {
    rows.push_back({fmt::format("linear/memcpy/{}", count), [count] { return prepare_copy(count * kQuantizeBytes); }});
    for (const kernels::LinearKernel& kernel : host_rows(kernels::linear_kernels())) {
      for (const Operation& operation : kOperations) {
        rows.push_back({fmt::format("linear/{}/{}/{}", kernel.name, operation.name, count),
                        [&kernel, &operation, count] { return prepare(kernel, operation, count); }});
      }
    }
  }
  return rows;
}

}  // namespace assay::bench
