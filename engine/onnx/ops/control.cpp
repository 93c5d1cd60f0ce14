// SPDX-License-Identifier: Apache-2.0
// Operators with subgraphs, and recurrent layers.
#include <array>

#include "engine/onnx/ops/families.h"
#include "engine/onnx/ops/rows.h"

namespace assay::onnx {
namespace {

constexpr AttributeSchema graph_attribute(std::string_view name) {
  return {.name = name, .kind = AttributeKind::kGraph, .required = true};
}

constexpr std::array kIf = {graph_attribute("else_branch"), graph_attribute("then_branch")};
constexpr std::array kLoop = {graph_attribute("body")};
constexpr std::array kScan = {graph_attribute("body"),
                              required(int_attribute("num_scan_inputs")),
                              ints_attribute("scan_input_axes"),
                              ints_attribute("scan_input_directions"),
                              ints_attribute("scan_output_axes"),
                              ints_attribute("scan_output_directions")};
constexpr std::array kOldScan = {graph_attribute("body"), ints_attribute("directions"),
                                 required(int_attribute("num_scan_inputs"))};
constexpr std::array kGru = {floats_attribute("activation_alpha"),
                             floats_attribute("activation_beta"),
                             AttributeSchema{.name = "activations", .kind = AttributeKind::kStrings},
                             float_attribute("clip"),
                             string_attribute("direction"),
                             int_attribute("hidden_size"),
                             int_attribute("layout", {.first = 14}),
                             int_attribute("linear_before_reset")};
constexpr std::array kLstm = {floats_attribute("activation_alpha"),
                              floats_attribute("activation_beta"),
                              AttributeSchema{.name = "activations", .kind = AttributeKind::kStrings},
                              float_attribute("clip"),
                              string_attribute("direction"),
                              int_attribute("hidden_size"),
                              int_attribute("input_forget"),
                              int_attribute("layout", {.first = 14})};
constexpr std::array kRnn = {floats_attribute("activation_alpha"),
                             floats_attribute("activation_beta"),
                             AttributeSchema{.name = "activations", .kind = AttributeKind::kStrings},
                             float_attribute("clip"),
                             string_attribute("direction"),
                             int_attribute("hidden_size"),
                             int_attribute("layout", {.first = 14})};

// M?, cond?, carried values...: the first two may be "".
constexpr OperatorSchema loop_row() {
  OperatorSchema row =
      standard("Loop", {.min_inputs = 2, .max_inputs = 1024, .min_outputs = 0, .max_outputs = kUnlimited}, kLoop);
  row.optional_inputs = 0b11;
  return row;
}

Status refuse_old_scan(const Node& /*node*/) {
  return unsupported("Scan of opset 8, with a batch dimension, is not supported; that of opset 9 is");
}
constexpr OperatorSchema old_scan_row() {
  OperatorSchema row =
      standard("Scan", {.max_inputs = kUnlimited, .max_outputs = kUnlimited}, kOldScan, {.first = 8, .last = 8});
  row.max_inputs = 1024;  // finite, so that the first, sequence_lens, may be ""
  row.optional_inputs = 0b1;
  row.check = refuse_old_scan;
  return row;
}

constexpr std::array kRows = {
    standard("If", {.min_outputs = 1, .max_outputs = kUnlimited}, kIf),
    loop_row(),
    old_scan_row(),
    standard("Scan", {.max_inputs = kUnlimited, .max_outputs = kUnlimited}, kScan, {.first = 9}),
    // X, W, R, B?, sequence_lens?, initial_h? -> Y?, Y_h?
    standard("GRU", {.min_inputs = 3, .max_inputs = 6, .min_outputs = 0, .max_outputs = 2}, kGru),
    // X, W, R, B?, sequence_lens?, initial_h?, initial_c?, P? -> Y?, Y_h?, Y_c?
    standard("LSTM", {.min_inputs = 3, .max_inputs = 8, .min_outputs = 0, .max_outputs = 3}, kLstm),
    standard("RNN", {.min_inputs = 3, .max_inputs = 6, .min_outputs = 0, .max_outputs = 2}, kRnn),
};

}  // namespace

std::span<const OperatorSchema> control_schemas() { return kRows; }

}  // namespace assay::onnx
