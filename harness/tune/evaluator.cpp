// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "harness/run/feed.h"
#include "harness/run/join_rows.h"
#include "harness/tune/node_costs.h"

namespace assay::tune {
namespace {

// A row that can be joined with others, also where a sample's output has no axis of samples.
Tensor with_first_axis(const Tensor& tensor) {
  return tensor.rank() < 2 ? tensor.reshaped({1, tensor.size()}) : tensor;
}

// What is not finite would be an error of every setting alike.
Status check_finite(const Tensor& tensor, const std::string& what) {
  const std::vector<double> values = tensor.to_doubles();
  const auto found = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  return found == values.end()
             ? Status()
             : invalid_argument(fmt::format("--target: {}: element {} is {}; finite values are needed", what,
                                            found - values.begin(), *found));
}

Result<Tensor> joined(const std::vector<api::NamedTensors>& by_sample, const std::string& output, std::size_t count) {
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < count; ++i) {
    parts.push_back(with_first_axis(by_sample[i].at(output)));
  }
  return run::join_rows(output, parts);
}

Result<Tensor> first_labels(const Tensor& labels, Index count) {
  return count < labels.dim(0) ? run::slice_rows(labels, 0, count) : Result<Tensor>(labels);
}

}  // namespace

Result<Evaluator> Evaluator::create(const api::Model& float_model, const api::CalibrationSource& samples,
                                    const Tensor& labels, const EvaluationSettings& settings) {
  Evaluator evaluator;
  evaluator.settings_ = settings;
  evaluator.labels_ = labels;
  ASSAY_TRY(evaluator.choose_outputs(float_model.graph()));
  ASSAY_TRY(evaluator.read_samples(samples));
  ASSAY_TRY(evaluator.find_costs(float_model));
  api::SessionOptions reference;
  reference.optimization = api::Optimization::kNone;
  reference.profile = {.isa = Isa::kScalar, .precision = Precision::kExact};
  ASSAY_ASSIGN(evaluator.reference_, evaluator.run_all(float_model, reference, 0));
  ASSAY_TRY(evaluator.check_reference());
  return evaluator;
}

// That the target can be missed at all: an output that is one constant, or has one class, is right whatever is done.
Status Evaluator::check_reference() {
  bool could_fail = false;
  for (const std::string& output : outputs_) {
    for (std::size_t i = 0; i < reference_.size(); ++i) {
      ASSAY_TRY(
          check_finite(reference_[i].at(output), fmt::format("sample {}: the float model's output '{}'", i, output)));
    }
    ASSAY_ASSIGN(const Tensor rows, joined(reference_, output, reference_.size()));
    could_fail = could_fail || compare::could_fail(rows, rows);
    ASSAY_ASSIGN(const double ideal, value_of(*settings_.target.metric, output, rows, rows));
    if (settings_.target.needs_labels()) {
      float_accuracy_ = ideal;
    }
  }
  return could_fail ? Status()
                    : invalid_argument(fmt::format("--target {}: the float model's output is one constant on these "
                                                   "samples, so no setting could miss the target",
                                                   settings_.target.text));
}

Status Evaluator::choose_outputs(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueInfo& info : graph.outputs) {
    names.push_back(info.name);
  }
  if (!settings_.output.empty()) {
    if (std::ranges::find(names, settings_.output) == names.end()) {
      return invalid_argument(fmt::format("--target-output: the model has no output '{}'; its outputs are: {}",
                                          settings_.output, fmt::join(names, ", ")));
    }
    outputs_ = {settings_.output};
  } else if (settings_.target.is_of_classes() && !names.empty()) {
    outputs_ = {names.front()};
  } else {
    outputs_ = names;
  }
  return outputs_.empty() ? invalid_argument("--target: the model has no outputs") : Status();
}

