// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "reports/timing_table.h"

namespace assay::reports {
namespace {

struct Entry {
  const VariantResult& result;
  std::size_t family = 0;
};

struct Times {
  double real = 0;
  double cpu = 0;
};

Json base_entry(const Entry& entry, const std::string& suffix, const Times& times) {
  const Timing& timing = *entry.result.timing;
  return {{"name", entry.result.name + suffix},
          {"family_index", entry.family},
          {"per_family_instance_index", 0},
          {"run_name", entry.result.name},
          {"repetitions", timing.samples_ns.size()},
          {"threads", 1},
          {"iterations", timing.iterations},
          {"real_time", times.real},
          {"cpu_time", times.cpu},
          {"time_unit", "ns"}};
}

double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) {
    return 0;
  }
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) {
    sum += (value - centre) * (value - centre);
  }
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double relative_deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  return centre > 0 ? deviation(values) / centre : 0;
}

struct AggregateRow {
  const char* name;
  const char* unit;
  double (*of)(const std::vector<double>&);
};

constexpr AggregateRow kAggregates[] = {
    {"mean", "time", mean},
    {"median", "time", [](const std::vector<double>& values) { return median(values); }},
    {"stddev", "time", deviation},
    {"cv", "percentage", relative_deviation},
};

class BenchmarkJson : public Renderer {
 public:
  BenchmarkJson(const RunRecord& run, const Sink& sink) : sink_(sink) {
    json_["context"] = {{"date", run.started},
                        {"host_name", run.host.value("name", "")},
                        {"executable", "assay"},
                        {"num_cpus", run.host.value("cores", 0)},
                        {"mhz_per_cpu", 0},
                        {"cpu_scaling_enabled", false},
                        {"caches", Json::array()},
                        {"load_avg", Json::array()},
                        {"library_build_type", "release"}};
    json_["benchmarks"] = Json::array();
  }

  void take(const CaseGroup& group) override {
    for (const VariantResult* result : group.results) {
      if (result->timing && result->timing->measured()) {
        add({*result, family_++});
      }
    }
  }

  void finish() override { sink_(json_.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"); }

 private:
  void add(const Entry& entry) {
    const Timing& timing = *entry.result.timing;
    Json& benchmarks = json_["benchmarks"];
    for (std::size_t i = 0; i < timing.samples_ns.size(); ++i) {
      Json item = base_entry(entry, "", {timing.samples_ns[i], timing.cpu_samples_ns[i]});
      item["run_type"] = "iteration";
      item["repetition_index"] = i;
      benchmarks.push_back(item);
    }
    for (const AggregateRow& row : kAggregates) {
      Json item =
          base_entry(entry, std::string("_") + row.name, {row.of(timing.samples_ns), row.of(timing.cpu_samples_ns)});
      item["run_type"] = "aggregate";
      item["aggregate_name"] = row.name;
      item["aggregate_unit"] = row.unit;
      item["iterations"] = timing.samples_ns.size();
      benchmarks.push_back(item);
    }
  }

  Sink sink_;
  Json json_ = Json::object();
  std::size_t family_ = 0;
};

}  // namespace

std::unique_ptr<Renderer> start_benchmark_json(const RunRecord& run, const Sink& sink) {
  return std::make_unique<BenchmarkJson>(run, sink);
}

}  // namespace assay::reports
