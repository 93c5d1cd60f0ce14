// SPDX-License-Identifier: Apache-2.0
#include "harness/run/external/external_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "harness/spec/data_source.h"
#include "harness/spec/nearest.h"

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

// Ends an adapter that broke the protocol, and notes that in the host.
Error broken(AdapterProcess& adapter, RuntimeHost& host, const std::string& how) {
  Error error = adapter.broke(how);
  host.note_crash(error.message);
  return error;
}

// The one time under `key`, in nanoseconds, as seconds: more than 0, and no more than the request took.
Result<double> seconds_of(const std::string& runtime, const Json& answer, const char* key, double most_s) {
  const auto list = answer.find(key);
  const bool one = list != answer.end() && list->is_array() && list->size() == 1 && list->front().is_number();
  const double seconds = one ? list->front().get<double>() * 1e-9 : 0;
  if (!one || !(seconds >= 0 && seconds <= most_s)) {
    return invalid_argument(fmt::format(
        "runtime '{}': the answer to run with 1 repetition must have \"{}\" with one time from 0 ns to the {:.0f} ns "
        "that the request took, found {}",
        runtime, key, most_s * 1e9, list == answer.end() ? "none" : spec::shortened(list->dump())));
  }
  return seconds;
}

// Loads the model; the handle. An adapter that gives none breaks the protocol.
Result<std::string> load(AdapterProcess& adapter, RuntimeHost& host, const api::Model& model,
                         const LoadOptions& options) {
  const std::string path = adapter.folder() + "/model.onnx";
  ASSAY_TRY(model.save(path));
  ASSAY_ASSIGN(const Json answer, asked(adapter, host, load_request(path, options)));
  if (!answer.contains("handle") || !answer["handle"].is_string()) {
    return broken(adapter, host, "answered load without the text \"handle\"");
  }
  return answer["handle"].get<std::string>();
}

// Files that an adapter is to write. Whatever stands at their places, no run finds what an earlier one has left.
class OutputFiles {
 public:
  OutputFiles(const std::string& folder, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      paths_[names[i]] = fmt::format("{}/output_{}.npy", folder, i);
    }
  }
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles() { (void)remove(); }

  const std::map<std::string, std::string>& paths() const { return paths_; }
  Status remove() const {
    for (const auto& [name, path] : paths_) {
      std::error_code code;
      std::filesystem::remove_all(path, code);
      if (code) {
        return io_error(fmt::format("{}: cannot be removed: {}", path, code.message()));
      }
    }
    return {};
  }

 private:
  std::map<std::string, std::string> paths_;
};

class ExternalSession : public RuntimeSession {
 public:
  ExternalSession(const api::Model& model, LoadOptions options, RuntimeEntry entry, RuntimeHost& host)
      : model_(model), options_(std::move(options)), entry_(std::move(entry)), host_(host) {
    for (const ValueInfo& output : model.graph().outputs) {
      outputs_.push_back(output.name);
    }
  }

  ~ExternalSession() override {
    if (AdapterProcess* adapter = host_.running(entry_.name); adapter != nullptr && adapter->folder() == loaded_in_) {
      (void)asked(*adapter, host_, unload_request(handle_));
    }
  }

  // The adapter with the model loaded: an adapter that was started since the model was loaded loads it again.
  Result<AdapterProcess*> loaded() {
    ASSAY_ASSIGN(AdapterProcess * adapter, host_.adapter(entry_.name));
    if (adapter->folder() != loaded_in_) {
      ASSAY_ASSIGN(handle_, load(*adapter, host_, model_, options_));
      loaded_in_ = adapter->folder();
      version_ = host_.version(entry_.name);
    }
    return adapter;
  }

  Result<api::RunResult> run(const api::NamedTensors& inputs, const api::RunOptions& options) override {
    if (options.witness_saturation || options.tap) {
      return unsupported(
          fmt::format("runtime '{}' shows outputs only: saturated pairs and values inside the model are "
                      "known of runtime.name=assay alone",
                      entry_.name));
    }
    ASSAY_ASSIGN(AdapterProcess * adapter, loaded());
    RunFiles files;
    ASSAY_ASSIGN(files.inputs, save_inputs(*adapter, inputs));
    const OutputFiles written(adapter->folder(), outputs_);
    ASSAY_TRY(written.remove());
    files.outputs = written.paths();
    ASSAY_TRY(asked(*adapter, host_, run_request(handle_, files)));
    api::RunResult result;
    for (const auto& [name, path] : files.outputs) {
      Result<Tensor> tensor = spec::load_npy(path);
      if (!tensor.ok()) {
        std::error_code ignored;
        const bool written_at_all = std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
        return io_error(fmt::format("runtime '{}' {} output '{}'{}: {}", entry_.name,
                                    written_at_all ? "wrote an" : "left no", name,
                                    written_at_all ? " that cannot be read" : "", tensor.error().message));
      }
      result.outputs[name] = std::move(tensor).value();
    }
    return result;
  }

  Result<std::optional<RunTime>> timed_run(const api::NamedTensors& inputs) override {
    RunFiles files{.inputs = {}, .outputs = {}, .warm_up = 1, .repetitions = 1};
    ASSAY_ASSIGN(AdapterProcess * adapter, loaded());
    ASSAY_ASSIGN(files.inputs, save_inputs(*adapter, inputs));
    const auto start = std::chrono::steady_clock::now();
    ASSAY_ASSIGN(const Json answer, asked(*adapter, host_, run_request(handle_, files)));
    const double took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() + kSlackS;
    RunTime time;
    ASSAY_ASSIGN(time.real_s, seconds_of(entry_.name, answer, "times_ns", took_s));
    if (time.real_s == 0) {
      return invalid_argument(fmt::format("runtime '{}' measured 0 ns: its clock is too coarse", entry_.name));
    }
    if (answer.contains("cpu_times_ns")) {
      const double processors = std::max(1.0, static_cast<double>(::sysconf(_SC_NPROCESSORS_CONF)));
      ASSAY_ASSIGN(time.cpu_s, seconds_of(entry_.name, answer, "cpu_times_ns", took_s * processors));
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

  // What two clocks may differ by in one request.
  static constexpr double kSlackS = 0.02;

  api::Model model_;
  LoadOptions options_;
  RuntimeEntry entry_;
  RuntimeHost& host_;
  std::vector<std::string> outputs_;
  std::string handle_;
  std::string loaded_in_;  // the folder of the adapter that has the model
  std::string version_;
};

}  // namespace

Result<std::shared_ptr<RuntimeSession>> open_external_session(const api::Model& model, const std::string& runtime,
                                                              const LoadOptions& options, RuntimeHost& host) {
  ASSAY_ASSIGN(const RuntimeEntry entry, host.entry(runtime));
  host.end_unless_settled(runtime);
  const auto session = std::make_shared<ExternalSession>(model, options, entry, host);
  ASSAY_TRY(session->loaded());
  return std::shared_ptr<RuntimeSession>(session);
}

}  // namespace assay::run
