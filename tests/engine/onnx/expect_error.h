// SPDX-License-Identifier: Apache-2.0
// Expectations on errors.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "engine/base/result.h"

namespace assay::test {

// Passes if `result` failed with this kind and a message that contains `text`.
template <typename R>
::testing::AssertionResult fails_with(const R& result, ErrorKind kind, const std::string& text) {
  if (result.ok()) {
    return ::testing::AssertionFailure() << "succeeded, but should fail with: " << text;
  }
  if (result.error().kind != kind || result.error().message.find(text) == std::string::npos) {
    return ::testing::AssertionFailure() << "error kind " << static_cast<int>(result.error().kind) << ": "
                                         << result.error().message << "\nexpected kind " << static_cast<int>(kind)
                                         << " with: " << text;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace assay::test
