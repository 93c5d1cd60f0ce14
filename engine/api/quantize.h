// SPDX-License-Identifier: Apache-2.0
// Quantization of a float model: calibrate by running it (static formats), choose scales, rewrite.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/api/session.h"
#include "engine/quantizer/options.h"

namespace assay::api {

// Gives calibration sample `position` (from 0) by filling the empty `inputs` and returning true, or returns false where
// there are no more. Samples are asked for one at a time, in order, and not kept; methods with histograms ask for all
// of them a second time, which must be the same.
using CalibrationSource = std::function<Result<bool>(Index position, NamedTensors& inputs)>;

// What became of one node of the float model.
struct NodeDecision {
  std::string node;
  std::string op_type;
  bool quantized = false;
  std::string reason;  // why it stayed float, or how its clamp is done ("folded: zero point 0 is qmin", ...)
};

// The parameters chosen for one tensor.
struct TensorParams {
  std::string tensor;
  DType dtype = DType::kUndefined;
  std::vector<double> scales;      // one, or one per channel
  std::vector<Index> zero_points;  // as many
  Index axis = -1;                 // -1: per tensor
  double min = 0;                  // observed range (per tensor)
  double max = 0;
};

struct QuantizeResult {
  Model model;
  std::vector<std::string> warnings;  // each names the node concerned
  std::vector<NodeDecision> nodes;
  std::vector<TensorParams> tensors;
  Index samples = 0;
  // What calibration found, by tensor, also where no range was needed; values that were not finite are left out. Given
  // ranges are repeated.
  std::map<std::string, std::pair<double, double>> ranges = {};
  std::string model_digest = "";              // graph_digest of the float model
  std::vector<std::string> preparation = {};  // what was done to the float model first, a line each
};

// Whether calibration data is needed: for the ranges of a static format that are not given, and for smooth_quant and
// bias_correction.
bool needs_calibration(const quantizer::Options& options);

// Errors: kInvalidArgument (options that contradict each other, unknown node or tensor names, no samples, NaN or
// infinity in calibration data), kUnsupported, kInvalidModel.
Result<QuantizeResult> quantize(const Model& model, const CalibrationSource& calibration,
                                const quantizer::Options& options);

// Rewrites an already quantized QDQ model from int8 to uint8 throughout: zero points and constant data +128.
// The dequantized values are unchanged, so the result equals the input model at optimization `none`.
Result<QuantizeResult> convert_s8_to_u8(const Model& model);

}  // namespace assay::api
