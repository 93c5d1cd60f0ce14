// SPDX-License-Identifier: Apache-2.0
#include "harness/run/measured_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "harness/run/alike_groups.h"
#include "harness/run/settings.h"

namespace assay::run {
namespace {

using reports::Measurement;
using spec::Json;

constexpr double kLeastNoise = 1e-5;
constexpr double kMostNoise = 1e5;

// units * 10^exponent, as its shortest text is read.
double decimal(double units, int exponent) {
  return std::strtod(fmt::format("{:.0f}e{}", units, exponent).c_str(), nullptr);
}

// Two significant digits, away from zero.
double rounded_up(double value) {
  if (value == 0.0 || !std::isfinite(value)) {
    return value;
  }
  const int exponent = static_cast<int>(std::floor(std::log10(value))) - 1;
  double units = std::floor(value / std::pow(10.0, exponent)) - 1;
  while (decimal(units, exponent) < value) {
    ++units;
  }
  return decimal(units, exponent);
}

// To thousandths, towards zero.
double rounded_down(double value) {
  constexpr int kExponent = -3;
  double units = std::ceil(value * 1000) + 1;
  while (units > 0 && decimal(units, kExponent) > value) {
    --units;
  }
  return decimal(units, kExponent);
}

double rounded_down_to_half(double value) { return std::floor(value * 2) / 2; }

const Measurement* find(const std::vector<Measurement>& measurements, const std::string& metric,
                        const std::string& output) {
  const auto found = std::ranges::find_if(
      measurements, [&](const Measurement& m) { return m.metric == metric && m.output == output; });
  return found == measurements.end() ? nullptr : &*found;
}

using Results = std::vector<const std::vector<Measurement>*>;

// The worst value of a metric over the results; nothing where a result lacks it.
std::optional<double> worst(const Results& results, const std::string& metric, const std::string& output,
                            bool higher_is_better) {
  std::optional<double> value;
  for (const std::vector<Measurement>* result : results) {
    const Measurement* measured = find(*result, metric, output);
    if (measured == nullptr || std::isnan(measured->value)) {
      return std::nullopt;
    }
    const double own = higher_is_better && measured->low ? *measured->low : measured->value;
    value = !value ? own : higher_is_better ? std::min(*value, own) : std::max(*value, own);
  }
  return value;
}

struct Limit {
  std::string metric;
  std::string output;
  bool is_floor;
  double value;
};

std::vector<Limit> limits_of(const Results& results, const std::string& output, double headroom) {
  std::vector<Limit> limits;
  for (const char* metric : {"top1_accuracy", "top1_agreement"}) {
    if (const auto share = worst(results, metric, output, true)) {
      limits.push_back({metric, output, true, std::max(0.0, rounded_down(*share))});
    }
  }
  if (const auto error = worst(results, "max_abs_error", output, false); error && std::isfinite(*error)) {
    limits.push_back({"max_abs_error", output, false, rounded_up(*error * headroom)});
  }
  if (const auto ratio = worst(results, "sqnr_db", output, true); ratio && std::isfinite(*ratio)) {
    limits.push_back({"sqnr_db", output, true, rounded_down_to_half(*ratio - 20.0 * std::log10(headroom))});
  }
  return limits;
}

bool keeps(const std::vector<Measurement>& measurements, const Limit& limit) {
  const Measurement* measured = find(measurements, limit.metric, limit.output);
  return measured != nullptr && (limit.is_floor ? measured->value >= limit.value : measured->value <= limit.value);
}

std::vector<std::string> measured_outputs(const std::vector<MeasuredVariant>& variants) {
  std::vector<std::string> outputs;
  for (const MeasuredVariant& variant : variants) {
    for (const Measurement& measured : variant.measurements) {
      if (!measured.output.empty() && std::ranges::find(outputs, measured.output) == outputs.end()) {
        outputs.push_back(measured.output);
      }
    }
  }
  return outputs;
}

const std::vector<Measurement>& without_fault(const MeasuredVariant& variant) {
  return variant.fault ? variant.fault->without : variant.measurements;
}

std::string place_text(const spec::Condition& when) {
  const std::string text = condition_text(when);
  return text.empty() ? "every variant" : text;
}

class Writer {
 public:
  Writer(const std::vector<MeasuredVariant>& variants, double headroom, const CauseOf& cause_of)
      : variants_(variants), headroom_(headroom), cause_of_(cause_of), outputs_(measured_outputs(variants)) {}

  MeasuredChecks write() {
    std::vector<Judged> judged;
    for (const MeasuredVariant& variant : variants_) {
      judged.push_back({variant.configuration, std::log2(noise_of(without_fault(variant)))});
    }
    const std::vector<AlikeGroup> groups = alike_groups(judged, std::log2(kAlikeNoise));
    breaks_.assign(variants_.size(), false);
    for (const AlikeGroup& group : groups) {
      add_checks(group);
    }
    // That quantizing costs accuracy is no finding.
    auto best = std::ranges::find_if(groups, [this](const AlikeGroup& group) { return has_quantized(group); });
    best = best == groups.end() ? groups.begin() : best;
    for (auto group = best; group != groups.end(); ++group) {
      if (noise_without_fault(*group) > kAlikeNoise * noise_without_fault(*best)) {
        say_worse(*group, *best);
      }
    }
    add_faults();
    return std::move(made_);
  }

