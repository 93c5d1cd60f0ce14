// SPDX-License-Identifier: Apache-2.0
#include "engine/base/fnv.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// The published values of FNV-1a, 64 bits.
TEST(Fnv1a, PublishedValues) {
  EXPECT_EQ(fnv1a(""), 0xCBF29CE484222325ULL);
  EXPECT_EQ(fnv1a("a"), 0xAF63DC4C8601EC8CULL);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171F73967E8ULL);
  EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar"));
}

}  // namespace
}  // namespace assay
