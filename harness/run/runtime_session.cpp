// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runtime_session.h"

#include <utility>

#include "harness/run/external/external_session.h"
#include "harness/run/settings.h"

namespace assay::run {
namespace {

class OwnSession : public RuntimeSession {
 public:
  explicit OwnSession(api::Session session) : session_(std::move(session)) {}

  Result<api::RunResult> run(const api::NamedTensors& inputs, const api::RunOptions& options) override {
    return session_.run(inputs, options);
  }
  Result<std::optional<RunTime>> timed_run(const api::NamedTensors& inputs) override {
    (void)inputs;
    return std::optional<RunTime>();
  }
  std::vector<api::KernelInfo> kernels() const override { return session_.kernels(); }
  const api::Session* own() const override { return &session_; }

 private:
  api::Session session_;
};

}  // namespace

std::shared_ptr<RuntimeSession> own_session(api::Session session) {
  return std::make_shared<OwnSession>(std::move(session));
}

Result<std::shared_ptr<RuntimeSession>> open_session(const api::Model& model, const spec::Configuration& configuration,
                                                     RuntimeHost& host) {
  if (is_external(configuration)) {
    return open_external_session(model, configuration.text("runtime.name"), external_options(configuration), host);
  }
  ASSAY_ASSIGN(const api::SessionOptions options, session_options(configuration));
  ASSAY_ASSIGN(api::Session session, api::Session::create(model, options));
  return own_session(std::move(session));
}

}  // namespace assay::run
