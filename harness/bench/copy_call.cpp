// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/copy_call.h"

#include <cstring>
#include <memory>

#include "harness/bench/test_data.h"

namespace assay::bench {

Result<Prepared> prepare_copy(Index bytes) {
  auto from = std::make_shared<Elements<std::uint8_t>>(bytes / 2);
  auto to = std::make_shared<Elements<std::uint8_t>>(bytes / 2);
  if (!from->ok() || !to->ok()) {
    return resource_error("no memory for the bytes");
  }
  fill_bytes(from->span(), 1);
  Prepared prepared;
  prepared.call = [from, to]() -> Status {
    std::memcpy(to->data(), from->data(), from->span().size());
    return {};
  };
  prepared.check = [from, to] {
    return expect_same<std::uint8_t>("memcpy", to->span(), from->span(), "the bytes copied");
  };
  prepared.work.bytes = 2.0 * static_cast<double>(from->size());
  return prepared;
}

}  // namespace assay::bench
