// SPDX-License-Identifier: Apache-2.0
// A case made from a model that exists: its configurations are run, and what they give with head room becomes the
// tolerances.
#pragma once

#include <functional>
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
  std::function<void(std::size_t done, std::size_t total)> on_progress = [](std::size_t, std::size_t) {};
};

struct NewCase {
  std::string text;                   // the case file
  std::vector<std::string> findings;  // which configurations have clearly larger errors, and why; also in text
  std::vector<reports::VariantResult> results;  // of its variants, held against its own tolerances
};

// The matrix that a case gets where none is asked for: the instruction sets whose arithmetic differs, with and without
// optimisation; a model that is quantized already is not quantized again.
std::vector<spec::Setting> default_matrix(bool quantized);

// Errors: a model or data that cannot be read, a name that no case can have, or a variant that could not be judged; the
// message says which and why. Variants of like errors share their tolerances (measured_checks.h); known faults are
// xfail with their cause.
Result<NewCase> make_case(const NewCaseOptions& options);

}  // namespace assay::run
