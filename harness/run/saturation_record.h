// SPDX-License-Identifier: Apache-2.0
// What the engine counted, as the record has it.
#pragma once

#include "engine/api/session.h"
#include "reports/record.h"

namespace assay::run {

reports::Saturation saturation_record(const api::SaturationInfo& info, std::int64_t samples);

}  // namespace assay::run
