// SPDX-License-Identifier: Apache-2.0
// Tensors out of the data sources of a case. docs/case-language.md states what each source makes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/quantize.h"
#include "harness/spec/case.h"

namespace assay::spec {

// What the tensor is for and what it has to fit.
struct Target {
  std::string what;                 // "input 'x'": begins messages
  DType dtype = DType::kUndefined;  // kUndefined: whatever the source has (float32 for generated values)
  bool has_shape = false;
  std::vector<Dim> dims;
  bool first_axis_free = false;  // samples: the first dimension may differ from the graph's
  std::string seed_name;         // "case/input": random sources without a seed hash it
};

struct SourceTensor {
  Tensor tensor;
  std::optional<std::uint64_t> seed;  // of a random source
};

// Errors carry FILE:LINE:COLUMN and name the target, the rule, and for shapes both shapes.
Result<SourceTensor> make_tensor(const DataSource& source, const Target& target);

struct LoadedInputs {
  api::NamedTensors tensors;
  std::map<std::string, std::uint64_t> seeds;  // by input
};
// The case's `inputs` for the graph: every input must be given, and no other. `batched`: runtime.batch is a number, so
// the first axis of every input may have any length.
Result<LoadedInputs> load_inputs(const Case& test_case, const Graph& graph, bool batched);

struct LoadedDataset {
  api::NamedTensors inputs;  // samples on the first axis
  Tensor labels;             // int64, [samples]
  Index samples = 0;
  std::map<std::string, std::uint64_t> seeds;
};
Result<LoadedDataset> load_dataset(const Case& test_case, const Graph& graph);

// The case's calibration samples, one at a time. A case without `calibration` is calibrated on its `inputs`.
Result<api::CalibrationSource> open_calibration(const Case& test_case, const Graph& graph);
// Seeds of random calibration sources, by input and sample: {"x", 0} -> seed. For the record.
Result<std::map<std::pair<std::string, Index>, std::uint64_t>> calibration_seeds(const Case& test_case);

// The values of `assay quantize --calibration`: an .npz with one array per input, samples stacked on a new first axis;
// a folder with test_data_set_N/input_K.pb (or .npy); or NAME=FILE.npy for each input, stacked likewise.
Result<api::CalibrationSource> open_calibration_data(const std::vector<std::string>& data, const Graph& graph);

// A tensor of an ONNX test as the graph declares it: onnx up to 1.12 stored bfloat16 as uint16.
Result<Tensor> as_declared(const Tensor& tensor, const ValueInfo& info);
// Stored outputs, one for each of the graph: FOLDER/output_N.npy or .pb for the N-th (or FOLDER/<output>.npy as `assay
// infer` writes it); the arrays of an .npz by the output's name or output_N; an .npy or .pb of the only output; or a
// file for each output.
Result<api::NamedTensors> load_golden(const GoldenReference& golden, const Graph& graph);
// Whether a folder of test data holds outputs.
bool has_golden_outputs(const std::string& folder);
// {"values": {output: [...]}} in the type of the output; flat values take its shape, nested ones have their own.
// `actual` are the outputs to be compared.
Result<api::NamedTensors> reference_values(const ValuesReference& reference, const api::NamedTensors& actual);

// .npy of any type and either order; anything else is refused with the reason.
Result<Tensor> load_npy(const std::string& path);
Status save_npy(const std::string& path, const Tensor& tensor);

}  // namespace assay::spec
