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
enum class Calibration { kMinMax };

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
  Calibration calibration = Calibration::kMinMax;
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
