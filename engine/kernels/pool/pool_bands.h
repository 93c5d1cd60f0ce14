// SPDX-License-Identifier: Apache-2.0
// Poolings through a kernel that computes windows of one output row: this cuts the planes into such rows and provides
// the padding. Windows that do not fit into a buffer are left to the portable functions.
#pragma once

#include "engine/kernels/pool/pool.h"

namespace assay::kernels {

void average_in_bands(void (*band)(const AverageBandArgs&), const AveragePoolArgs& args);
void max_in_bands(void (*band)(const MaxBandArgs&), const MaxPoolArgs& args);

}  // namespace assay::kernels
