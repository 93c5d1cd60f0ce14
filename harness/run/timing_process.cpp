// SPDX-License-Identifier: Apache-2.0
#include "harness/run/timing_process.h"

#include <map>
#include <memory>

#include "harness/measure/machine_state.h"
#include "harness/measure/statistics.h"
#include "harness/measure/timing_engine.h"
#include "harness/run/execution.h"
#include "harness/run/graph_facts.h"
#include "harness/run/settings.h"

namespace assay::run {
namespace {

using spec::Configuration;

// One session with its inputs, kept while it is timed.
struct Timed {
  std::shared_ptr<RuntimeSession> session;
  api::NamedTensors inputs;
  Index batch = 0;
  std::string error;     // why it is timed no further
  bool crashed = false;  // the adapter died of it
};

Status prepare(Execution& execution, const Configuration& configuration, Timed& timed) {
  const std::optional<Index> batch = batch_size(configuration);
  ASSAY_ASSIGN(const std::shared_ptr<const PreparedModel> model, execution.prepared(configuration));
  ASSAY_ASSIGN(timed.session, open_session(model->model, configuration, execution.host()));
  ASSAY_ASSIGN(const CaseData* data, execution.data(batch.has_value()));
  ASSAY_ASSIGN(FeedPlan plan, plan_feed(model->model.graph(), data->inputs, batch, data->dataset()));
  if (plan.samples > 0 && !batch && !plan.padded) {
    plan.batch = 1;
  }
  ASSAY_ASSIGN(timed.inputs, first_batch(data->inputs, plan));
  timed.batch = plan.samples > 0 ? plan.batch : 1;
  return {};
}

// After its first failure nothing of it is called again: others share its adapter.
void note_failure(Timed& timed, RuntimeHost& host, const Status& status) {
  timed.crashed = host.take_crash().has_value() || timed.crashed;
  if (!status.ok()) {
    timed.error = status.error().message;
  }
}

std::unique_ptr<Timed> make_timed(Execution& execution, const Configuration& configuration) {
  auto timed = std::make_unique<Timed>();
  note_failure(*timed, execution.host(), prepare(execution, configuration, *timed));
  return timed;
}

// The float model at its best, fed like the variant.
Configuration float_twin(const Configuration& configuration) {
  Configuration twin;
  twin.set("quantizer.format", "none");
  for (const char* axis : {"runtime.threads", "runtime.batch"}) {
    twin.set(axis, configuration.get(axis));
  }
  return twin;
}

Status run_once(Timed& timed) {
  ASSAY_TRY(timed.session->run(timed.inputs));
  return {};
}

Result<measure::OwnTime> time_once(Timed& timed) {
  ASSAY_ASSIGN(const std::optional<RunTime> time, timed.session->timed_run(timed.inputs));
  if (!time) {
    return internal_error("an external runtime gave no time");
  }
  return measure::OwnTime{time->real_s, time->cpu_s};
}

measure::TimedCall call_of(const std::string& name, Timed& timed, RuntimeHost& host) {
  measure::TimedCall call;
  call.name = name;
  call.call = [&timed, &host]() -> Status {
    if (!timed.error.empty()) {
      return invalid_argument(timed.error);
    }
    if (timed.session->own() != nullptr) {
      return run_once(timed);
    }
    const Status status = run_once(timed);
    note_failure(timed, host, status);
    return status;
  };
  if (timed.session != nullptr && timed.session->own() == nullptr) {
    call.timed_elsewhere = [&timed, &host]() -> Result<measure::OwnTime> {
      if (!timed.error.empty()) {
        return invalid_argument(timed.error);
      }
      Result<measure::OwnTime> time = time_once(timed);
      note_failure(timed, host, time.ok() ? Status() : Status(time.error()));
      return time;
    };
  }
  return call;
}

Json answer_of(const measure::TimedSamples& samples, const Timed& timed) {
  Json json = Json::object();
  json["real"] = samples.real_ns;
  json["cpu"] = samples.cpu_ns;
  json["iterations"] = samples.iterations;
  const api::Session* own = timed.session == nullptr ? nullptr : timed.session->own();
  json["operations"] = own == nullptr ? 0 : 2 * own->multiply_accumulates();
  json["batch"] = timed.batch;
  json["float_median_ns"] = nullptr;
  json["error"] = samples.error;
  json["crashed"] = timed.crashed;
  return json;
}

}  // namespace

Json time_variants(const Selection& selection, const std::vector<std::size_t>& positions,
                   const TimingSettings& settings, RuntimeHost& host) {
  Json times = Json::array();
  if (positions.empty()) {
    return {{"times", times}};
  }
  Execution execution(selection.case_of(positions.front()), host);
  const Result<api::Model> model = execution.model();
  const bool float_model = model.ok() && !is_qdq_model(model.value().graph());
  std::vector<std::unique_ptr<Timed>> timed;
  std::vector<measure::TimedCall> calls;
  for (const std::size_t position : positions) {
    const std::shared_ptr<const spec::Variant> variant = selection.variant(position);
    timed.push_back(make_timed(execution, variant->configuration));
    calls.push_back(call_of(variant->name, *timed.back(), host));
  }
  // One float twin for all variants with the same threads and batch.
  std::map<std::string, std::size_t> twins;
  std::vector<std::size_t> twin_of;
  for (const std::size_t position : positions) {
    const std::shared_ptr<const spec::Variant> variant = selection.variant(position);
    const Configuration& configuration = variant->configuration;
    if (!float_model) {
      continue;
    }
    const std::string key =
        configuration.get("runtime.threads").dump() + "/" + configuration.get("runtime.batch").dump();
    const auto [twin, added] = twins.try_emplace(key, calls.size());
    twin_of.push_back(twin->second);
    if (added) {
      timed.push_back(make_timed(execution, float_twin(configuration)));
      calls.push_back(call_of("float", *timed.back(), host));
    }
  }
  const std::vector<measure::TimedSamples> samples = measure::time_calls(
      calls, {.repetitions = settings.repetitions, .min_time_s = settings.min_time_s, .limit_s = settings.limit_s});
  const std::optional<double> mhz = measure::processor_mhz();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    Json answer = answer_of(samples[i], *timed[i]);
    answer["mhz"] = mhz ? Json(*mhz) : Json(nullptr);
    if (float_model && samples[twin_of[i]].error.empty()) {
      answer["float_median_ns"] = measure::median(samples[twin_of[i]].real_ns);
    }
    times.push_back(std::move(answer));
  }
  return {{"times", times}};
}

}  // namespace assay::run
