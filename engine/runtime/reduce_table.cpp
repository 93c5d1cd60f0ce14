// SPDX-License-Identifier: Apache-2.0
// The operators that look along axes, one row each.
#include <array>

#include "engine/runtime/ops/reduce_operators.h"

namespace assay::runtime {
namespace {

constexpr std::array kRows = {
    OperatorRow{"", "ArgMax", prepare_arg_max},
    OperatorRow{"", "ArgMin", prepare_arg_min},
    OperatorRow{"", "CumProd", prepare_cum_prod},
    OperatorRow{"", "CumSum", prepare_cum_sum},
    OperatorRow{"", "ReduceL1", prepare_reduce_l1},
    OperatorRow{"", "ReduceL2", prepare_reduce_l2},
    OperatorRow{"", "ReduceLogSum", prepare_reduce_log_sum},
    OperatorRow{"", "ReduceLogSumExp", prepare_reduce_log_sum_exp},
    OperatorRow{"", "ReduceMax", prepare_reduce_max},
    OperatorRow{"", "ReduceMean", prepare_reduce_mean},
    OperatorRow{"", "ReduceMin", prepare_reduce_min},
    OperatorRow{"", "ReduceProd", prepare_reduce_prod},
    OperatorRow{"", "ReduceSum", prepare_reduce_sum},
    OperatorRow{"", "ReduceSumSquare", prepare_reduce_sum_square},
    OperatorRow{"", "TopK", prepare_top_k},
};

}  // namespace

std::span<const OperatorRow> reduce_operator_rows() { return kRows; }

}  // namespace assay::runtime
