// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/number_text.h"
#include "reports/timing_table.h"

namespace assay::reports {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::string optional_text(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; }

std::string line(const VariantResult& result) {
  const Timing& t = *result.timing;
  std::string figures = ",,,,,,,,,,";
  if (t.measured()) {
    figures = fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{},{:.9g},{:.6g},{}", t.median_ns, t.median_low_ns,
                          t.median_high_ns, t.p95_ns, t.variation, t.samples_ns.size(), t.iterations, t.batch,
                          t.operations, t.gops(), optional_text(t.float_median_ns));
  }
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(result.case_name), csv_field(result.name),
                     figures, csv_field(t.baseline), optional_text(t.speedup), optional_text(t.speedup_low),
                     optional_text(t.speedup_high), t.fresh_pairs, optional_text(t.at_least_speedup),
                     outcome_name(result.outcome), csv_field(t.note), optional_text(t.p99_ns), optional_text(t.load),
                     optional_text(t.mhz));
}

class TimingCsv : public Renderer {
 public:
  explicit TimingCsv(const Sink& sink) : sink_(sink) {
    sink_(
        "case,name,median_ns,median_low_ns,median_high_ns,p95_ns,coefficient_of_variation,n,iterations,batch,"
        "operations,gops,float_median_ns,baseline,speedup,speedup_low,speedup_high,fresh_pairs,at_least_speedup,"
        "outcome,note,p99_ns,load,mhz\n");
  }
  void take(const CaseGroup& group) override {
    for (const VariantResult* result : group.results) {
      if (result->timing) {
        sink_(line(*result));
      }
    }
  }

 private:
  Sink sink_;
};

}  // namespace

std::unique_ptr<Renderer> start_timing_csv(const RunRecord&, const Sink& sink) {
  return std::make_unique<TimingCsv>(sink);
}

}  // namespace assay::reports
