// SPDX-License-Identifier: Apache-2.0
// Recorded results of ONNX Runtime (tests/probes/README.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/ir/tensor.h"

namespace assay::test {

// One recorded run of a probe.
struct ProbeResult {
  std::string key;                   // "avx2.disabled"
  std::string tier;                  // "avx2"
  std::string variant;               // "disabled", "default"
  std::string level;                 // the peer's optimisation level: "disabled", "basic", "extended", "all"
  bool plain = true;                 // no session options, or the same bytes as the run without them
  std::string error;                 // the peer's message where it refused the model
  std::vector<std::string> outputs;  // paths, in the order of the graph's outputs
};

struct Probe {
  std::string family;
  std::string name;
  std::string folder;
  std::vector<std::string> inputs;  // names
  std::vector<std::string> input_files;
  std::vector<std::string> output_names;
  std::vector<ProbeResult> results;

  std::string model_path() const { return folder + "/model.onnx"; }
  std::string path() const { return family + "/" + name; }
};

// Every probe of a folder, sorted by path.
Result<std::vector<Probe>> load_probes(const std::filesystem::path& folder);

}  // namespace assay::test
