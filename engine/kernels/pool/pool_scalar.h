// SPDX-License-Identifier: Apache-2.0
// The portable poolings: whole, for what bands have no room for, and maxima of a band.
#pragma once

#include "engine/kernels/pool/pool.h"

namespace assay::kernels {

void qlinear_average_pool_scalar(const AveragePoolArgs& args);
void qlinear_global_average_pool_scalar(const GlobalAveragePoolArgs& args);
void max_pool_scalar(const MaxPoolArgs& args);
void max_band_scalar(const MaxBandArgs& args);

}  // namespace assay::kernels