Status Evaluator::read_samples(const api::CalibrationSource& samples) {
  for (;;) {
    api::NamedTensors inputs;
    ASSAY_ASSIGN(const bool more, samples(static_cast<Index>(samples_.size()), inputs));
    if (!more) {
      break;
    }
    for (const auto& [name, tensor] : inputs) {
      ASSAY_TRY(check_finite(tensor, fmt::format("sample {}, input '{}'", samples_.size(), name)));
    }
    samples_.push_back(std::move(inputs));
  }
  if (samples_.empty()) {
    return invalid_argument("--target: the data to measure on has no samples");
  }
  if (settings_.target.needs_labels() &&
      (labels_.rank() != 1 || labels_.dim(0) != static_cast<Index>(samples_.size()))) {
    return invalid_argument(
        fmt::format("--labels: the data have {} samples, so labels of shape [{}] are needed, found {}", samples_.size(),
                    samples_.size(), labels_.empty() ? std::string("none") : shape_text(labels_.shape())));
  }
  return {};
}

Status Evaluator::find_costs(const api::Model& float_model) {
  api::SessionOptions options;
  options.optimization = api::Optimization::kNone;
  ASSAY_ASSIGN(const api::Session session, api::Session::create(float_model, options));
  ASSAY_ASSIGN(costs_, tune::node_costs(session, float_model.graph(), samples_.front()));
  return {};
}

Result<std::vector<api::NamedTensors>> Evaluator::run_all(const api::Model& model, const api::SessionOptions& options,
                                                          Index limit) const {
  const std::size_t count = limit > 0 ? std::min(samples_.size(), static_cast<std::size_t>(limit)) : samples_.size();
  std::vector<api::NamedTensors> outputs(count);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t failed = count;  // the lowest sample that failed, so that the error does not depend on the threads
  Error error;
  const auto fail = [&](std::size_t sample, const Error& found) {
    const std::lock_guard lock(mutex);
    if (sample < failed) {
      failed = sample;
      error = found;
    }
  };
  const auto work = [&] {
    const Result<api::Session> session = api::Session::create(model, options);
    if (!session.ok()) {
      fail(0, session.error());
      return;
    }
    for (std::size_t i = next++; i < count; i = next++) {
      Result<api::RunResult> ran = session.value().run(samples_[i]);
      if (!ran.ok()) {
        fail(i, ran.error());
        return;
      }
      for (const std::string& output : outputs_) {
        outputs[i][output] = ran.value().outputs.at(output);
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t workers = std::min(count, static_cast<std::size_t>(std::max(settings_.threads, 1)));
    for (std::size_t i = 1; i < workers; ++i) {
      threads.emplace_back(work);
    }
    work();
  }
  return failed < count ? Result<std::vector<api::NamedTensors>>(error) : std::move(outputs);
}

Result<double> Evaluator::value_of(const compare::Metric& metric, const std::string& output, const Tensor& actual,
                                   const Tensor& reference) const {
  compare::MetricOptions options;
  options.k = settings_.target.k;
  ASSAY_ASSIGN(const Tensor labels, labels_.empty() ? Result<Tensor>(labels_) : first_labels(labels_, actual.dim(0)));
  options.labels = labels.empty() ? nullptr : &labels;
  Result<compare::CheckResult> result =
      compare::evaluate(metric, {.actual = actual, .reference = reference, .options = options}, {});
  if (!result.ok()) {
    return Error{result.error().kind, fmt::format("output '{}': {}", output, result.error().message)};
  }
  return result.value().measured.value;
}

Result<Score> Evaluator::measure(const api::Model& model, Index limit) const {
  ASSAY_ASSIGN(const std::vector<api::NamedTensors> outputs, run_all(model, settings_.session, limit));
  const Target& target = settings_.target;
  Score score;
  for (const std::string& output : outputs_) {
    ASSAY_ASSIGN(const Tensor actual, joined(outputs, output, outputs.size()));
    ASSAY_ASSIGN(const Tensor reference, joined(reference_, output, outputs.size()));
    ASSAY_ASSIGN(double value, value_of(*target.metric, output, actual, reference));
    ASSAY_ASSIGN(const double sqnr, value_of(*compare::find_metric("sqnr_db"), output, actual, reference));
    if (target.drop) {
      value = 100 * (float_accuracy_ - value);
    }
    const bool first = &output == &outputs_.front();
    score.value = first || target.better(score.value, value) ? value : score.value;
    score.sqnr_db = first ? sqnr : std::min(score.sqnr_db, sqnr);
  }
  return score;
}

}  // namespace assay::tune
