// SPDX-License-Identifier: Apache-2.0
// quantizer.overrides: settings for single tensors, which go before every option.
//
// scale and zero_point go together and exclude min, max and symmetric. min or max alone replaces one end of the
// observed range. axis (weights only) asks for one scale per output channel. type may change any tensor.
#pragma once

#include <optional>
#include <string>

#include "engine/quantizer/options.h"
#include "engine/quantizer/range_arithmetic.h"
#include "engine/quantizer/range_table.h"

#include "engine/base/result.h"

namespace assay::quantizer {

// The override's own rules. Errors (kInvalidArgument) name the tensor and the two settings that contradict each other.
Status check_override(const std::string& tensor, const TensorOverride& setting);

// min <= max and both finite; `option` is the axis named in the message ("ranges").
Status check_range(const std::string& tensor, double min, double max, const std::string& option);

// The override for a tensor, or null.
const TensorOverride* find_override(const Options& options, const std::string& tensor);

// The scheme with the override's type and symmetry.
RangeScheme overridden_scheme(RangeScheme scheme, const TensorOverride* setting);

// Parameters of one range (a tensor or a channel). Errors: min > max after the override; a zero point outside the type.
Result<QuantParams> overridden_params(const std::string& tensor, ValueRange range, const RangeScheme& scheme,
                                      const TensorOverride* setting);

}  // namespace assay::quantizer
