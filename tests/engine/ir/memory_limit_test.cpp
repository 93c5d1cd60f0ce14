// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/memory_limit.h"

#include <gtest/gtest.h>

#include "engine/ir/tensor.h"

namespace assay {
namespace {

TEST(MemoryLimit, SmallRequestsAreNotChecked) { EXPECT_TRUE(check_memory(kCheckedBytes - 1).ok()); }

TEST(MemoryLimit, RequestsBeyondTheMachineAreRefused) {
  const Status status = check_memory(std::size_t{1} << 60U);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kResource);
  EXPECT_TRUE(status.error().message.starts_with("1152921504606846976 bytes are needed, ")) << status.error().message;
}

// Within the limit on elements, but 64 GiB.
TEST(MemoryLimit, TensorsNameTheirShape) {
  const Shape shape = {Index{1} << 20, Index{1} << 13};
  if (check_memory(std::size_t{1} << 36U).ok()) {
    return;  // a machine with that much memory gives it
  }
  const auto tensor = Tensor::allocate(DType::kFloat64, shape);
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.error().kind, ErrorKind::kResource);
  EXPECT_TRUE(tensor.error().message.starts_with("a float64 tensor of shape [1048576,8192]: "))
      << tensor.error().message;
}

}  // namespace
}  // namespace assay
