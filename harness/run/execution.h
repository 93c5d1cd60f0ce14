// SPDX-License-Identifier: Apache-2.0
// What is prepared for a variant and kept for the next ones of the same case: model, data, quantized model, reference.
// One per process; only ever for one case at a time.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/quantize.h"
#include "engine/api/session.h"
#include "harness/run/external/runtime_host.h"
#include "harness/run/feed.h"
#include "harness/spec/case.h"
#include "harness/spec/data_source.h"
#include "harness/spec/expand.h"

namespace assay::run {

// The data that variants are fed: the case's inputs or its data set.
struct CaseData {
  api::NamedTensors inputs;
  std::optional<Tensor> labels;  // int64, one per sample, of a data set
  std::map<std::string, std::uint64_t> seeds;
  bool dataset() const { return labels.has_value(); }
};

// The model that a variant runs, and what quantizing it had to say.
struct PreparedModel {
  api::Model model;
  std::vector<std::string> warnings;
  std::map<std::string, std::uint64_t> seeds;  // of calibration data
};

class Execution {
 public:
  // `host` outlives the execution.
  Execution(const spec::Case& test_case, RuntimeHost& host) : case_(test_case), host_(host) {}

  const spec::Case& test_case() const { return case_; }
  RuntimeHost& host() const { return host_; }
  // The case's own model.
  Result<api::Model> model();
  Result<const CaseData*> data(bool batched);
  // The case's model quantized as the configuration says. A QDQ model that is to be quantized to QDQ with uint8
  // activations is converted from int8 instead.
  Result<std::shared_ptr<const PreparedModel>> prepared(const spec::Configuration& configuration);
  // Whether a configuration calibrates the model on other data than the case's inputs, and could on those; never of
  // data sets, which are large.
  bool can_calibrate_on_inputs(const spec::Configuration& configuration);
  // The case's model quantized and calibrated on its inputs.
  Result<std::shared_ptr<const PreparedModel>> prepared_on_inputs(const spec::Configuration& configuration);
  // The outputs that a variant is compared with. `actual`: its own outputs.
  Result<api::NamedTensors> reference(const spec::Configuration& configuration, const api::NamedTensors& actual);
  // Runs the configuration on the case's data.
  Result<api::NamedTensors> outputs_of(const spec::Configuration& configuration);
  // The same, kept for the next variants of the case.
  Result<const api::NamedTensors*> kept_outputs(const spec::Configuration& configuration);

 private:
  // `calibrated`: whose calibration is used.
  Result<PreparedModel> prepare(const spec::Configuration& configuration, const spec::Case& calibrated);
  bool converts(const spec::Configuration& configuration, const Graph& graph) const;

  const spec::Case& case_;
  RuntimeHost& host_;
  std::optional<api::Model> model_;
  std::map<bool, CaseData> data_;                                                      // by `batched`
  std::deque<std::pair<std::string, std::shared_ptr<const PreparedModel>>> prepared_;  // most recent last
  std::pair<std::string, std::shared_ptr<const PreparedModel>> on_inputs_;             // the last one
  std::map<std::string, api::NamedTensors> kept_;                                      // outputs by configuration
};

}  // namespace assay::run
