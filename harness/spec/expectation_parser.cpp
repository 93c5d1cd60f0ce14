// SPDX-License-Identifier: Apache-2.0
// Entries of `expect` and `reference`.
#include <algorithm>

#include <fmt/format.h>

#include "harness/spec/case_parser.h"

namespace assay::spec {
namespace {

std::string text_of(const Element& element) {
  return element.json().is_string() ? element.json().get<std::string>() : std::string();
}

std::optional<double> number_of(const Element& element) {
  return element.exists() ? std::optional<double>(element.json().get<double>()) : std::nullopt;
}

// Keys that only some metrics know; a key's rows stand together.
struct MetricKey {
  std::string_view key;
  std::string_view metric;
};
constexpr MetricKey kMetricKeys[] = {
    {"quantile", "quantile_abs_error"},
    {"beyond_steps", "mismatch_share"},
    {"k", "topk_agreement"},
    {"rtol", "tolerance_ratio"},
    {"atol", "tolerance_ratio"},
    {"side", "max_abs_error"},
    {"side", "mean_abs_error"},
    {"side", "rmse"},
    {"side", "max_rel_error"},
    {"side", "tolerance_ratio"},
    {"side", "quantile_abs_error"},
    {"side", "max_steps"},
    {"side", "mismatch_share"},
    {"side", "mcnemar_p"},
    {"confident", "top1_agreement"},
    {"confident", "top1_accuracy"},
    {"confident", "accuracy_drop"},
    {"op", "node_count"},
    {"graph", "node_count"},
};
// Metrics that compare no two outputs.
constexpr std::string_view kWithoutPart[] = {"top1_accuracy", "saturated_pair_share", "node_count", "peak_bytes"};
// Metrics of the run as a whole.
constexpr std::string_view kWithoutOutput[] = {"saturated_pair_share", "node_count", "peak_bytes"};

void check_metric_keys(const Element& element, const std::string& metric, Errors& errors) {
  for (const std::string& key : element.keys()) {
    std::vector<std::string_view> owners;
    for (const MetricKey& row : kMetricKeys) {
      if (row.key == key) {
        owners.push_back(row.metric);
      }
    }
    if (!owners.empty() && std::find(owners.begin(), owners.end(), metric) == owners.end()) {
      errors.add(
          element.member(key).key_error(fmt::format("'{}' belongs to the metric{} '{}', not to '{}'", key,
                                                    owners.size() == 1 ? "" : "s", fmt::join(owners, "', '"), metric)));
    }
  }
}

Check parse_check(const Element& element, Errors& errors) {
  Check check;
  check.metric = text_of(element.member("metric"));
  check.at_most = number_of(element.member("at_most"));
  check.at_least = number_of(element.member("at_least"));
  if (!check.at_most && !check.at_least && check.metric != "exact") {
    errors.add(element.error(fmt::format("a check of '{}' needs 'at_most' or 'at_least'", check.metric)));
  }
  if (check.at_most && check.at_least && *check.at_least > *check.at_most) {
    errors.add(element.member("at_least").error("'at_least' is above 'at_most': nothing can pass"));
  }
  check_metric_keys(element, check.metric, errors);
  check.output = text_of(element.member("output"));
  for (const std::string_view metric : kWithoutOutput) {
    if (metric == check.metric && element.member("output").exists()) {
      errors.add(element.member("output").key_error(fmt::format("'{}' is of the whole run, not of an output", metric)));
    }
  }
  check.quantile = number_of(element.member("quantile")).value_or(check.quantile);
  if (check.quantile <= 0) {
    errors.add(element.member("quantile").error("'quantile' must be above 0"));
  }
  check.beyond_steps = number_of(element.member("beyond_steps")).value_or(check.beyond_steps);
  if (const Element k = element.member("k"); k.exists()) {
    check.k = static_cast<Index>(k.json().get<double>());
  }
  check.rtol = number_of(element.member("rtol")).value_or(check.rtol);
  check.atol = number_of(element.member("atol")).value_or(check.atol);
  check.part = text_of(element.member("part"));
  const bool whole =
      std::find(std::begin(kWithoutPart), std::end(kWithoutPart), check.metric) != std::end(kWithoutPart);
  if (whole && !check.part.empty()) {
    errors.add(element.member("part").key_error(
        fmt::format("'part' is of metrics that compare outputs with a reference, not of '{}'", check.metric)));
  }
  check.side = text_of(element.member("side"));
  if (check.side == "both") {
    check.side.clear();
  }
  check.confident = element.member("confident").json() == true;
  check.op = text_of(element.member("op"));
  if (check.metric == "node_count") {
    const Element graph = element.member("graph");
    check.graph = graph.exists() ? text_of(graph) : "optimized";
  }
  return check;
}

Claim parse_claim(const Element& element, Errors& errors) {
  Claim claim;
  const std::string outcome = text_of(element.member("outcome"));
  claim.kind = outcome == "xfail" ? ClaimKind::kXfail : outcome == "refused" ? ClaimKind::kRefused : ClaimKind::kWarned;
  claim.reason = text_of(element.member("reason"));
  claim.cause = text_of(element.member("cause"));
  claim.message = text_of(element.member("message"));
  const bool xfail = claim.kind == ClaimKind::kXfail;
  if (xfail && claim.reason.empty()) {
    errors.add(element.error("an xfail needs a 'reason'"));
  }
  if (!xfail && claim.message.empty()) {
    errors.add(element.error(fmt::format("'{}' needs the 'message' that is expected", outcome)));
  }
  for (const char* key : {"reason", "cause"}) {
    if (!xfail && element.member(key).exists()) {
      errors.add(element.member(key).key_error(fmt::format("'{}' belongs to xfail, not to {}", key, outcome)));
    }
  }
  if (xfail && element.member("message").exists()) {
    errors.add(element.member("message").key_error("'message' belongs to refused and warned, not to xfail"));
  }
  return claim;
}

Configuration parse_configuration(const Element& element, Errors& errors) {
  Configuration configuration = float_reference();
  for (auto& [axis, values] : parse_axes(element, errors)) {
    if (values.size() != 1) {
      errors.add(
          element.member(axis).error(fmt::format("axis '{}' needs one value here, found {}", axis, values.size())));
      continue;
    }
    configuration.set(axis, values.front());
  }
  return configuration;
}

GoldenReference parse_golden(const Element& element) {
  GoldenReference golden;
  if (element.json().is_string()) {
    golden.path = resolve_path(element, text_of(element));
  }
  for (const std::string& output : element.keys()) {
    const Element file = element.member(output);
    golden.files.emplace_back(output, resolve_path(file, text_of(file)));
  }
  return golden;
}

Reference parse_reference(const Element& element, Errors& errors) {
  Reference reference;
  reference.element = element;
  reference.when = parse_condition(element.member("when"), errors);
  if (const Element configuration = element.member("configuration"); configuration.exists()) {
    reference.what = ConfigurationReference{parse_configuration(configuration, errors)};
  } else if (const Element runtime = element.member("runtime"); runtime.exists()) {
    reference.what = RuntimeReference{text_of(runtime)};
  } else if (const Element golden = element.member("golden"); golden.exists()) {
    reference.what = parse_golden(golden);
  } else {
    ValuesReference values;
    for (const std::string& output : element.member("values").keys()) {
      values.outputs.emplace_back(output, element.member("values").member(output));
    }
    reference.what = std::move(values);
  }
  return reference;
}

}  // namespace

Configuration float_reference() {
  Configuration configuration;
  configuration.set("quantizer.format", "none");
  configuration.set("runtime.optimization", "none");
  configuration.set("runtime.isa", "scalar");
  return configuration;
}

std::vector<Expectation> parse_expectations(const Element& element, Errors& errors) {
  std::vector<Expectation> expectations;
  for (std::size_t i = 0; i < element.size(); ++i) {
    const Element entry = element.item(i);
    Expectation expectation;
    expectation.element = entry;
    expectation.when = parse_condition(entry.member("when"), errors);
    expectation.has_unless = entry.member("unless").exists();
    expectation.unless = parse_condition(entry.member("unless"), errors);
    if (entry.member("metric").exists()) {
      expectation.what = parse_check(entry, errors);
    } else {
      expectation.what = parse_claim(entry, errors);
    }
    expectations.push_back(std::move(expectation));
  }
  return expectations;
}

std::vector<Reference> parse_references(const Element& element, Errors& errors) {
  std::vector<Reference> references;
  if (element.json().is_array()) {
    for (std::size_t i = 0; i < element.size(); ++i) {
      references.push_back(parse_reference(element.item(i), errors));
    }
  } else if (element.exists()) {
    references.push_back(parse_reference(element, errors));
  }
  return references;
}

const Reference* Case::reference_for(const Configuration& configuration) const {
  for (const Reference& reference : references) {
    if (reference.when.holds(configuration)) {
      return &reference;
    }
  }
  return nullptr;
}

}  // namespace assay::spec
