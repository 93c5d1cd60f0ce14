// SPDX-License-Identifier: Apache-2.0
// quantizer.ort_options: the settings of ONNX Runtime's quantize_static and quantize_dynamic under their own names, so
// that those of a report can be pasted in. docs/quantizer.md has the table of the mapping.
#pragma once

#include "harness/spec/axis.h"

namespace assay::spec {

// Sets the axes that quantizer.ort_options stands for, with ONNX Runtime's defaults where it says nothing; an axis that
// is set by itself goes before such a default. Nothing happens where the axis is not set.
// Errors (kInvalidArgument): an unknown option (with the nearest name), one that has no effect under the others or none
// at all here, a value it cannot have, an axis that is set both ways.
Status apply_ort_options(Configuration& configuration);

}  // namespace assay::spec
