// SPDX-License-Identifier: Apache-2.0
// The backend tests of ONNX as cases: folders with model.onnx and test_data_set_N/{input,output}_K.pb.
#pragma once

#include <string>

#include "harness/spec/case.h"

namespace assay::spec {

// One case for every data set of every test below `root`, in the order of their names: the test's folder relative to
// `root`, and the data set where there are several. Outputs are compared with the tolerances of data.json in the test's
// folder ({"rtol", "atol"}), else with those of ONNX's own runner. What this build does not have is skipped with its
// reason, and so is a test whose model is not in the tree.
// Errors: a folder that cannot be searched, or that holds no test.
CaseSet load_onnx_tests(const std::string& root);

}  // namespace assay::spec
