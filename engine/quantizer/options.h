// SPDX-License-Identifier: Apache-2.0
// The quantizer's settings: what the axes quantizer.* of a case mean.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/dtype.h"

namespace assay::quantizer {

enum class Format { kQdq, kQOperator };

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

// full: [-128,127]; narrow: [-127,127]. Unsigned 8-bit types always use [0,255].
enum class RangeKind { kFull, kNarrow };

struct TensorOverride {
  std::optional<DType> type;
  std::optional<double> scale;
  std::optional<Index> zero_point;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<bool> symmetric;
  std::optional<Index> axis;
};

struct Options {
  Format format = Format::kQdq;
  DType activation_type = DType::kUint8;
  DType weight_type = DType::kInt8;
  bool activation_symmetric = false;
  bool weight_symmetric = true;
  bool per_channel = false;
  bool reduce_range = false;  // weights only: int8 [-64,64], uint8 [0,127]
  CalibrationOptions calibration;
  RangeKind activation_range = RangeKind::kFull;
  RangeKind weight_range = RangeKind::kNarrow;
  ReluPolicy relu = ReluPolicy::kSafe;
  std::vector<std::string> op_types;           // empty: every type the quantizer knows
  std::vector<std::string> nodes_to_quantize;  // empty: all
  std::vector<std::string> nodes_to_exclude;
  std::map<std::string, TensorOverride> overrides;          // by tensor name
  std::map<std::string, std::pair<double, double>> ranges;  // by tensor name: [min, max] instead of calibration
};

}  // namespace assay::quantizer
