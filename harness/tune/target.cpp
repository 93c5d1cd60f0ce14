// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/target.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace assay::tune {
namespace {

constexpr std::string_view kAgreement = "_agreement";

// What would need a quantized output's step, or says nothing of outputs.
bool is_usable(const compare::Metric& metric) {
  return metric.kind != compare::MetricKind::kRunFact && metric.name != "max_steps" &&
         metric.name != "mismatch_share" && metric.name != "exact";
}

std::string known_names() {
  std::string names = "top1_drop, topN_agreement, sqnr";
  for (const compare::Metric& metric : compare::metrics()) {
    names += is_usable(metric) && metric.name != "topk_agreement" ? ", " + std::string(metric.name) : "";
  }
  return names;
}

template <typename T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Fills in the metric; false for a name that is none.
bool find_measure(std::string_view name, Target& target) {
  if (name == "top1_drop") {
    target.drop = true;
    target.metric = compare::find_metric("top1_accuracy");
  } else if (name == "sqnr") {
    target.metric = compare::find_metric("sqnr_db");
  } else {
    target.metric = compare::find_metric(name);
    if (target.metric == nullptr && name.starts_with("top") && name.ends_with(kAgreement) &&
        parse_whole(name.substr(3, name.size() - 3 - kAgreement.size()), target.k) && target.k > 0) {
      target.metric = compare::find_metric("topk_agreement");
    }
  }
  return target.metric != nullptr && is_usable(*target.metric);
}

// The best value that there is, if there is one: shares and cosines end at 1, errors at 0, a drop at all points gained.
std::optional<double> best_value(const Target& target) {
  if (target.drop) {
    return -100;
  }
  if (!target.higher_is_better()) {
    return 0;
  }
  return target.metric->unit == "dB" ? std::nullopt : std::optional(1.0);
}

}  // namespace

bool Target::is_of_classes() const {
  return metric->name.starts_with("top1_") || metric->name == "topk_agreement" || metric->name == "kl_divergence";
}

bool Target::met(double value) const { return higher_is_better() ? value >= limit : value <= limit; }

bool Target::better(double value, double other) const {
  if (std::isnan(value) || std::isnan(other)) {
    return !std::isnan(value) && std::isnan(other);
  }
  return higher_is_better() ? value > other : value < other;
}

Result<Target> parse_target(const std::string& text) {
  const auto fail = [&](const std::string& rule) { return invalid_argument("--target " + text + ": " + rule); };
  const std::size_t split = text.find_first_of("<>=");
  const std::string_view sign = split == std::string::npos ? "" : std::string_view(text).substr(split, 2);
  if (sign != "<=" && sign != ">=") {
    return fail("expected NAME<=NUMBER or NAME>=NUMBER, as sqnr>=30");
  }
  const auto trimmed = [](std::string_view part) {
    const std::size_t begin = part.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view()
                                           : part.substr(begin, part.find_last_not_of(' ') - begin + 1);
  };
  const std::string_view name = trimmed(std::string_view(text).substr(0, split));
  const std::string_view number = trimmed(std::string_view(text).substr(split + 2));
  Target target;
  target.text = text;
  if (!find_measure(name, target)) {
    return fail(fmt::format("'{}' cannot be a target; these can: {}", name, known_names()));
  }
  if (!parse_whole(number, target.limit) || !std::isfinite(target.limit)) {
    return fail(fmt::format("'{}' is not a number", number));
  }
  if (target.higher_is_better() != (sign == ">=")) {
    return fail(fmt::format("{} is better the {}: write {}", name, target.higher_is_better() ? "higher" : "lower",
                            target.higher_is_better() ? ">=" : "<="));
  }
  if (const std::optional<double> best = best_value(target); best && !target.met(*best)) {
    return fail(fmt::format("cannot be met: {} is {} at best", name, *best));
  }
  return target;
}

}  // namespace assay::tune
