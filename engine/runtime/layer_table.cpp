// SPDX-License-Identifier: Apache-2.0
// Normalisations, recurrent layers and rarer poolings and products, one row each.
#include <array>

#include "engine/runtime/ops/layer_operators.h"

namespace assay::runtime {
namespace {

constexpr std::array kRows = {
    OperatorRow{"", "ConvTranspose", prepare_conv_transpose},
    OperatorRow{"", "Einsum", prepare_einsum},
    OperatorRow{"", "GRU", prepare_gru},
    OperatorRow{"", "GlobalLpPool", prepare_global_lp_pool},
    OperatorRow{"", "GlobalMaxPool", prepare_global_max_pool},
    OperatorRow{"", "GroupNormalization", prepare_group_normalization},
    OperatorRow{"", "Hardmax", prepare_hardmax},
    OperatorRow{"", "InstanceNormalization", prepare_instance_normalization},
    OperatorRow{"", "LRN", prepare_lrn},
    OperatorRow{"", "LSTM", prepare_lstm},
    OperatorRow{"", "LayerNormalization", prepare_layer_normalization},
    OperatorRow{"", "LogSoftmax", prepare_log_softmax},
    OperatorRow{"", "LpNormalization", prepare_lp_normalization},
    OperatorRow{"", "LpPool", prepare_lp_pool},
    OperatorRow{"", "MeanVarianceNormalization", prepare_mean_variance_normalization},
    OperatorRow{"", "RMSNormalization", prepare_rms_normalization},
    OperatorRow{"", "RNN", prepare_rnn},
};

}  // namespace

std::span<const OperatorRow> layer_operator_rows() { return kRows; }

}  // namespace assay::runtime
