// SPDX-License-Identifier: Apache-2.0
// Tolerances from what the variants of a case measured. Known faults are told from it: they are not what the
// tolerances are made of.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/cause.h"
#include "harness/spec/axis.h"
#include "reports/record.h"

namespace assay::run {

// A measured error that a change avoids, or several at once.
struct KnownFault {
  std::string cause;                          // "pair-saturation", "relu-dropped and pair-saturation"
  bool is_one = true;                         // one cause, which the one change confirms
  std::string change;                         // "runtime.precision=exact"
  std::vector<reports::Measurement> without;  // what is measured with the change
};

struct MeasuredVariant {
  spec::Configuration configuration;
  std::vector<reports::Measurement> measurements;
  std::optional<KnownFault> fault = {};
};

struct MeasuredChecks {
  spec::Json expect = spec::Json::array();  // entries of `expect`
  std::vector<std::string> findings;        // which configurations have clearly larger errors, and why; a line each
};

// Errors, relative to the signal, that differ by no more than this factor are alike.
inline constexpr double kAlikeNoise = 2.0;
// The largest noise of an output, relative to its signal; what is below the rounding of float32 counts as that.
double noise_of(const std::vector<reports::Measurement>& measurements);

// "3.2 times", "290 times": two digits.
std::string times_text(double factor);

// Why the variant at a position has more noise than others, where it is the value of one of these axes.
using CauseOf = std::function<std::optional<Cause>(std::size_t position, const spec::Condition& axes)>;

// Variants of like errors share their tolerances: the worst of them with head room. A variant with a known fault counts
// as it is without, and is an xfail where the fault breaks the tolerances.
MeasuredChecks measured_checks(const std::vector<MeasuredVariant>& variants, double headroom, const CauseOf& cause_of);

}  // namespace assay::run
