// SPDX-License-Identifier: Apache-2.0
// Changes of the settings that a search tries.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/spec/axis.h"

namespace assay::tune {

// Values of one axis, or of several that are of use only together.
struct Alternative {
  std::vector<std::pair<std::string, spec::Json>> settings;
};

// One for each value.
std::vector<Alternative> values_of(const std::string& axis, const std::vector<spec::Json>& values);

// What is tried unless told otherwise, in this order.
std::vector<Alternative> default_alternatives();

// Puts these values in place of every alternative that names the axis, or behind all where none does.
void set_values(std::vector<Alternative>& alternatives, const std::string& axis, const std::vector<spec::Json>& values);

// Those that name no axis that is set in `given`, and behind them, for each axis, the value that it has there: what an
// early change was good for may be gone after a later one.
std::vector<Alternative> open_alternatives(const std::vector<Alternative>& alternatives,
                                           const spec::Configuration& given);

// `configuration` with the change, an axis at its default left unset. Nothing where it changes nothing, or where an
// axis has no meaning beside the others.
std::optional<spec::Configuration> apply(const Alternative& alternative, const spec::Configuration& configuration);

// "axis=value, axis=value"
std::string text_of(const Alternative& alternative);

}  // namespace assay::tune
