// SPDX-License-Identifier: Apache-2.0
#include "harness/run/execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/run/graph_facts.h"
#include "harness/run/settings.h"
#include "harness/spec/model_source.h"

namespace assay::run {
namespace {

using spec::Configuration;

// Quantized models kept: variants come sorted by quantizer settings, so the last few are enough.
constexpr std::size_t kKeptModels = 4;

std::string configuration_key(const Configuration& configuration) {
  std::string key;
  for (const auto& [axis, value] : spec::effective_values(configuration)) {
    key += axis + "=" + value.dump() + "\n";
  }
  return key;
}

Result<std::map<std::string, std::uint64_t>> named_calibration_seeds(const spec::Case& test_case) {
  std::map<std::string, std::uint64_t> named;
  ASSAY_ASSIGN(const auto seeds, spec::calibration_seeds(test_case));
  for (const auto& [key, seed] : seeds) {
    named[fmt::format("calibration/{}/{}", key.first, key.second)] = seed;
  }
  return named;
}

}  // namespace

Result<api::Model> Execution::model() {
  if (!model_) {
    ASSAY_ASSIGN(model_, spec::load_model(case_));
  }
  return *model_;
}

Result<const CaseData*> Execution::data(bool batched) {
  if (const auto known = data_.find(batched); known != data_.end()) {
    return &known->second;
  }
  ASSAY_ASSIGN(const api::Model loaded, model());
  CaseData data;
  if (case_.dataset) {
    ASSAY_ASSIGN(spec::LoadedDataset dataset, spec::load_dataset(case_, loaded.graph()));
    data = {std::move(dataset.inputs), std::move(dataset.labels), std::move(dataset.seeds)};
  } else {
    ASSAY_ASSIGN(spec::LoadedInputs inputs, spec::load_inputs(case_, loaded.graph(), batched));
    data = {std::move(inputs.tensors), std::nullopt, std::move(inputs.seeds)};
  }
  return &(data_[batched] = std::move(data));
}

// A QDQ model is not quantized again: int8 becomes uint8.
bool Execution::converts(const Configuration& configuration, const Graph& graph) const {
  return is_qdq_model(graph) && configuration.text("quantizer.format") == "qdq" &&
         configuration.text("quantizer.activation_type") == "uint8";
}

bool Execution::can_calibrate_on_inputs(const Configuration& configuration) {
  const Result<api::Model> loaded = model();
  const bool has_own = !case_.calibration.empty() || !case_.calibration_data.empty();
  return loaded.ok() && has_own && !case_.dataset && spec::find_axis("quantizer.calibration")->applies(configuration) &&
         !converts(configuration, loaded.value().graph());
}

Result<std::shared_ptr<const PreparedModel>> Execution::prepared_on_inputs(const Configuration& configuration) {
  const std::string key = quantizer_key(configuration);
  if (on_inputs_.first != key || on_inputs_.second == nullptr) {
    spec::Case on_inputs = case_;
    on_inputs.calibration.clear();
    on_inputs.calibration_data.clear();
    ASSAY_ASSIGN(PreparedModel fresh, prepare(configuration, on_inputs));
    on_inputs_ = {key, std::make_shared<const PreparedModel>(std::move(fresh))};
  }
  return on_inputs_.second;
}

Result<PreparedModel> Execution::prepare(const Configuration& configuration, const spec::Case& calibrated) {
  ASSAY_ASSIGN(const api::Model loaded, model());
  if (!quantizes(configuration)) {
    return PreparedModel{loaded, {}, {}};
  }
  ASSAY_ASSIGN(quantizer::Options options, quantizer_options(configuration, case_.folder));
  options.calibration.every_range = false;
  if (converts(configuration, loaded.graph())) {
    ASSAY_ASSIGN(api::QuantizeResult converted, api::convert_s8_to_u8(loaded));
    return PreparedModel{converted.model, std::move(converted.warnings), {}};
  }
  ASSAY_ASSIGN(const api::CalibrationSource calibration, spec::open_calibration(calibrated, loaded.graph()));
  ASSAY_ASSIGN(api::QuantizeResult quantized, api::quantize(loaded, calibration, options));
  ASSAY_ASSIGN(auto seeds, named_calibration_seeds(calibrated));
  return PreparedModel{quantized.model, std::move(quantized.warnings), std::move(seeds)};
}

Result<std::shared_ptr<const PreparedModel>> Execution::prepared(const Configuration& configuration) {
  const std::string key = quantizer_key(configuration);
  for (const auto& [known, value] : prepared_) {
    if (known == key) {
      return value;
    }
  }
  ASSAY_ASSIGN(PreparedModel fresh, prepare(configuration, case_));
  if (prepared_.size() == kKeptModels) {
    prepared_.pop_front();
  }
  return prepared_.emplace_back(key, std::make_shared<const PreparedModel>(std::move(fresh))).second;
}

Result<api::NamedTensors> Execution::outputs_of(const Configuration& configuration) {
  const std::optional<Index> batch = batch_size(configuration);
  ASSAY_ASSIGN(const CaseData* inputs, data(batch.has_value()));
  ASSAY_ASSIGN(const std::shared_ptr<const PreparedModel> model, prepared(configuration));
  ASSAY_ASSIGN(const std::shared_ptr<RuntimeSession> session, open_session(model->model, configuration, host_));
  ASSAY_ASSIGN(const FeedPlan plan, plan_feed(model->model.graph(), inputs->inputs, batch, inputs->dataset()));
  ASSAY_ASSIGN(api::RunResult result, feed(*session, inputs->inputs, plan));
  return std::move(result.outputs);
}

Result<const api::NamedTensors*> Execution::kept_outputs(const Configuration& configuration) {
  const std::string key = configuration_key(configuration);
  if (const auto known = kept_.find(key); known != kept_.end()) {
    return &known->second;
  }
  ASSAY_ASSIGN(api::NamedTensors outputs, outputs_of(configuration));
  return &(kept_[key] = std::move(outputs));
}

Result<api::NamedTensors> Execution::reference(const Configuration& configuration, const api::NamedTensors& actual) {
  const spec::Reference* stated = case_.reference_for(configuration);
  Configuration reference = spec::float_reference();
  if (stated != nullptr) {
    if (const auto* golden = std::get_if<spec::GoldenReference>(&stated->what)) {
      ASSAY_ASSIGN(const api::Model loaded, model());
      return spec::load_golden(*golden, loaded.graph());
    }
    if (const auto* values = std::get_if<spec::ValuesReference>(&stated->what)) {
      return spec::reference_values(*values, actual);
    }
    if (const auto* runtime = std::get_if<spec::RuntimeReference>(&stated->what)) {
      reference.set("runtime.name", runtime->runtime);
    } else {
      reference = std::get<spec::ConfigurationReference>(stated->what).configuration;
    }
  }
  if (stated == nullptr && !case_.test_data.empty() && spec::has_golden_outputs(case_.test_data)) {
    ASSAY_ASSIGN(const api::Model loaded, model());
    return spec::load_golden({case_.test_data, {}}, loaded.graph());
  }
  // Fed like the variant itself, unless the case says otherwise.
  if (!reference.is_set("runtime.batch")) {
    reference.set("runtime.batch", configuration.get("runtime.batch"));
  }
  const Result<const api::NamedTensors*> outputs = kept_outputs(reference);
  if (!outputs.ok()) {
    return Error{outputs.error().kind, "the reference could not be made: " + outputs.error().message};
  }
  return *outputs.value();
}

}  // namespace assay::run
