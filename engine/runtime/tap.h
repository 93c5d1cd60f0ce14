// SPDX-License-Identifier: Apache-2.0
// Who looks at values while a plan runs. Operators with subgraphs hand the look on to these.
#pragma once

#include <functional>
#include <string>

#include "engine/ir/tensor.h"

namespace assay::runtime {

// Shown a value as it is computed.
using Tap = std::function<void(const std::string& value, const Tensor& tensor)>;

// The tap of the plan that runs in this thread; null where nobody looks.
const Tap* current_tap();

// Sets it for as long as this lives.
class TapScope {
 public:
  explicit TapScope(const Tap* tap);
  ~TapScope();
  TapScope(const TapScope&) = delete;
  TapScope& operator=(const TapScope&) = delete;

 private:
  const Tap* outer_;
};

}  // namespace assay::runtime
