// SPDX-License-Identifier: Apache-2.0
#include "engine/api/calibrate.h"

#include "engine/api/observe.h"
#include "engine/api/sample_workers.h"
#include "engine/quantizer/calibration/range_collector.h"

namespace assay::api {
namespace {

using quantizer::CountRecord;
using quantizer::RangeCollector;
using quantizer::SampleRecord;

// Extremes and counts do not depend on the order of the elements; the sums of moments do, and where the first element
// is that is not finite: then the sample runs once more.
Status observe_first(const Session& session, const NamedTensors& inputs, const quantizer::CalibrationOptions& options,
                     SampleRecord& record) {
  record.begin_sample();
  const bool in_any_order = options.method != quantizer::Calibration::kMeanSigma;
  ASSAY_TRY(observe_sample(
      session, inputs, [&](const std::string& value, const Tensor& tensor) { record.observe(value, tensor); },
      in_any_order));
  if (in_any_order && record.has_fault()) {
    return observe_sample(session, inputs,
                          [&](const std::string& value, const Tensor& tensor) { record.locate_fault(value, tensor); });
  }
  return {};
}

Status find_extremes(const std::vector<Session>& sessions, const CalibrationSource& source,
                     const quantizer::CalibrationOptions& options, RangeCollector& collector) {
  std::vector<SampleRecord> records(sessions.size(), SampleRecord(options));
  const SampleWork work{.run =
                            [&](int worker, Index sample, const NamedTensors& inputs) {
                              (void)sample;
                              return observe_first(sessions[static_cast<std::size_t>(worker)], inputs, options,
                                                   records[static_cast<std::size_t>(worker)]);
                            },
                        .in_order =
                            [&](int worker, Index sample) {
                              (void)sample;
                              collector.add_sample(records[static_cast<std::size_t>(worker)]);
                            }};
  ASSAY_ASSIGN(const Index samples, run_samples(source, static_cast<int>(sessions.size()), work));
  if (samples == 0) {
    return invalid_argument("calibration: the data has no samples");
  }
  collector.end_first_pass(records);
  return {};
}

Status count_bins(const std::vector<Session>& sessions, const CalibrationSource& source, RangeCollector& collector) {
  std::vector<CountRecord> records(sessions.size(), CountRecord(collector));
  const SampleWork work{
      .run =
          [&](int worker, Index sample, const NamedTensors& inputs) {
            CountRecord& record = records[static_cast<std::size_t>(worker)];
            return observe_sample(
                sessions[static_cast<std::size_t>(worker)], inputs,
                [&](const std::string& value, const Tensor& tensor) { record.observe(sample, value, tensor); }, true);
          },
      .in_order = nullptr};
  ASSAY_ASSIGN(const Index samples, run_samples(source, static_cast<int>(sessions.size()), work));
  if (samples != collector.samples()) {
    return invalid_argument("calibration: the data had " + std::to_string(collector.samples()) +
                            " samples in the first pass and " + std::to_string(samples) + " in the second");
  }
  for (const CountRecord& record : records) {
    collector.add(record);
  }
  return {};
}

}  // namespace

Result<CalibrationResult> calibrate(const Model& model, const CalibrationSource& source,
                                    const quantizer::CalibrationOptions& options,
                                    const quantizer::RangeScheme& scheme) {
  if (!source) {
    return invalid_argument("calibration: no data given; it is needed unless quantizer.ranges is");
  }
  ASSAY_ASSIGN(const std::vector<Session> sessions, observing_sessions(model, options.threads));
  RangeCollector collector(options);
  ASSAY_TRY(find_extremes(sessions, source, options, collector));
  if (collector.needs_second_pass()) {
    ASSAY_TRY(count_bins(sessions, source, collector));
  }
  std::vector<quantizer::ObservedValue> observed(collector.value_count());
  ASSAY_TRY(run_tasks(observed.size(), static_cast<int>(sessions.size()),
                      [&](std::size_t value) { observed[value] = collector.observed(value, scheme); }));
  CalibrationResult result{.ranges = {}, .samples = collector.samples()};
  for (std::size_t value = 0; value < observed.size(); ++value) {
    result.ranges[collector.name(value)] = std::move(observed[value]);
  }
  return result;
}

}  // namespace assay::api
