// SPDX-License-Identifier: Apache-2.0
// The cause of a failure, found by changing one thing: where every check holds under another value of one axis, what
// that value avoids is the cause.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "harness/spec/axis.h"

namespace assay::run {

struct Cause {
  std::string name;    // as in a case's "cause"
  std::string change;  // "runtime.precision=exact"; "": an external runtime fails as assay's own does
  // "every check holds with runtime.precision=exact"
  std::string evidence() const;
};

// A configuration with one axis changed.
struct Change {
  Cause cause;  // what the change avoids
  std::string axis;
  spec::Configuration configuration;
  // Whether what it avoids is wrong, whatever the accuracy asked for; else it is a setting that costs accuracy.
  bool is_fault = false;
};

// The changes that can matter for a configuration, in the order in which they are tried. `model`: as in Failing.
std::vector<Change> changes_of(const spec::Configuration& configuration, const Graph* model);

// A variant whose checks fail.
struct Failing {
  const spec::Configuration& configuration;
  // The case's own model; null where it cannot be read.
  const Graph* model = nullptr;
  // Whether every check of the variant holds when it runs under another configuration.
  std::function<bool(const spec::Configuration&)> holds_under;
  // The same where the model is calibrated on the case's inputs; empty where it is already, or is not calibrated.
  std::function<bool()> holds_calibrated_on_inputs = {};
  // Of an external runtime: whether it fails as assay's own does with saturating arithmetic, and that not with exact.
  std::function<bool()> fails_as_saturating = {};
};

inline constexpr char kInputsAsCalibration[] = "the inputs as calibration";

// Nothing where no single change makes every check hold.
std::optional<Cause> find_cause(const Failing& failing);

// What becomes of a declared cause.
struct CauseCheck {
  bool is_confirmed = false;
  // Not confirmed, though what it names is a fault that a change would show: the failure has another cause.
  bool is_refuted = false;
  std::optional<Cause> other = {};  // the cause that was found instead
};
CauseCheck check_cause(const Failing& failing, const std::string& declared);

}  // namespace assay::run
