// SPDX-License-Identifier: Apache-2.0
// Operators that pick, place, cut and repeat elements.
#include <array>

#include "engine/onnx/ops/families.h"
#include "engine/onnx/ops/rows.h"

namespace assay::onnx {
namespace {

constexpr Arity kTernary = {.min_inputs = 3, .max_inputs = 3};
constexpr Arity kManyOutputs = {.min_outputs = 1, .max_outputs = kUnlimited};

constexpr std::array kAxis = {int_attribute("axis")};
constexpr std::array kGatherNd = {int_attribute("batch_dims", {.first = 12})};
constexpr std::array kScatter = {int_attribute("axis"), string_attribute("reduction", {.first = 16})};
constexpr std::array kScatterNd = {string_attribute("reduction", {.first = 16})};
constexpr std::array kOldSlice = {ints_attribute("axes"), required(ints_attribute("ends")),
                                  required(ints_attribute("starts"))};
constexpr std::array kOldSplit = {int_attribute("axis"), ints_attribute("split")};
constexpr std::array kSplit = {int_attribute("axis"), int_attribute("num_outputs", {.first = 18})};
constexpr std::array kDepthToSpace = {required(int_attribute("blocksize")), string_attribute("mode", {.first = 11})};
constexpr std::array kSpaceToDepth = {required(int_attribute("blocksize")), string_attribute("mode", {.first = 28})};
constexpr std::array kOldUpsample = {string_attribute("mode"), required(floats_attribute("scales"))};
constexpr std::array kUpsample = {string_attribute("mode")};
constexpr std::array kResize = {
    int_attribute("antialias", {.first = 18}),
    ints_attribute("axes", {.first = 18}),
    string_attribute("coordinate_transformation_mode", {.first = 11}),
    float_attribute("cubic_coeff_a", {.first = 11}),
    int_attribute("exclude_outside", {.first = 11}),
    float_attribute("extrapolation_value", {.first = 11}),
    string_attribute("keep_aspect_ratio_policy", {.first = 18}),
    string_attribute("mode"),
    string_attribute("nearest_mode", {.first = 11}),
};
constexpr std::array kTrilu = {int_attribute("upper")};
constexpr std::array kReverse = {int_attribute("batch_axis"), int_attribute("time_axis")};

// X, roi, scales, sizes?; from 13 on all but X optional. roi and scales may be "".
constexpr OperatorSchema resize_11() {
  OperatorSchema row = standard("Resize", {.min_inputs = 3, .max_inputs = 4}, kResize, {.first = 11, .last = 12});
  row.optional_inputs = 0b0110;
  return row;
}

constexpr std::array kRows = {
    standard("Compress", kBinary, kAxis, {.first = 9}),
    standard("DepthToSpace", kUnary, kDepthToSpace),
    // input, shape
    standard("Expand", kBinary, {}, {.first = 8}),
    // data, indices
    standard("Gather", kBinary, kAxis),
    standard("GatherElements", kBinary, kAxis, {.first = 11}),
    standard("GatherND", kBinary, kGatherNd, {.first = 11}),
    standard("Resize", kBinary, kUpsample, {.first = 10, .last = 10}),
    resize_11(),
    standard("Resize", {.min_inputs = 1, .max_inputs = 4}, kResize, {.first = 13}),
    standard("ReverseSequence", kBinary, kReverse, {.first = 10}),
    // data, indices, updates
    standard("Scatter", kTernary, kAxis, {.first = 9, .last = 10}),
    standard("ScatterElements", kTernary, kScatter, {.first = 11}),
    standard("ScatterND", kTernary, kScatterNd, {.first = 11}),
    standard("Slice", kUnary, kOldSlice, {.last = 9}),
    // data, starts, ends, axes?, steps?
    standard("Slice", {.min_inputs = 3, .max_inputs = 5}, {}, {.first = 10}),
    standard("SpaceToDepth", kUnary, kSpaceToDepth),
    standard("Split", kManyOutputs, kOldSplit, {.last = 12}),
    // input, split?
    standard("Split", {.max_inputs = 2, .max_outputs = kUnlimited}, kSplit, {.first = 13}),
    // input, repeats
    standard("Tile", kBinary),
    // input, k?
    standard("Trilu", {.min_inputs = 1, .max_inputs = 2}, kTrilu, {.first = 14}),
    standard("Upsample", kUnary, kOldUpsample, {.last = 8}),
    standard("Upsample", kBinary, kUpsample, {.first = 9, .last = 9}),
};

}  // namespace

std::span<const OperatorSchema> indexing_schemas() { return kRows; }

}  // namespace assay::onnx
