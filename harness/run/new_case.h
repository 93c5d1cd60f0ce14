// SPDX-License-Identifier: Apache-2.0
// A case made from a model that exists: its configurations are run, and what they give with head room becomes the
// tolerances.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "harness/spec/axis.h"
#include "harness/spec/case.h"
#include "reports/record.h"

namespace assay::run {

struct NewCaseOptions {
  std::string model;                // .onnx
  std::string file;                 // where the case is to stand; paths in it are relative to its folder
  std::string name;                 // "": that of the file, or of the model
  std::vector<std::string> inputs;  // NAME=FILE.npy for every input; or a folder with input_K; {}: random values
  std::string labels;               // .npy: the inputs are a labelled data set
  std::string calibration;  // as quantizer calibration in a case; "": the inputs, or of a data set its first 100
  std::vector<spec::Setting> matrix;
  double headroom = 1.5;  // tolerances are so many times what was measured, at least 1
};

struct NewCase {
  std::string text;                             // the case file
  std::vector<reports::VariantResult> results;  // of its variants, held against its own tolerances
};

// The matrix that a case gets where none is asked for: the instruction sets whose arithmetic differs, with and without
// optimisation; a model that is quantized already is not quantized again.
std::vector<spec::Setting> default_matrix(bool quantized);

// Errors: a model or data that cannot be read, a name that no case can have, or a variant that could not be judged; the
// message says which and why.
Result<NewCase> make_case(const NewCaseOptions& options);

// The checks that results of one matrix keep with head room, as entries of `expect`. Instruction sets whose errors are
// more than twice those of the best have checks of their own.
spec::Json measured_expectations(const std::vector<reports::VariantResult>& results, double headroom);

}  // namespace assay::run
