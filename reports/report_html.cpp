// SPDX-License-Identifier: Apache-2.0
#include "reports/report_html.h"

#include <fmt/format.h>

#include "reports/exit_code.h"
#include "reports/html_assets.h"
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

void variants(const RunRecord& run, const Sink& sink) {
  sink(
      "<h2>Variants</h2>\n<div class=\"filters\"><input type=\"search\" id=\"search\" "
      "placeholder=\"words of the name\"> <span id=\"shown\"></span>");
  for (const auto& [outcome, count] : count_outcomes(run.results)) {
    sink(fmt::format("<label><input type=\"checkbox\" value=\"{0}\" checked> {0} ({1})</label>", outcome_name(outcome),
                     count));
  }
  sink(
      "</div>\n<table id=\"variants\"><thead><tr><th>outcome</th><th>variant</th><th class=\"r\">s</th></tr></thead>"
      "<tbody>\n");
  for (const VariantResult& result : run.results) {
    const std::string reason = result.reason.empty() ? "" : "<pre>" + xml_text(result.reason) + "</pre>";
    sink(fmt::format(
        "<tr data-outcome=\"{0}\" data-name=\"{1}\"><td class=\"{2}\">{0}</td><td><details{3}><summary>{4}</summary>"
        "{5}<pre>{6}</pre></details></td><td class=\"r\">{7:.2f}</td></tr>\n",
        outcome_name(result.outcome), xml_text(lower(result.name)), outcome_class(result.outcome),
        is_failure(result.outcome) ? " open" : "", xml_text(result.name), reason, xml_text(details(result)),
        result.duration_s));
  }
  sink("</tbody></table>\n");
}

}  // namespace

void render_report_html(const RunRecord& run, const Sink& sink) {
  sink("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>assay report</title>\n");
  sink(std::string("<style>") + kHtmlStyle + "</style></head><body>\n" + head(run));
  sink("<h2>Cases</h2>\n");
  for_each_case(run.results, [&](const CaseGroup& group) {
    const Pivot pivot = make_pivot(group);
    sink("<h3>" + xml_text(group.name) + "</h3>\n" + html_table(pivot_table(pivot)));
    const std::string chart = render_error_chart(pivot);
    if (!chart.empty()) {
      sink("<details><summary>chart</summary>" + chart + "</details>\n");
    }
    if (const TextTable saturation = saturation_table(group); !saturation.rows.empty()) {
      sink("<details><summary>saturated pairs per layer</summary>" + html_table(saturation) + "</details>\n");
    }
  });
  if (has_timing(run.results)) {
    sink("<h2>Timing</h2>\n" + html_table(timing_table(run)));
    const TextTable cross = timing_cross_table(run);
    sink(cross.rows.empty() ? "" : html_table(cross));
  }
  variants(run, sink);
  sink(std::string("<script>") + kHtmlScript + "</script></body></html>\n");
}

}  // namespace assay::reports
