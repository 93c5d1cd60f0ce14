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

// GitLab refuses a file of 30 MB. Output is left out first, then variants that passed, then the details of the others.
constexpr std::size_t kMostOutput = 15'000'000;   // bytes written so far, up to which passing variants keep theirs
constexpr std::size_t kMostPassing = 24'000'000;  // up to which there are passing variants
constexpr std::size_t kMostDetail = 27'000'000;   // up to which failures have a text
constexpr std::size_t kMost = 29'000'000;
constexpr std::size_t kMostText = 16'000;  // bytes of one text

std::string shortened_text(const std::string& text) {
  if (text.size() <= kMostText) {
    return xml_text(text);
  }
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;  // not within a character
  }
  return xml_text(text.substr(0, end)) + "\n... cut off; results.json has all of it\n";
}

std::string test_case(const VariantResult& result, std::size_t written) {
  std::string class_name = result.case_name;
  std::ranges::replace(class_name, '/', '.');
  std::string text = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n", xml_text(class_name),
                                 xml_text(result.name), result.duration_s);
  const char* element = element_of(result.outcome);
  if (element != nullptr && std::string_view(element) == "skipped") {
    text += fmt::format("   <skipped message=\"{}\"/>\n", shortened_text(message_of(result)));
  } else if (element != nullptr) {
    text +=
        fmt::format("   <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element, outcome_name(result.outcome),
                    shortened_text(message_of(result)), written < kMostDetail ? shortened_text(details(result)) : "");
  }
  const std::string out = written < kMostOutput ? output(result) : "";
  if (!out.empty()) {
    text += "   <system-out>" + shortened_text(out) + "</system-out>\n";
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

void add(Totals& totals, Outcome outcome, double seconds) {
  const char* element = element_of(outcome);
  const std::string_view name = element == nullptr ? "" : element;
  ++totals.tests;
  totals.failures += name == "failure" ? 1 : 0;
  totals.errors += name == "error" ? 1 : 0;
  totals.skipped += name == "skipped" ? 1 : 0;
  totals.seconds += seconds;
}

Totals totals_of(const ResultList& results) {
  Totals totals;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ResultFacts facts = results.facts(i);
    add(totals, facts.outcome, facts.duration_s);
  }
  return totals;
}

Totals totals_of(const CaseGroup& group) {
  Totals totals;
  for (const VariantResult* result : group.results) {
    add(totals, result->outcome, result->duration_s);
  }
  return totals;
}

class JunitXml : public Renderer {
 public:
  // The form of timestamps in the schema has no zone.
  JunitXml(const RunRecord& run, const Sink& sink)
      : sink_(sink), timestamp_(run.started.substr(0, 19)), host_(xml_text(run.host.value("name", ""))) {
    const Totals sum = totals_of(run.results);
    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    put(fmt::format("<testsuites name=\"assay\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n",
                    sum.tests, sum.failures, sum.errors, sum.seconds));
  }

  void take(const CaseGroup& group) override {
    const Totals totals = totals_of(group);
    put(
        fmt::format(" <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\" "
                    "timestamp=\"{}\" hostname=\"{}\">\n",
                    xml_text(group.name), totals.tests, totals.failures, totals.errors, totals.skipped, totals.seconds,
                    timestamp_, host_));
    for (const VariantResult* result : group.results) {
      if (written_ > (element_of(result->outcome) == nullptr ? kMostPassing : kMost)) {
        ++left_out_;
      } else {
        put(test_case(*result, written_));
      }
    }
    put(" </testsuite>\n");
  }

  void finish() override {
    if (left_out_ > 0) {
      put(fmt::format(
          " <testsuite name=\"assay\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\" time=\"0\" "
          "timestamp=\"{}\" hostname=\"{}\">\n  <testcase classname=\"assay\" name=\"left out\" time=\"0\">\n   "
          "<skipped message=\"{} variants are left out for the size of this file; results.json has them\"/>\n"
          "  </testcase>\n </testsuite>\n",
          timestamp_, host_, left_out_));
    }
    put("</testsuites>\n");
  }

 private:
  void put(const std::string& text) {
    written_ += text.size();
    sink_(text);
  }

  Sink sink_;
  std::string timestamp_;
  std::string host_;
  std::size_t written_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

std::unique_ptr<Renderer> start_junit_xml(const RunRecord& run, const Sink& sink) {
  return std::make_unique<JunitXml>(run, sink);
}

}  // namespace assay::reports
