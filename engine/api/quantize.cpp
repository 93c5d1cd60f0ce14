// SPDX-License-Identifier: Apache-2.0
#include "engine/api/quantize.h"

#include <algorithm>

#include "engine/api/calibrate.h"
#include "engine/api/calibration.h"
#include "engine/api/prepare.h"
#include "engine/ir/digest.h"
#include "engine/quantizer/calibration/range_collector.h"
#include "engine/quantizer/convert_s8_to_u8.h"
#include "engine/quantizer/quantize_graph.h"
#include "engine/quantizer/selection.h"

namespace assay::api {

struct Calibration::Impl {
  CalibrationResult result;
  std::string prepared_digest;  // of the prepared model
};

namespace {

quantizer::RangeScheme activation_scheme(const quantizer::Options& options) {
  return {.dtype = options.activation_type,
          .symmetric = options.activation_symmetric,
          .range = options.activation_range,
          .reduce_range = false};
}

Status check_ranges_model(const quantizer::CalibrationOptions& options, const std::string& digest) {
  if (options.ranges_model_digest.empty() || options.ranges_model_digest == digest) {
    return {};
  }
  return invalid_argument("quantizer.ranges: '" + options.ranges_file + "' was made for another model: its digest is " +
                          options.ranges_model_digest + ", that of this model is " + digest);
}

// Leaves out what another tool's ranges say of tensors that the model does not have.
Result<std::vector<std::string>> drop_foreign_ranges(const Graph& graph, quantizer::Options& options) {
  if (!options.calibration.ranges_are_foreign) {
    return std::vector<std::string>();
  }
  const std::string& file = options.calibration.ranges_file;
  std::string dropped;
  std::size_t count = 0;
  const auto known = [&](const std::string& name) {
    return graph.is_input(name) || std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
             return std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end();
           });
  };
  std::erase_if(options.ranges, [&](const auto& entry) {
    const bool unknown = !known(entry.first);
    dropped += unknown ? (dropped.empty() ? "'" : ", '") + entry.first + "'" : "";
    count += unknown ? 1 : 0;
    return unknown;
  });
  if (options.ranges.empty()) {
    return invalid_argument("quantizer.ranges: '" + file + "' names no tensor that this model computes; it has " +
                            dropped);
  }
  std::vector<std::string> warnings;
  if (count > 0) {
    warnings.push_back("quantizer.ranges: '" + file + "' has " + std::to_string(count) +
                       " tensors that this model does not compute: " + dropped);
  }
  return warnings;
}

std::map<std::string, std::pair<double, double>> usable_ranges(const quantizer::RangeTable& table) {
  std::map<std::string, std::pair<double, double>> ranges;
  for (const auto& [name, observed] : table) {
    if (observed.fault.empty()) {
      ranges[name] = {observed.range.min, observed.range.max};
    }
  }
  return ranges;
}

std::vector<TensorParams> tensor_params(const std::vector<quantizer::TensorReport>& reports) {
  std::vector<TensorParams> params;
  params.reserve(reports.size());
  for (const quantizer::TensorReport& report : reports) {
    params.push_back({.tensor = report.tensor,
                      .dtype = report.dtype,
                      .scales = report.scales,
                      .zero_points = report.zero_points,
                      .axis = report.axis,
                      .min = report.min,
                      .max = report.max});
  }
  return params;
}

// What calibration finds for the prepared model: what is known of it, else by running it.
Result<CalibrationResult> find_ranges(const Model& prepared, const CalibrationSource& source,
                                      const quantizer::Options& options, std::vector<Calibration>* known) {
  if (known == nullptr) {
    return calibrate(prepared, source, options.calibration, activation_scheme(options));
  }
  const std::string digest = graph_digest(prepared.graph());
  for (const Calibration& calibration : *known) {
    if (calibration.get()->prepared_digest == digest) {
      return calibration.get()->result;
    }
  }
  ASSAY_ASSIGN(CalibrationResult result, calibrate(prepared, source, options.calibration, activation_scheme(options)));
  known->emplace_back(std::make_shared<const Calibration::Impl>(Calibration::Impl{result, digest}));
  return result;
}

Result<QuantizeResult> quantize_with(const Model& model, const CalibrationSource& calibration,
                                     const quantizer::Options& given, std::vector<Calibration>* known) {
  ASSAY_TRY(quantizer::check_is_float_model(model.graph()));
  quantizer::Options options = given;
  ASSAY_ASSIGN(std::vector<std::string> warnings, drop_foreign_ranges(model.graph(), options));
  const std::string digest = graph_digest(model.graph());
  ASSAY_TRY(check_ranges_model(options.calibration, digest));
  ASSAY_TRY(quantizer::check_options(model.graph(), options));
  ASSAY_TRY(quantizer::check_calibration(options.calibration));
  ASSAY_ASSIGN(PreparedModel prepared, prepare(model, calibration, options));
  ASSAY_TRY(quantizer::check_ranges(model.graph(), prepared.model.graph(), options));

  CalibrationResult calibrated{.ranges = quantizer::range_table(options), .samples = 0};
  if (options.ranges.empty() && quantizer::needs_ranges(options)) {
    // What is known serves other options too, and bias correction quantizes in another form on the way.
    if (!options.calibration.every_range && known == nullptr && !options.bias_correction) {
      if (auto asked = quantizer::ranges_that_matter(prepared.model.graph(), prepared.options)) {
        options.calibration.asked = std::make_shared<const std::set<std::string>>(std::move(*asked));
      }
    }
    ASSAY_ASSIGN(calibrated, find_ranges(prepared.model, calibration, options, known));
  }
  const quantizer::RangeTable& ranges = calibrated.ranges;
  if (options.bias_correction) {
    ASSAY_ASSIGN(prepared, corrected(prepared, calibration, ranges));
  }
  ASSAY_ASSIGN(quantizer::QuantizedGraph quantized,
               quantizer::quantize_graph(prepared.model.graph(), ranges, prepared.options));
  ASSAY_ASSIGN(Model result, Model::from_graph(std::move(quantized.graph)));
  warnings.insert(warnings.end(), quantized.warnings.begin(), quantized.warnings.end());
  return QuantizeResult{.model = std::move(result),
                        .warnings = std::move(warnings),
                        .nodes = decisions(model.graph(), quantized.nodes),
                        .tensors = tensor_params(quantized.tensors),
                        .samples = calibrated.samples,
                        .ranges = usable_ranges(ranges),
                        .model_digest = digest,
                        .preparation = std::move(prepared.lines)};
}

}  // namespace

Result<QuantizeResult> quantize(const Model& model, const CalibrationSource& calibration,
                                const quantizer::Options& options) {
  return quantize_with(model, calibration, options, nullptr);
}

Result<QuantizeResult> quantize(const Model& model, const CalibrationSource& calibration,
                                const quantizer::Options& options, std::vector<Calibration>& known) {
  return quantize_with(model, calibration, options, &known);
}

bool needs_calibration(const quantizer::Options& options) {
  return quantizer::needs_samples(options) || (quantizer::needs_ranges(options) && options.ranges.empty());
}

Result<QuantizeResult> convert_s8_to_u8(const Model& model) {
  ASSAY_ASSIGN(quantizer::QuantizedGraph converted, quantizer::convert_s8_to_u8(model.graph()));
  ASSAY_ASSIGN(Model result, Model::from_graph(std::move(converted.graph)));
  return QuantizeResult{.model = std::move(result),
                        .warnings = std::move(converted.warnings),
                        .nodes = decisions(model.graph(), converted.nodes),
                        .tensors = {},
                        .samples = 0};
}

}  // namespace assay::api
