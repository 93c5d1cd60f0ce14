// SPDX-License-Identifier: Apache-2.0
// The quantizer's settings: what the axes quantizer.* of a case mean.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/dtype.h"

namespace assay::quantizer {

// qdq, qoperator: static, see emit.h. dynamic: weights are quantized ahead, activations while the model runs
// (emit_dynamic.h). weight_only: integer weights behind DequantizeLinear, everything else float.
enum class Format { kQdq, kQOperator, kDynamic, kWeightOnly };

// How a range is chosen from what the samples show; engine/quantizer/calibration/ states each method's formula.
enum class Calibration { kMinMax, kMovingAverage, kPercentile, kEntropy, kMse, kMeanSigma };

// How many samples are collected at a time, where that matters: a moving average takes a step with each collection,
// and the histogram of percentile takes its bins from the first collection and grows with later ones.
inline constexpr Index kCollectAll = 0;    // all samples in one
inline constexpr Index kCollectAuto = -1;  // one by one for moving_average, all in one for the others

struct CalibrationOptions {
  Calibration method = Calibration::kMinMax;
  bool symmetric = false;                 // the calibrated range becomes [-m, m]; needs no symmetric quantization
  double percentile = 99.99;              // share of the values, in percent, that the range keeps
  Index bins = 2048;                      // of histograms; entropy and mse take the next power of two
  double moving_average_constant = 0.01;  // weight of a new collection
  double sigmas = 3;                      // mean_sigma: standard deviations on each side of the mean
  Index stride = kCollectAuto;            // samples in a collection
  int threads = 1;                        // samples run at the same time; the ranges do not depend on it
  // False: a value whose range quantization does not ask for, such as one in front of a folded clamp, gets its extremes
  // whatever the method, and is not counted.
  bool every_range = true;
  std::shared_ptr<const std::set<std::string>> asked;  // the values that get more; null: all
  // Where `Options::ranges` come from, for messages and checks.
  std::string ranges_file;          // "" where they stand in the options themselves
  std::string ranges_model_digest;  // of the model that they were calibrated on; "" if not stated
  bool ranges_are_foreign = false;  // another tool's: tensors that the model does not have are passed over
};

// What becomes of a Relu or Clip behind a quantized producer.
//   safe: folded into the producer's output quantization where the quantized range itself clamps (Relu: the zero point
//   is
//         the type's smallest value; Clip: its bounds are the ends of the range), and the producer's output has one
//         consumer and is no graph output. Else the clamp is kept without a quantization step in between.
//   drop: always folded, with the Relu's range given to the producer. Reproduces the reported fault.
//   keep: stays a node of its own, with its input and output both quantized.
enum class ReluPolicy { kSafe, kDrop, kKeep };

// full: [-128,127]; narrow: [-127,127] (int16 likewise); auto: narrow for symmetric ranges, else full. Other types have
// one range only.
enum class RangeKind { kFull, kNarrow, kAuto };

// One channel of a weight whose scales are given one by one.
struct ChannelSetting {
  std::optional<double> scale;
  std::optional<Index> zero_point;
  std::optional<double> min;
  std::optional<double> max;
};

struct TensorOverride {
  std::optional<DType> type;
  std::optional<double> scale;
  std::optional<Index> zero_point;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<bool> symmetric;
  std::optional<Index> axis;
  std::optional<bool> reduce_range;
  std::vector<ChannelSetting> channels;  // empty: the settings above hold for every channel
};

struct Options {
  Format format = Format::kQdq;
  DType activation_type = DType::kUint8;  // int8, uint8, int16, uint16
  DType weight_type = DType::kInt8;       // and int4, uint4
  bool activation_symmetric = false;
  // uint8 only: the zero point is 0 where nothing is negative, else 128; the scale is such that nothing is cut off.
  bool activation_restricted = false;
  bool weight_symmetric = true;
  bool per_channel = false;
  bool reduce_range = false;  // constants only: int8 [-64,64], uint8 [0,127]
  CalibrationOptions calibration;
  RangeKind activation_range = RangeKind::kFull;
  RangeKind weight_range = RangeKind::kNarrow;
  double minimum_real_range = 0;  // max is raised to at least min + this
  ReluPolicy relu = ReluPolicy::kSafe;
  std::vector<std::string> op_types;           // empty: those that operators.cpp marks
  std::vector<std::string> nodes_to_quantize;  // empty: all
  std::vector<std::string> nodes_to_exclude;
  std::vector<std::string> exclude_output_op_types;         // static formats: outputs of these stay float
  std::map<std::string, TensorOverride> overrides;          // by tensor name
  std::map<std::string, std::pair<double, double>> ranges;  // by tensor name: [min, max] instead of calibration
  std::map<std::string, Index> channel_axes;                // by op type: MatMul and the normalizations
  bool force_layout_ops = false;   // nodes that only move data are quantized behind float values too
  bool matmul_const_only = false;  // MatMul without a constant second operand stays float
  bool quantize_bias = true;       // QDQ
  bool bias_guard = true;          // raise weight scales that are too small for the bias (bias.h)
  bool weight_qdq = false;         // QDQ: float weights behind QuantizeLinear, DequantizeLinear
  bool dedicated_qdq = false;      // QDQ: a pair of its own for every consumer
  bool contrib_qdq = false;        // QDQ: QuantizeLinear and DequantizeLinear of com.microsoft
  bool sigmoid_fixed = false;      // QOperator: Sigmoid's output has scale 1/256 and zero point 0
  Index block_size = 0;            // QDQ and weight_only: rank-2 weights have a scale per block of so many rows
  bool subgraphs = true;           // bodies of If, Loop and Scan are quantized too

  // What is done to the float model before it is quantized (prepare/), in this order.
  bool fold_constants = true;            // nodes whose inputs are constants are computed
  bool fold_batch_normalization = true;  // into the Conv in front
  bool fuse_bias = true;                 // static formats: Add of a constant behind Conv, Gemm, MatMul becomes a bias
  bool equalize = false;                 // cross-layer equalization
  bool smooth_quant = false;             // static and dynamic formats; needs calibration data
  double smooth_quant_alpha = 0.5;       // 0: weights keep their ranges, 1: activations have even ranges
  bool bias_correction = false;          // static formats and weight_only; needs calibration data
};

// Whether the format has quantized activations whose ranges must be known.
inline bool needs_ranges(const Options& options) {
  return options.format == Format::kQdq || options.format == Format::kQOperator;
}

// Whether calibration data is needed even where the ranges are given. False for settings that check_options() refuses
// whatever the data.
inline bool needs_samples(const Options& options) {
  return (options.smooth_quant && options.format != Format::kWeightOnly) ||
         (options.bias_correction && options.format != Format::kDynamic);
}

}  // namespace assay::quantizer
