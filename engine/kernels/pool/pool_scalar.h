// SPDX-License-Identifier: Apache-2.0
// The portable poolings: the scalar row, and what bands have no room for.
#pragma once

#include "engine/kernels/pool/pool.h"

namespace assay::kernels {

void qlinear_average_pool_scalar(const AveragePoolArgs& args);
void qlinear_global_average_pool_scalar(const GlobalAveragePoolArgs& args);
void max_pool_scalar(const MaxPoolArgs& args);

}  // namespace assay::kernels
