// SPDX-License-Identifier: Apache-2.0
// Reductions and what else looks along an axis: arg, top-k, cumulative sums. Reductions take their axes as an attribute
// before opset 18 (ReduceSum before 13) and as an input from then on.
#include <array>

#include "engine/onnx/ops/families.h"
#include "engine/onnx/ops/rows.h"

namespace assay::onnx {
namespace {

constexpr std::array kByAttribute = {ints_attribute("axes"), int_attribute("keepdims")};
constexpr std::array kByInput = {int_attribute("keepdims"), int_attribute("noop_with_empty_axes")};
constexpr Arity kWithAxes = {.min_inputs = 1, .max_inputs = 2};  // data, axes?

constexpr OperatorSchema by_attribute(std::string_view op_type, Index last = 17) {
  return standard(op_type, kUnary, kByAttribute, {.last = last});
}
constexpr OperatorSchema by_input(std::string_view op_type, Index first = 18) {
  return standard(op_type, kWithAxes, kByInput, {.first = first});
}

constexpr std::array kArg = {int_attribute("axis"), int_attribute("keepdims"),
                             int_attribute("select_last_index", {.first = 12})};
constexpr std::array kCumulative = {int_attribute("exclusive"), int_attribute("reverse")};
constexpr std::array kOldTopK = {int_attribute("axis"), required(int_attribute("k"))};
constexpr std::array kTopK = {int_attribute("axis"), int_attribute("largest", {.first = 11}),
                              int_attribute("sorted", {.first = 11})};

constexpr std::array kRows = {
    by_attribute("ReduceL1"),
    by_input("ReduceL1"),
    by_attribute("ReduceL2"),
    by_input("ReduceL2"),
    by_attribute("ReduceLogSum"),
    by_input("ReduceLogSum"),
    by_attribute("ReduceLogSumExp"),
    by_input("ReduceLogSumExp"),
    by_attribute("ReduceMax"),
    by_input("ReduceMax"),
    by_attribute("ReduceMean"),
    by_input("ReduceMean"),
    by_attribute("ReduceMin"),
    by_input("ReduceMin"),
    by_attribute("ReduceProd"),
    by_input("ReduceProd"),
    by_attribute("ReduceSum", 12),
    by_input("ReduceSum", 13),
    by_attribute("ReduceSumSquare"),
    by_input("ReduceSumSquare"),
    standard("ArgMax", kUnary, kArg),
    standard("ArgMin", kUnary, kArg),
    standard("CumProd", kBinary, kCumulative, {.first = 26}),
    // x, axis
    standard("CumSum", kBinary, kCumulative, {.first = 11}),
    standard("TopK", {.min_outputs = 2, .max_outputs = 2}, kOldTopK, {.last = 9}),
    // X, K -> Values, Indices
    standard("TopK", {.min_inputs = 2, .max_inputs = 2, .min_outputs = 2, .max_outputs = 2}, kTopK, {.first = 10}),
};

}  // namespace

std::span<const OperatorSchema> reduce_schemas() { return kRows; }

}  // namespace assay::onnx
