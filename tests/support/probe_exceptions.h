// SPDX-License-Identifier: Apache-2.0
// The recorded results that cannot be equal bit for bit, each with its reason. Everything else must be.
#pragma once

#include <span>
#include <string>

#include "tests/support/probe.h"

namespace assay::test {

enum class Expectation {
  kEqual,          // the same bytes (any NaN is any other, -0 is 0)
  kWithinOneStep,  // float results: at most one step of the output's quantization apart
  kDiffers,        // a known disagreement: other bytes, and it must stay so or the row goes
  kRefused,        // this build refuses the model
  kComputed,       // the peer refused the model, this build computes it
};

struct ProbeException {
  const char* probe;     // "family/name", or a prefix of it that ends in '*'
  const char* tiers;     // "any", or a list: "avx2,avx512"
  const char* variants;  // "any", or a list: "disabled,basic"
  Expectation expectation;
  const char* reason;
};

std::span<const ProbeException> probe_exceptions();

// The first row that fits, or null.
const ProbeException* find_exception(const Probe& probe, const ProbeResult& result);

}  // namespace assay::test
