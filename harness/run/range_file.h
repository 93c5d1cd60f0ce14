// SPDX-License-Identifier: Apache-2.0
// Files of calibrated ranges. docs/calibration.md describes the forms, which are told apart by their content:
//   an object with "format": "assay-ranges": what write_ranges writes, with the model and the settings it is for
//   an object {tensor: [min, max]}
//   a list of {"name", "min", "max"} (numbers or lists of one), and lines NAME,MIN,MAX: tables as of TFLite tools
//   a text that begins with "TRT-": a TensorRT calibration cache; each range is [-127 scale, 127 scale]
#pragma once

#include <map>
#include <string>
#include <utility>

#include "engine/base/dtype.h"
#include "engine/base/result.h"
#include "harness/spec/axis.h"

namespace assay::run {

struct RangeFile {
  std::map<std::string, std::pair<double, double>> ranges;  // by tensor
  std::string model_digest;                                 // "" where the file does not state it
  spec::Json settings;  // {axis: value} of the calibration; null where the file does not state it
  // Made by another tool: it may name tensors that only that tool's model has.
  bool foreign = false;
};

// Errors: kIo; kInvalidArgument "FILE:LINE..." with the rule that the entry breaks, kUnsupported for another schema
// version.
Result<RangeFile> read_ranges(const std::string& path);

struct RangeFileText {
  std::map<std::string, std::pair<double, double>> ranges;
  std::string model_digest;
  spec::Json settings;
  Index samples = 0;
  std::string model;  // the file it was made of and the data, for people
  spec::Json data;
};

// A line for each tensor, in the order of their names, so that two files can be compared with diff.
std::string format_ranges(const RangeFileText& text);

// The calibration axes {axis: value} that the ranges depend on.
spec::Json calibration_settings(const spec::Configuration& configuration);

// An error naming the first axis that was set to another value than the one the ranges were calibrated with.
Status check_range_settings(const RangeFile& file, const std::string& path, const spec::Configuration& configuration);

}  // namespace assay::run
