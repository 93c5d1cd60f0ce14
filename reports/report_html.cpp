// SPDX-License-Identifier: Apache-2.0
#include "reports/report_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/exit_code.h"
#include "reports/html_assets.h"
#include "reports/ledger_chart.h"
#include "reports/ledger_table.h"
#include "reports/number_text.h"
#include "reports/pivot.h"
#include "reports/saturation_table.h"
#include "reports/svg.h"
#include "reports/timing_table.h"
#include "reports/xml_text.h"

namespace assay::reports {
namespace {

const char* outcome_class(Outcome outcome) {
  if (is_failure(outcome)) {
    return "bad";
  }
  return outcome == Outcome::kPass || outcome == Outcome::kXfail ? "good" : "warn";
}

std::string html_cell(const std::string& text, Align align) {
  const std::optional<Outcome> outcome = outcome_from_name(text);
  std::string classes = align == Align::kRight ? "r" : "";
  if (outcome) {
    classes = outcome_class(*outcome);
  }
  return fmt::format("<td{}>{}</td>", classes.empty() ? "" : " class=\"" + classes + "\"", xml_text(text));
}

std::string html_table(const TextTable& table) {
  std::string text = "<div class=\"scroll\"><table><thead><tr>";
  for (const Column& column : table.columns) {
    text += fmt::format("<th{}>{}</th>", column.align == Align::kRight ? " class=\"r\"" : "", xml_text(column.title));
  }
  text += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += html_cell(row[c], table.columns[c].align);
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string head(const RunRecord& run) {
  const ExitCode code = exit_code(run);
  std::string text =
      fmt::format("<h1>assay: <span class=\"{}\">{}</span></h1>\n<p>{} variants in {:.1f} s: {}. Exit {}. {}</p>\n",
                  code == kExitPass ? "good" : "bad",
                  code == kExitPass     ? "pass"
                  : code == kExitFailed ? "fail"
                                        : "no verdict",
                  run.results.size(), run.duration_s, counts_text(count_outcomes(run.results)), static_cast<int>(code),
                  xml_text(run.started));
  if (!run.harness_error.empty()) {
    text += "<p class=\"bad\">The harness failed: " + xml_text(run.harness_error) + "</p>\n";
  }
  text += "<details><summary>Host and command</summary><pre>" + xml_text(run.command) + "\n" +
          xml_text(run.host.dump(1, ' ', false, Json::error_handler_t::replace)) + "</pre></details>\n";
  return text;
}

std::string details(const VariantResult& result) {
  std::string text;
  for (const Check& check : result.checks) {
    text += (check.passed ? "ok    " : "FAILS ") + check_text(check) + "\n";
  }
  for (const Measurement& measured : result.measurements) {
    text += fmt::format("      {}{} = {} (n {})\n", measured.metric,
                        measured.output.empty() ? "" : "(" + measured.output + ")", number_text(measured.value),
                        measured.n);
  }
  for (const std::string& warning : result.warnings) {
    text += "warning: " + warning + "\n";
  }
  for (const Kernel& k : result.kernels) {
    text += fmt::format("{:<20} {:<16} {} {} {} {}\n", k.node, k.op, k.kernel, k.isa, k.arithmetic,
                        k.native ? "native" : "emulated");
  }
  for (const Saturation& s : result.saturation) {
    text += fmt::format("{:<20} {} of {} pairs saturated, largest loss {} (over {} samples)\n", s.node, s.saturated,
                        s.pairs, s.largest_loss, s.samples);
  }
  return text + (result.rerun.empty() ? "" : "rerun: " + result.rerun + "\n");
}

std::string lower(std::string text) {
  for (char& c : text) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return text;
}

std::string filters(const RunRecord& run) {
  std::string text =
      "<div class=\"filters\"><input type=\"search\" id=\"search\" placeholder=\"words of a variant's name\"> "
      "<span id=\"shown\"></span>";
  for (const auto& [outcome, count] : count_outcomes(run.results)) {
    text += fmt::format("<label><input type=\"checkbox\" value=\"{0}\" checked> {0} ({1})</label>",
                        outcome_name(outcome), count);
  }
  return text + "</div>\n";
}

std::string folded(const std::string& summary, const std::string& content) {
  return content.empty() ? "" : "<details><summary>" + summary + "</summary>" + content + "</details>\n";
}

std::string variant_row(const VariantResult& result) {
  const std::string reason = result.reason.empty() ? "" : "<pre>" + xml_text(result.reason) + "</pre>";
  return fmt::format(
      "<tr data-outcome=\"{0}\" data-name=\"{1}\"><td class=\"{2}\">{0}</td><td><details{3}><summary>{4}</summary>"
      "{5}<pre>{6}</pre></details></td><td class=\"r\">{7:.2f}</td></tr>\n",
      outcome_name(result.outcome), xml_text(lower(result.name)), outcome_class(result.outcome),
      is_failure(result.outcome) ? " open" : "", xml_text(result.name), reason, xml_text(details(result)),
      result.duration_s);
}

class ReportHtml : public Renderer {
 public:
  ReportHtml(const RunRecord& run, const Sink& sink) : run_(run), sink_(sink) {
    sink_("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>assay report</title>\n");
    sink_(std::string("<style>") + kHtmlStyle + "</style></head><body>\n" + head(run));
    sink_("<h2>Cases</h2>\n" + filters(run));
  }

  void take(const CaseGroup& group) override {
    const Pivot pivot = make_pivot(group);
    sink_("<section><h3>" + xml_text(group.name) + "</h3>\n" + html_table(pivot_table(pivot)));
    sink_(folded("chart", render_error_chart(pivot)));
    if (const TextTable ledger = ledger_table(group); !ledger.rows.empty()) {
      sink_("<h4>error by its source: rmse (share of the squared error)</h4>\n" + html_table(ledger) +
            render_ledger_chart(group));
    }
    if (const TextTable saturation = saturation_table(group); !saturation.rows.empty()) {
      sink_(folded("saturated pairs per layer", html_table(saturation)));
    }
    variants(group);
    sink_("</section>\n");
  }

  void finish() override {
    if (has_timing(run_.results)) {
      sink_("<h2>Timing</h2>\n" + html_table(timing_table(run_)));
      const TextTable cross = timing_cross_table(run_);
      sink_(cross.rows.empty() ? "" : html_table(cross));
    }
    sink_(std::string("<script>") + kHtmlScript + "</script></body></html>\n");
  }

 private:
  void variants(const CaseGroup& group) {
    const bool failed =
        std::ranges::any_of(group.results, [](const VariantResult* result) { return is_failure(result->outcome); });
    sink_(
        fmt::format("<details class=\"variants\"{}><summary>variants ({})</summary><table><thead><tr><th>outcome</th>"
                    "<th>variant</th><th class=\"r\">s</th></tr></thead><tbody>\n",
                    failed ? " open" : "", group.results.size()));
    for (const VariantResult* result : group.results) {
      sink_(variant_row(*result));
    }
    sink_("</tbody></table></details>\n");
  }

  const RunRecord& run_;
  Sink sink_;
};

}  // namespace

std::unique_ptr<Renderer> start_report_html(const RunRecord& run, const Sink& sink) {
  return std::make_unique<ReportHtml>(run, sink);
}

}  // namespace assay::reports
