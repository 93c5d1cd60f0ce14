// SPDX-License-Identifier: Apache-2.0
// A model loaded into a runtime: assay's own, or an external one.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/api/session.h"
#include "harness/spec/axis.h"

namespace assay::run {

class RuntimeHost;

struct RunTime {
  double real_s = 0;
  double cpu_s = 0;
};

class RuntimeSession {
 public:
  RuntimeSession() = default;
  RuntimeSession(const RuntimeSession&) = delete;
  RuntimeSession& operator=(const RuntimeSession&) = delete;
  virtual ~RuntimeSession() = default;

  virtual Result<api::RunResult> run(const api::NamedTensors& inputs, const api::RunOptions& options = {}) = 0;
  // One untimed run, then the time of one more by the runtime's own clock; nothing where the caller is to time run().
  virtual Result<std::optional<RunTime>> timed_run(const api::NamedTensors& inputs) = 0;
  // What ran, for the record.
  virtual std::vector<api::KernelInfo> kernels() const = 0;
  // assay's own session, which knows its optimised graph, passes and operation count; null for external runtimes.
  virtual const api::Session* own() const = 0;
};

// assay's own runtime.
std::shared_ptr<RuntimeSession> own_session(api::Session session);

// Loads the model as the configuration's runtime.* axes say.
// Errors: those of Session::create; a runtime that is not registered, not here or refuses the model.
Result<std::shared_ptr<RuntimeSession>> open_session(const api::Model& model, const spec::Configuration& configuration,
                                                     RuntimeHost& host);

}  // namespace assay::run
