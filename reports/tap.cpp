// SPDX-License-Identifier: Apache-2.0
#include "reports/tap.h"

#include <fmt/format.h>

#include "reports/number_text.h"
#include "reports/printable.h"

namespace assay::reports {
namespace {

// One line, in which neither "#" begins a directive nor "\" escapes.
std::string line_text(const std::string& text) {
  std::string line;
  for (const char c : printable(text)) {
    if (c == '#' || c == '\\') {
      line += '\\';
    }
    line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return line;
}

// A text in JSON's quotes, which is a YAML scalar too. GitHub's runner takes "##[" for a command wherever it stands.
std::string quoted(const std::string& text) {
  std::string json = Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
  for (std::size_t at = json.find("##["); at != std::string::npos; at = json.find("##[", at)) {
    json.replace(at, 1, "\\u0023");
  }
  return json;
}

std::string directive(const VariantResult& result) {
  switch (result.outcome) {
    case Outcome::kXfail:
      return " # TO"
             "DO expected: " +
             line_text(result.reason);
    case Outcome::kSkip:
      return " # SKIP " + line_text(result.reason);
    case Outcome::kInconclusive:
      return " # SKIP inconclusive: " + line_text(result.reason);
    default:
      return "";
  }
}

std::string diagnostics(const VariantResult& result) {
  std::string text = fmt::format("  ---\n  outcome: {}\n  duration_ms: {:.3f}\n", outcome_name(result.outcome),
                                 result.duration_s * 1000);
  if (!result.reason.empty()) {
    text += "  message: " + quoted(result.reason) + "\n";
  }
  if (!result.cause.empty()) {
    text += "  cause: " + quoted(result.cause) + "\n";
  }
  bool any = false;
  for (const Check& check : result.checks) {
    if (!check.passed) {
      text += std::string(any ? "" : "  checks:\n") + "    - " + quoted(check_text(check)) + "\n";
      any = true;
    }
  }
  if (!result.rerun.empty()) {
    text += "  rerun: " + quoted(result.rerun) + "\n";
  }
  return text + "  ...\n";
}

class Tap : public Renderer {
 public:
  Tap(const RunRecord& run, const Sink& sink) : run_(run), sink_(printable_sink(sink)) {
    sink_(fmt::format("TAP version 14\n1..{}\n", run.results.size()));
  }
  void take(const CaseGroup& group) override {
    for (const VariantResult* result : group.results) {
      const bool ok = !is_failure(result->outcome) && result->outcome != Outcome::kXfail;
      sink_(
          fmt::format("{} {} - {}{}\n", ok ? "ok" : "not ok", ++number_, line_text(result->name), directive(*result)));
      if (is_failure(result->outcome)) {
        sink_(diagnostics(*result));
      }
    }
  }
  void finish() override {
    if (!run_.harness_error.empty()) {
      sink_("Bail out! " + line_text(run_.harness_error) + "\n");
    } else if (run_.interrupted) {
      sink_("Bail out! interrupted\n");
    }
  }

 private:
  const RunRecord& run_;
  Sink sink_;
  std::size_t number_ = 0;
};

}  // namespace

std::unique_ptr<Renderer> start_tap(const RunRecord& run, const Sink& sink) { return std::make_unique<Tap>(run, sink); }

}  // namespace assay::reports
