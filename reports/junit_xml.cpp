// SPDX-License-Identifier: Apache-2.0
#include "reports/junit_xml.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/number_text.h"
#include "reports/xml_text.h"

namespace assay::reports {
namespace {

// The element that says what became of a variant; null: passed.
const char* element_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFail:
    case Outcome::kXpass:
      return "failure";
    case Outcome::kCrash:
    case Outcome::kTimeout:
    case Outcome::kInvalid:
    case Outcome::kNotRun:
      return "error";
    case Outcome::kSkip:
    case Outcome::kXfail:
    case Outcome::kInconclusive:
      return "skipped";
    case Outcome::kPass:
    case Outcome::kWeak:
      return nullptr;
  }
  return nullptr;
}

std::string details(const VariantResult& result) {
  std::string text;
  for (const Check& check : result.checks) {
    if (!check.passed) {
      text += check_text(check) + "\n";
    }
  }
  if (!result.rerun.empty()) {
    text += "rerun: " + result.rerun + "\n";
  }
  return text;
}

std::string output(const VariantResult& result) {
  std::string text;
  for (const Check& check : result.checks) {
    if (check.passed) {
      text += check_text(check) + "\n";
    }
  }
  for (const Kernel& kernel : result.kernels) {
    text += fmt::format("{} {}: kernel {} isa {} arithmetic {} {}\n", kernel.op, kernel.node, kernel.kernel, kernel.isa,
                        kernel.arithmetic, kernel.native ? "native" : "emulated");
  }
  for (const std::string& warning : result.warnings) {
    text += "warning: " + warning + "\n";
  }
  return text;
}

std::string message_of(const VariantResult& result) {
  std::string message(outcome_name(result.outcome));
  if (!result.cause.empty()) {
    message += " (" + result.cause + ")";
  }
  if (!result.reason.empty()) {
    message += ": " + result.reason;
  }
  return message;
}

std::string test_case(const VariantResult& result) {
  std::string class_name = result.case_name;
  std::ranges::replace(class_name, '/', '.');
  std::string text = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n", xml_text(class_name),
                                 xml_text(result.name), result.duration_s);
  const char* element = element_of(result.outcome);
  if (element != nullptr && std::string_view(element) == "skipped") {
    text += fmt::format("   <skipped message=\"{}\"/>\n", xml_text(message_of(result)));
  } else if (element != nullptr) {
    text += fmt::format("   <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element, outcome_name(result.outcome),
                        xml_text(message_of(result)), xml_text(details(result)));
  }
  const std::string out = output(result);
  if (!out.empty()) {
    text += "   <system-out>" + xml_text(out) + "</system-out>\n";
  }
  return text + "  </testcase>\n";
}

struct Totals {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  double seconds = 0;
};

Totals totals_of(const std::vector<const VariantResult*>& results) {
  Totals totals;
  totals.tests = results.size();
  for (const VariantResult* result : results) {
    const char* element = element_of(result->outcome);
    const std::string_view name = element == nullptr ? "" : element;
    totals.failures += name == "failure" ? 1 : 0;
    totals.errors += name == "error" ? 1 : 0;
    totals.skipped += name == "skipped" ? 1 : 0;
    totals.seconds += result->duration_s;
  }
  return totals;
}

}  // namespace

std::string render_junit_xml(const RunRecord& run) {
  std::vector<const VariantResult*> all;
  for (const VariantResult& result : run.results) {
    all.push_back(&result);
  }
  const Totals sum = totals_of(all);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format("<testsuites name=\"assay\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n",
                      sum.tests, sum.failures, sum.errors, sum.seconds);
  // The form of timestamps in the schema has no zone.
  const std::string timestamp = run.started.substr(0, 19);
  for (const CaseGroup& group : group_by_case(run.results)) {
    const Totals totals = totals_of(group.results);
    text += fmt::format(
        " <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\" "
        "timestamp=\"{}\" hostname=\"{}\">\n",
        xml_text(group.name), totals.tests, totals.failures, totals.errors, totals.skipped, totals.seconds, timestamp,
        xml_text(run.host.value("name", "")));
    for (const VariantResult* result : group.results) {
      text += test_case(*result);
    }
    text += " </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace assay::reports
