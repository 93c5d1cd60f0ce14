// SPDX-License-Identifier: Apache-2.0
#include "reports/exit_code.h"

#include <algorithm>

namespace assay::reports {

ExitCode exit_code(const RunRecord& run) {
  if (run.interrupted) {
    return kExitInterrupted;
  }
  if (!run.harness_error.empty()) {
    return kExitHarness;
  }
  if (run.results.empty()) {
    // A shard may be left with nothing where there are more shards than variants: the whole is judged when merged.
    return run.shard && run.shard->total > 0 ? kExitPass : kExitNothingSelected;
  }
  const std::map<Outcome, std::int64_t> counts = count_outcomes(run.results);
  const auto has = [&](auto&& rule) {
    return std::ranges::any_of(counts, [&](const auto& entry) { return rule(entry.first); });
  };
  if (has(is_failure)) {
    return kExitFailed;
  }
  if (has([](Outcome o) { return o == Outcome::kInconclusive; }) ||
      !has([](Outcome o) { return o != Outcome::kSkip; })) {
    return kExitNoVerdict;
  }
  return kExitPass;
}

namespace {

class VerdictJson : public Renderer {
 public:
  VerdictJson(const RunRecord& run, const Sink& sink) : run_(run), sink_(sink) {}
  void take(const CaseGroup&) override {}
  void finish() override {
    Json counts = Json::object();
    for (const auto& [outcome, count] : count_outcomes(run_.results)) {
      counts[std::string(outcome_name(outcome))] = count;
    }
    Json json = {{"exit_code", static_cast<int>(exit_code(run_))}, {"counts", counts}};
    if (!run_.harness_error.empty()) {
      json["harness_error"] = run_.harness_error;
    }
    sink_(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }

 private:
  const RunRecord& run_;
  Sink sink_;
};

}  // namespace

std::unique_ptr<Renderer> start_verdict_json(const RunRecord& run, const Sink& sink) {
  return std::make_unique<VerdictJson>(run, sink);
}

const char* verdict_text(ExitCode code) {
  switch (code) {
    case kExitPass:
      return "pass";
    case kExitFailed:
      return "fail";
    case kExitUsage:
      return "usage error";
    case kExitNoVerdict:
      return "no verdict";
    case kExitHarness:
      return "harness failure";
    case kExitNothingSelected:
      return "nothing selected";
    case kExitInterrupted:
      return "interrupted";
  }
  return "";
}

}  // namespace assay::reports