 private:
  void add_checks(const AlikeGroup& group) {
    Results results;
    for (const std::size_t i : group.members) {
      results.push_back(&without_fault(variants_[i]));
    }
    for (const std::string& output : outputs_) {
      for (const Limit& limit : limits_of(results, output, headroom_)) {
        Json check = Json::object();
        check["metric"] = limit.metric;
        if (outputs_.size() > 1) {
          check["output"] = output;
        }
        check[limit.is_floor ? "at_least" : "at_most"] = limit.value;
        if (!group.when.terms.empty()) {
          check["when"] = condition_json(group.when);
        }
        made_.expect.push_back(std::move(check));
        for (const std::size_t i : group.members) {
          breaks_[i] = breaks_[i] || !keeps(variants_[i].measurements, limit);
        }
      }
    }
  }

  bool has_quantized(const AlikeGroup& group) const {
    return std::ranges::any_of(group.members, [this](std::size_t i) { return quantizes(variants_[i].configuration); });
  }

  double noise_without_fault(const AlikeGroup& group) const {
    double noise = 0;
    for (const std::size_t i : group.members) {
      noise = std::max(noise, noise_of(without_fault(variants_[i])));
    }
    return noise;
  }

  void say_worse(const AlikeGroup& group, const AlikeGroup& best) {
    std::vector<std::size_t> members = group.members;
    std::ranges::stable_sort(members, {}, [this](std::size_t i) { return noise_of(without_fault(variants_[i])); });
    std::optional<Cause> cause;
    for (std::size_t i = 0; i < members.size() && !cause; ++i) {
      cause = cause_of_(members[i], group.when);
    }
    made_.findings.push_back(
        fmt::format("{}: {} the error of {}{}; own tolerances", place_text(group.when),
                    times_text(noise_without_fault(group) / noise_without_fault(best)), place_text(best.when),
                    cause ? fmt::format(", less with {} ({})", cause->change, cause->name) : ", cause not found"));
  }

  // An xfail for each known fault, where it breaks the tolerances; those that it does not break are said.
  void add_faults() {
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> faults;
    for (std::size_t i = 0; i < variants_.size(); ++i) {
      if (const auto& fault = variants_[i].fault) {
        faults[{fault->cause, fault->change}].push_back(i);
      }
    }
    for (const auto& [fault, members] : faults) {
      std::vector<Judged> broken;
      std::vector<Judged> tolerated;
      for (std::size_t i = 0; i < variants_.size(); ++i) {
        const bool has = std::ranges::find(members, i) != members.end();
        broken.push_back({variants_[i].configuration, has && breaks_[i] ? 1.0 : 0.0});
        tolerated.push_back({variants_[i].configuration, has && !breaks_[i] ? 1.0 : 0.0});
      }
      for (const AlikeGroup& group : alike_groups(broken, 0)) {
        if (broken[group.members.front()].value > 0) {
          add_xfail(fault, group);
        }
      }
      for (const AlikeGroup& group : alike_groups(tolerated, 0)) {
        if (tolerated[group.members.front()].value > 0) {
          made_.findings.push_back(fmt::format("{}: {} ({}), within the tolerances all the same",
                                               place_text(group.when), error_text(group, fault.second), fault.first));
        }
      }
    }
  }

  std::string error_text(const AlikeGroup& group, const std::string& change) const {
    double factor = 0;
    for (const std::size_t i : group.members) {
      factor = std::max(factor, noise_of(variants_[i].measurements) / noise_of(without_fault(variants_[i])));
    }
    return fmt::format("{} the error that {} gives", times_text(factor), change);
  }

  void add_xfail(const std::pair<std::string, std::string>& fault, const AlikeGroup& group) {
    const std::string error = error_text(group, fault.second);
    Json claim = Json::object();
    if (!group.when.terms.empty()) {
      claim["when"] = condition_json(group.when);
    }
    claim["outcome"] = "xfail";
    claim["reason"] = error + (variants_[group.members.front()].fault->is_one ? "" : " (" + fault.first + ")");
    if (variants_[group.members.front()].fault->is_one) {
      claim["cause"] = fault.first;  // of several, no single change would confirm one
    }
    made_.expect.push_back(std::move(claim));
    made_.findings.push_back(fmt::format("{}: {} ({}); xfail", place_text(group.when), error, fault.first));
  }

  const std::vector<MeasuredVariant>& variants_;
  const double headroom_;
  const CauseOf& cause_of_;
  const std::vector<std::string> outputs_;
  std::vector<bool> breaks_;  // by variant: as it is, it does not keep its tolerances
  MeasuredChecks made_;
};

}  // namespace

double noise_of(const std::vector<Measurement>& measurements) {
  double noise = kLeastNoise;
  for (const Measurement& measured : measurements) {
    if (measured.metric == "sqnr_db") {
      noise = std::isnan(measured.value) ? kMostNoise : std::max(noise, std::pow(10.0, -measured.value / 20.0));
    }
  }
  return std::min(noise, kMostNoise);
}

std::string times_text(double factor) {
  const double unit = std::pow(10.0, std::floor(std::log10(factor)) - 1);
  return factor < 10 ? fmt::format("{:.1f} times", factor)
                     : fmt::format("{:.0f} times", std::round(factor / unit) * unit);
}

MeasuredChecks measured_checks(const std::vector<MeasuredVariant>& variants, double headroom, const CauseOf& cause_of) {
  return Writer(variants, headroom, cause_of).write();
}

}  // namespace assay::run
