// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/elementwise/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/bench/copy_call.h"
#include "harness/bench/family.h"
#include "harness/bench/host_rows.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr Index kCounts[] = {4'096, 1 << 20};
constexpr std::int32_t kLow = 17;
constexpr std::int32_t kHigh = 203;

struct Bytes {
  explicit Bytes(Index count) : x(count), y(count) {}
  bool ok() const { return x.ok() && y.ok(); }

  Elements<std::uint8_t> x;
  Elements<std::uint8_t> y;
};

// No function in particular: every byte becomes another one.
kernels::ByteTable scrambled_table() {
  kernels::ByteTable table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(i * 167 + 13);
  }
  return table;
}

void look_up(const kernels::LookupKernel& kernel, Bytes& bytes) {
  static const kernels::ByteTable table = scrambled_table();
  kernel.lookup({table.data(), bytes.x.data(), bytes.x.size(), bytes.y.data()});
}

void clamp(const kernels::LookupKernel& kernel, Bytes& bytes) {
  kernel.clamp({bytes.x.data(), false, bytes.x.size(), kLow, kHigh, bytes.y.data()});
}

struct Operation {
  const char* name;
  void (*run)(const kernels::LookupKernel& kernel, Bytes& bytes);
  std::uint8_t (*naive)(std::uint8_t x);
};
constexpr Operation kOperations[] = {
    {"table", look_up, [](std::uint8_t x) { return static_cast<std::uint8_t>(x * 167 + 13); }},
    {"clamp_u8", clamp, [](std::uint8_t x) { return static_cast<std::uint8_t>(std::clamp<int>(x, kLow, kHigh)); }},
};

Status check(const Operation& operation, const Bytes& bytes) {
  std::vector<std::uint8_t> expected;
  std::ranges::transform(bytes.x.span(), std::back_inserter(expected), operation.naive);
  return expect_same<std::uint8_t>(operation.name, bytes.y.span(), expected, "a naive loop");
}

Result<Prepared> prepare(const kernels::LookupKernel& kernel, const Operation& operation, Index count) {
  auto bytes = std::make_shared<Bytes>(count);
  if (!bytes->ok()) {
    return resource_error("no memory for the bytes");
  }
  fill_bytes(bytes->x.span(), 1);
  Prepared prepared;
  prepared.call = [&kernel, &operation, bytes]() -> Status {
    operation.run(kernel, *bytes);
    return {};
  };
  prepared.check = [&operation, bytes] { return check(operation, *bytes); };
  prepared.work.bytes = 2.0 * static_cast<double>(count);
  return prepared;
}

}  // namespace

BenchmarkRows lookup_rows(const FamilyOptions& /*options*/) {
  BenchmarkRows rows;
  for (const Index count : kCounts) {
    rows.push_back({fmt::format("lookup/memcpy/{}", count), [count] { return prepare_copy(2 * count); }});
  }
  for (const kernels::LookupKernel& kernel : host_rows(kernels::lookup_kernels())) {
    for (const Operation& operation : kOperations) {
      for (const Index count : kCounts) {
        rows.push_back({fmt::format("lookup/{}/{}/{}", kernel.name, operation.name, count),
                        [&kernel, &operation, count] { return prepare(kernel, operation, count); }});
      }
    }
  }
  return rows;
}

}  // namespace assay::bench
