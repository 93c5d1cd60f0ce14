// SPDX-License-Identifier: Apache-2.0
// From a configuration's axes to the options of the engine. What this build does not have is an error that names the
// axis, the value and what there is.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/api/session.h"
#include "engine/quantizer/options.h"
#include "harness/run/external/protocol.h"
#include "harness/spec/axis.h"
#include "harness/spec/case.h"

namespace assay::run {

// Whether the variant quantizes at all (quantizer.format is not `none`).
bool quantizes(const spec::Configuration& configuration);

// `folder`: what a relative path in quantizer.ranges is relative to.
Result<quantizer::Options> quantizer_options(const spec::Configuration& configuration, const std::string& folder);

// Whether runtime.name is not assay's own.
bool is_external(const spec::Configuration& configuration);
// The external runtimes that a variant needs: its own, and the one of its reference.
std::set<std::string> external_runtimes(const spec::Case& test_case, const spec::Configuration& configuration);
// Of an external runtime.
LoadOptions external_options(const spec::Configuration& configuration);
// Of assay's own.
Result<api::SessionOptions> session_options(const spec::Configuration& configuration);

// runtime.batch: the samples fed at a time; nothing for `model`.
std::optional<Index> batch_size(const spec::Configuration& configuration);

// Equal for two variants whose quantized models are equal.
std::string quantizer_key(const spec::Configuration& configuration);

}  // namespace assay::run
