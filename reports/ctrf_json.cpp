// SPDX-License-Identifier: Apache-2.0
#include "reports/ctrf_json.h"

#include <cmath>
#include <cstdlib>
#include <ctime>

#include "reports/attention.h"
#include "reports/number_text.h"

namespace assay::reports {
namespace {

const char* status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
    case Outcome::kWeak:
      return "passed";
    case Outcome::kFail:
    case Outcome::kXpass:
    case Outcome::kInvalid:
    case Outcome::kCrash:
    case Outcome::kTimeout:
      return "failed";
    case Outcome::kSkip:
      return "skipped";
    case Outcome::kNotRun:
      return "pending";
    case Outcome::kXfail:
    case Outcome::kInconclusive:
      return "other";
  }
  return "other";
}

std::int64_t milliseconds(double seconds) { return std::llround(seconds * 1000); }

// "2026-01-31T12:00:00Z" in milliseconds since 1970; 0 for another form.
std::int64_t epoch_ms(const std::string& time) {
  std::tm fields{};
  const char* end = ::strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &fields);
  return end == nullptr ? 0 : std::int64_t{::timegm(&fields)} * 1000;
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json test_json(const VariantResult& result) {
  Json test = {{"name", result.name},
               {"status", status_of(result.outcome)},
               {"duration", milliseconds(result.duration_s)},
               {"suite", Json::array({result.case_name})},
               {"rawStatus", outcome_name(result.outcome)},
               {"filePath", result.case_file},
               {"parameters", result.variant}};
  if (!result.reason.empty()) {
    test["message"] = result.reason;
  }
  if (is_failure(result.outcome)) {
    test["trace"] = explanation_text(result);
  }
  Json extra = Json::object();
  if (!result.cause.empty()) {
    extra["cause"] = result.cause;
  }
  if (!result.rerun.empty()) {
    extra["rerun"] = result.rerun;
  }
  if (result.timing && result.timing->measured()) {
    extra["median_ns"] = result.timing->median_ns;
  }
  if (!extra.empty()) {
    test["extra"] = extra;
  }
  return test;
}

Json summary_json(const RunRecord& run) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [outcome, count] : count_outcomes(run.results)) {
    counts[status_of(outcome)] += count;
  }
  const std::int64_t start = epoch_ms(run.started);
  Json summary = {{"tests", run.results.size()}};
  for (const char* status : {"passed", "failed", "skipped", "pending", "other"}) {
    summary[status] = counts[status];
  }
  summary["suites"] = case_count(run.results);
  summary["start"] = start;
  summary["stop"] = start + milliseconds(run.duration_s);
  summary["duration"] = milliseconds(run.duration_s);
  return summary;
}

class CtrfJson : public Renderer {
 public:
  CtrfJson(const RunRecord& run, const Sink& sink) : sink_(sink) {
    const Json tool = {{"name", "assay"}, {"version", run.host.value("assay", "")}};
    sink_(
        "{\n \"reportFormat\": \"CTRF\",\n \"specVersion\": \"0.0.0\",\n \"generatedBy\": \"assay\",\n "
        "\"results\": {\n");
    sink_("  \"tool\": " + text_of(tool) + ",\n  \"summary\": " + text_of(summary_json(run)) + ",\n");
    Json environment = Json::object();
    environment["extra"] = run.host;
    sink_("  \"environment\": " + text_of(environment) + ",\n");
    const Json extra = {
        {"command", run.command}, {"interrupted", run.interrupted}, {"harness_error", run.harness_error}};
    sink_("  \"extra\": " + text_of(extra) + ",\n  \"tests\": [");
  }
  void take(const CaseGroup& group) override {
    for (const VariantResult* result : group.results) {
      sink_((first_ ? "\n   " : ",\n   ") + text_of(test_json(*result)));
      first_ = false;
    }
  }
  void finish() override { sink_(first_ ? "]\n }\n}\n" : "\n  ]\n }\n}\n"); }

 private:
  Sink sink_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Renderer> start_ctrf_json(const RunRecord& run, const Sink& sink) {
  return std::make_unique<CtrfJson>(run, sink);
}

}  // namespace assay::reports
