// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/operator.h"

namespace assay::runtime {

std::span<const OperatorRow> float_operator_rows() { return {}; }

}  // namespace assay::runtime
