// SPDX-License-Identifier: Apache-2.0
#include "harness/run/alike_groups.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace assay::run {
namespace {

using spec::Json;

// What the members of a group have as the value of an axis, and the sum of what they are judged by.
struct AxisValue {
  Json value;
  std::size_t count = 0;
  double sum = 0;
  double squares = 0;
  double mean() const { return sum / static_cast<double>(count); }
};

struct Split {
  std::string axis;
  std::vector<Json> low;  // the values of one part, and of the other
  std::vector<Json> high;
  double error = std::numeric_limits<double>::infinity();  // squared, from the means of the two parts
};

class Grower {
 public:
  Grower(const std::vector<Judged>& judged, double alike) : judged_(judged), alike_(alike) {}

  std::vector<AlikeGroup> grow() {
    AlikeGroup all;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      all.members.push_back(i);
    }
    if (!all.members.empty()) {
      split(std::move(all));
    }
    std::ranges::stable_sort(groups_, {}, [this](const AlikeGroup& group) { return mean_of(group); });
    return std::move(groups_);
  }

 private:
  void split(AlikeGroup group) {
    const std::optional<Split> best = is_alike(group) ? std::nullopt : best_split(group);
    if (!best) {
      groups_.push_back(std::move(group));
      return;
    }
    for (const std::vector<Json>* values : {&best->low, &best->high}) {
      AlikeGroup part{.when = group.when, .members = {}};
      const spec::Condition condition{{{best->axis, *values}}};
      narrow(part.when, condition.terms.front());
      std::ranges::copy_if(group.members, std::back_inserter(part.members),
                           [&](std::size_t i) { return condition.holds(judged_[i].configuration); });
      split(std::move(part));
    }
  }

  // Axes stand in the order of their table.
  static void narrow(spec::Condition& when, const std::pair<std::string, std::vector<Json>>& term) {
    const auto rank = [](const std::pair<std::string, std::vector<Json>>& entry) {
      return spec::find_axis(entry.first) - spec::axes().data();
    };
    const auto place = std::ranges::lower_bound(when.terms, rank(term), {}, rank);
    if (place != when.terms.end() && place->first == term.first) {
      place->second = term.second;
    } else {
      when.terms.insert(place, term);
    }
  }

  bool is_alike(const AlikeGroup& group) const {
    const auto [least, most] =
        std::ranges::minmax(group.members, {}, [this](std::size_t i) { return judged_[i].value; });
    return judged_[most].value - judged_[least].value <= alike_;
  }

  double mean_of(const AlikeGroup& group) const {
    double sum = 0;
    for (const std::size_t i : group.members) {
      sum += judged_[i].value;
    }
    return sum / static_cast<double>(group.members.size());
  }

  std::vector<AxisValue> values_of(const spec::Axis& axis, const AlikeGroup& group) const {
    std::vector<AxisValue> values;
    for (const std::size_t i : group.members) {
      const Json& value = judged_[i].configuration.get(axis.name);
      auto known = std::ranges::find(values, value, &AxisValue::value);
      if (known == values.end()) {
        known = values.insert(values.end(), AxisValue{.value = value});
      }
      ++known->count;
      known->sum += judged_[i].value;
      known->squares += judged_[i].value * judged_[i].value;
    }
    return values;
  }

  // Nothing where no axis has two values.
  std::optional<Split> best_split(const AlikeGroup& group) const {
    std::optional<Split> best;
    for (const spec::Axis& axis : spec::axes()) {
      std::vector<AxisValue> values = values_of(axis, group);
      if (values.size() < 2) {
        continue;
      }
      std::vector<Json> in_order;
      for (const AxisValue& value : values) {
        in_order.push_back(value.value);
      }
      std::ranges::stable_sort(values, {}, &AxisValue::mean);
      for (std::size_t cut = 1; cut < values.size(); ++cut) {
        const double error = error_of(values, 0, cut) + error_of(values, cut, values.size());
        // Rounding does not decide between two that are as good.
        if (!best || error < best->error - kTiny) {
          best = Split{.axis = std::string(axis.name),
                       .low = values_between(values, 0, cut, in_order),
                       .high = values_between(values, cut, values.size(), in_order),
                       .error = error};
        }
      }
    }
    return best;
  }

  static double error_of(const std::vector<AxisValue>& values, std::size_t begin, std::size_t end) {
    double count = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t i = begin; i < end; ++i) {
      count += static_cast<double>(values[i].count);
      sum += values[i].sum;
      squares += values[i].squares;
    }
    return squares - sum * sum / count;
  }

  // In the order of the case.
  static std::vector<Json> values_between(const std::vector<AxisValue>& values, std::size_t begin, std::size_t end,
                                          const std::vector<Json>& in_order) {
    std::vector<Json> part;
    for (const Json& value : in_order) {
      const auto found = std::ranges::find(values, value, &AxisValue::value) - values.begin();
      if (static_cast<std::size_t>(found) >= begin && static_cast<std::size_t>(found) < end) {
        part.push_back(value);
      }
    }
    return part;
  }

  static constexpr double kTiny = 1e-9;
  const std::vector<Judged>& judged_;
  double alike_;
  std::vector<AlikeGroup> groups_;
};

}  // namespace

std::vector<AlikeGroup> alike_groups(const std::vector<Judged>& judged, double alike) {
  return Grower(judged, alike).grow();
}

Json condition_json(const spec::Condition& condition) {
  Json json = Json::object();
  for (const auto& [axis, values] : condition.terms) {
    // The one value of an axis of lists is a list of one in a list: without it, it would state several values.
    const bool bare = values.size() == 1 && !values.front().is_array();
    json[axis] = bare ? values.front() : Json(values);
  }
  return json;
}

std::string condition_text(const spec::Condition& condition) {
  std::string text;
  for (const auto& [axis, values] : condition.terms) {
    text += (text.empty() ? "" : " ") + axis + "=";
    for (std::size_t i = 0; i < values.size(); ++i) {
      text += (i == 0 ? "" : ",") + spec::axis_value_text(values[i]);
    }
  }
  return text;
}

}  // namespace assay::run
