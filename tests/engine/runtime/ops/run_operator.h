// SPDX-License-Identifier: Apache-2.0
// One run of an operator, without an executor.
#pragma once

#include <vector>

#include "engine/runtime/operator.h"

namespace assay::test {

inline Result<std::vector<Tensor>> run_operator(runtime::Operator& op, runtime::RunContext& context) {
  std::vector<Tensor> outputs;
  ASSAY_TRY(op.run(context, outputs));
  return outputs;
}

}  // namespace assay::test
