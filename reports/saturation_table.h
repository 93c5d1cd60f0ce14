// SPDX-License-Identifier: Apache-2.0
// Saturated pairs per layer.
#pragma once

#include "reports/record.h"
#include "reports/text_table.h"

namespace assay::reports {

// A row per layer in which pairs saturated, for each configuration of the case; configurations with the same counts
// share their rows. Empty where nothing was counted or nothing saturated.
TextTable saturation_table(const CaseGroup& group);

}  // namespace assay::reports
