// SPDX-License-Identifier: Apache-2.0
// Measures a quantized model on samples that are in memory: its outputs against the float model's, or against labels.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/api/quantize.h"
#include "harness/tune/target.h"

namespace assay::tune {

struct Score {
  double value = 0;    // of the target's metric; the worst of the outputs
  double sqnr_db = 0;  // of the same outputs against the float model; the least
};

struct EvaluationSettings {
  Target target;
  api::SessionOptions session;  // how the quantized models run
  std::string output = {};      // the only output that counts; "": all (the first, where its rows are classes)
  int threads = 1;              // samples at a time; no result depends on it
};

class Evaluator {
 public:
  // Reads every sample and runs the float model (optimization none, ISA scalar) on it. Errors: those of the source and
  // of the session; no samples; labels that do not fit; an output that the model does not have or that cannot be
  // measured; inputs or float outputs that are not finite; outputs on which no setting could miss the target.
  static Result<Evaluator> create(const api::Model& float_model, const api::CalibrationSource& samples,
                                  const Tensor& labels, const EvaluationSettings& settings);

  // Over the first `limit` samples (0: all). Errors: the model cannot be planned or run, or its outputs not be
  // measured.
  Result<Score> measure(const api::Model& model, Index limit = 0) const;

  Index samples() const { return static_cast<Index>(samples_.size()); }
  double float_accuracy() const { return float_accuracy_; }  // top-1; 0 without labels
  // Multiply-accumulates of each node of the float model on the first sample, by node name; nodes without are left out.
  const std::map<std::string, double>& node_costs() const { return costs_; }

 private:
  // The outputs that count, by sample.
  Result<std::vector<api::NamedTensors>> run_all(const api::Model& model, const api::SessionOptions& options,
                                                 Index limit) const;
  Status read_samples(const api::CalibrationSource& samples);
  Status choose_outputs(const Graph& graph);
  Status check_reference();
  Status find_costs(const api::Model& float_model);
  Result<double> value_of(const compare::Metric& metric, const std::string& output, const Tensor& actual,
                          const Tensor& reference) const;

  EvaluationSettings settings_;
  std::vector<std::string> outputs_;  // those that count
  std::vector<api::NamedTensors> samples_;
  Tensor labels_;
  std::vector<api::NamedTensors> reference_;  // by sample
  double float_accuracy_ = 0;
  std::map<std::string, double> costs_;
};

}  // namespace assay::tune
