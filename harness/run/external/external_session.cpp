// SPDX-License-Identifier: Apache-2.0
#include "harness/run/external/external_session.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "harness/spec/data_source.h"

namespace assay::run {
namespace {

// Asks, and notes in the host if that was the adapter's end.
Result<Json> asked(AdapterProcess& adapter, RuntimeHost& host, const Json& request) {
  Result<Json> answer = adapter.ask(request);
  if (!answer.ok() && !adapter.alive()) {
    host.note_crash(answer.error().message);
  }
  return answer;
}

// The one time under `key`, in nanoseconds, as seconds.
Result<double> seconds_of(const std::string& runtime, const Json& answer, const char* key) {
  const auto list = answer.find(key);
  if (list == answer.end() || !list->is_array() || list->size() != 1 || !list->front().is_number() ||
      list->front().get<double>() < 0) {
    return invalid_argument(
        fmt::format("runtime '{}': the answer to run with 1 repetition must have \"{}\" with one time, found {}",
                    runtime, key, list == answer.end() ? "none" : list->dump()));
  }
  return list->front().get<double>() * 1e-9;
}

class ExternalSession : public RuntimeSession {
 public:
  ExternalSession(RuntimeEntry entry, std::string handle, std::vector<std::string> outputs, RuntimeHost& host)
      : entry_(std::move(entry)),
        handle_(std::move(handle)),
        outputs_(std::move(outputs)),
        host_(host),
        version_(host.version(entry_.name)) {}

  ~ExternalSession() override {
    if (AdapterProcess* adapter = host_.running(entry_.name); adapter != nullptr) {
      (void)adapter->ask(unload_request(handle_));
    }
  }

  Result<api::RunResult> run(const api::NamedTensors& inputs, const api::RunOptions& options) override {
    if (options.witness_saturation || options.tap) {
      return unsupported(
          fmt::format("runtime '{}' shows outputs only: saturated pairs and values inside the model are "
                      "known of runtime.name=assay alone",
                      entry_.name));
    }
    RunFiles files;
    ASSAY_ASSIGN(AdapterProcess * adapter, host_.adapter(entry_.name));
    ASSAY_ASSIGN(files.inputs, save_inputs(*adapter, inputs));
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      files.outputs[outputs_[i]] = fmt::format("{}/output_{}.npy", adapter->folder(), i);
    }
    ASSAY_TRY(asked(*adapter, host_, run_request(handle_, files)));
    api::RunResult result;
    for (const auto& [name, path] : files.outputs) {
      Result<Tensor> tensor = spec::load_npy(path);
      if (!tensor.ok()) {
        return io_error(fmt::format("runtime '{}' left no output '{}': {}", entry_.name, name, tensor.error().message));
      }
      result.outputs[name] = std::move(tensor).value();
      std::error_code ignored;
      std::filesystem::remove(path, ignored);  // so that the next run cannot answer with this one's
    }
    return result;
  }

  Result<std::optional<RunTime>> timed_run(const api::NamedTensors& inputs) override {
    RunFiles files{.inputs = {}, .outputs = {}, .warm_up = 1, .repetitions = 1};
    ASSAY_ASSIGN(AdapterProcess * adapter, host_.adapter(entry_.name));
    ASSAY_ASSIGN(files.inputs, save_inputs(*adapter, inputs));
    ASSAY_ASSIGN(const Json answer, asked(*adapter, host_, run_request(handle_, files)));
    RunTime time;
    ASSAY_ASSIGN(time.real_s, seconds_of(entry_.name, answer, "times_ns"));
    if (answer.contains("cpu_times_ns")) {
      ASSAY_ASSIGN(time.cpu_s, seconds_of(entry_.name, answer, "cpu_times_ns"));
    }
    return std::optional<RunTime>(time);
  }

  std::vector<api::KernelInfo> kernels() const override {
    return {{.node = "(all)",
             .op = "(all)",
             .kernel = version_,
             .isa = entry_.isa,
             .arithmetic = "unknown",
             .native = !entry_.emulated}};
  }

  const api::Session* own() const override { return nullptr; }

 private:
  Result<std::map<std::string, std::string>> save_inputs(const AdapterProcess& adapter,
                                                         const api::NamedTensors& inputs) const {
    std::map<std::string, std::string> files;
    for (const auto& [name, tensor] : inputs) {
      const std::string path = fmt::format("{}/input_{}.npy", adapter.folder(), files.size());
      ASSAY_TRY(spec::save_npy(path, tensor));
      files[name] = path;
    }
    return files;
  }

  RuntimeEntry entry_;
  std::string handle_;
  std::vector<std::string> outputs_;
  RuntimeHost& host_;
  std::string version_;
};

}  // namespace

Result<std::shared_ptr<RuntimeSession>> open_external_session(const api::Model& model, const std::string& runtime,
                                                              const LoadOptions& options, RuntimeHost& host) {
  ASSAY_ASSIGN(const RuntimeEntry entry, host.entry(runtime));
  ASSAY_ASSIGN(AdapterProcess * adapter, host.adapter(runtime));
  const std::string path = adapter->folder() + "/model.onnx";
  ASSAY_TRY(model.save(path));
  ASSAY_ASSIGN(const Json answer, asked(*adapter, host, load_request(path, options)));
  if (!answer.contains("handle") || !answer["handle"].is_string()) {
    return invalid_argument(fmt::format("runtime '{}': the answer to load must have the text \"handle\"", runtime));
  }
  std::vector<std::string> outputs;
  for (const ValueInfo& output : model.graph().outputs) {
    outputs.push_back(output.name);
  }
  return std::shared_ptr<RuntimeSession>(
      std::make_shared<ExternalSession>(entry, answer["handle"].get<std::string>(), std::move(outputs), host));
}

}  // namespace assay::run
