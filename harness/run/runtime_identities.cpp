// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runtime_identities.h"

#include <vector>

#include "harness/run/pool.h"

namespace assay::run {
namespace {

std::string identity_of(const std::string& name) {
  RuntimeHost host;
  if (const Result<AdapterProcess*> adapter = host.adapter(name); !adapter.ok()) {
    return adapter.error().kind == ErrorKind::kUnsupported ? "not on this machine" : "not to be started";
  }
  return host.identity(name);
}

}  // namespace

reports::Json identities_of(const std::set<std::string>& names, const RuntimeHost& host) {
  reports::Json identities = reports::Json::object();
  for (const std::string& name : names) {
    if (const std::string identity = host.identity(name); !identity.empty()) {
      identities[name] = identity;
    }
  }
  return identities;
}

reports::Json ask_identities(const std::set<std::string>& names, double timeout_s,
                             const std::function<bool()>& interrupted) {
  const std::vector<std::string> asked(names.begin(), names.end());
  reports::Json identities = reports::Json::object();
  if (asked.empty()) {
    return identities;
  }
  PoolOptions pool;
  pool.timeout_s = timeout_s;
  pool.handler = [&](const Json& request) -> Json {
    return {{"identity", identity_of(asked[request.at("job").get<std::size_t>()])}};
  };
  pool.on_report = [&](const JobReport& report) {
    identities[asked[report.job]] =
        report.end == JobEnd::kAnswered ? report.answer.at("identity") : reports::Json("not to be started");
  };
  pool.interrupted = interrupted;
  // What no worker could ask is unknown, and its results are made again, or fail to be for the same reason.
  (void)run_jobs(std::vector<PoolJob>(asked.size()), pool);
  return identities;
}

}  // namespace assay::run
