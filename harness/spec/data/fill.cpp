// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/fill.h"

#include <vector>

#include <fmt/format.h>

#include "harness/spec/data/element_value.h"

namespace assay::spec {
namespace {

struct FillContext {
  double low = 0;
  double high = 0;
  std::optional<double> step;
  bool floating = false;
  DType dtype = DType::kUndefined;
  Index sample_size = 1;
};

// The values of one period; element i has the value i mod size.
using Pattern = std::vector<double>;

Pattern saturating_pairs(const FillContext& context) {
  Pattern pattern(8, context.high);
  pattern[7] = context.low;
  return pattern;
}

Pattern rounding_ties(const FillContext& context) {
  const double step = context.step.value_or(1.0 / 32.0);
  Pattern pattern = {-128.0 * step, 127.0 * step};
  for (int k = -128; k <= 126; ++k) {
    pattern.push_back((k + 0.5) * step);
  }
  return pattern;
}

Pattern extremes(const FillContext& context) {
  if (context.floating) {
    return {context.low, context.high, 0.0, context.low / 2.0, context.high / 2.0};
  }
  return {context.low, context.high, 0.0, context.low + 1.0, context.high - 1.0};
}

Pattern zero_point_edges(const FillContext& context) {
  if (!context.floating) {
    return context.dtype == DType::kUint8 ? Pattern{0, 1, 127, 128, 129, 254, 255}
                                          : Pattern{-128, -127, -1, 0, 1, 126, 127};
  }
  const double step = context.step.value_or((context.high - context.low) / 255.0);
  return {0.0, 0.5 * step, -0.5 * step, step, -step, 1.5 * step, -1.5 * step, context.low, context.high};
}

struct FillRow {
  std::string_view name;
  Pattern (*pattern)(const FillContext& context);
  bool for_integers;
};

constexpr FillRow kFills[] = {
    {"saturating_pairs", saturating_pairs, true},
    {"rounding_ties", rounding_ties, false},
    {"extremes", extremes, true},
    {"zero_point_edges", zero_point_edges, true},
};

// Not periodic in anything small, so apart from the patterns.
double one_hot_value(const FillContext& context, Index i) {
  const Index sample = i / context.sample_size;
  const bool hot = i % context.sample_size == sample % context.sample_size;
  return hot ? context.high : context.floating ? 0.0 : context.low;
}

}  // namespace

std::string fill_adversarial(const std::string& name, const FillOptions& options, Tensor& tensor) {
  FillContext context{options.low, options.high, options.step, is_floating(tensor.dtype()), tensor.dtype(), 1};
  if (!context.floating && !is_8bit(tensor.dtype())) {
    return fmt::format("fill '{}' is for floating-point and 8-bit tensors, not for {}", name,
                       dtype_name(tensor.dtype()));
  }
  if (context.floating && !(options.low <= options.high)) {
    return fmt::format("'low' {} is above 'high' {}", options.low, options.high);
  }
  if (!context.floating) {
    const IntegerRange range = dtype_integer_range(tensor.dtype());
    context.low = static_cast<double>(range.min);
    context.high = static_cast<double>(range.max);
  }
  if (tensor.rank() > 0 && tensor.dim(0) > 0) {
    context.sample_size = tensor.size() / tensor.dim(0);
  }
  if (name == "one_hot") {
    for (Index i = 0; i < tensor.size(); ++i) {
      if (std::string reason = store(tensor, i, one_hot_value(context, i)); !reason.empty()) {
        return reason;
      }
    }
    return {};
  }
  for (const FillRow& row : kFills) {
    if (row.name != name) {
      continue;
    }
    if (!context.floating && !row.for_integers) {
      return fmt::format("fill '{}' makes fractions, which {} cannot hold", name, dtype_name(tensor.dtype()));
    }
    const Pattern pattern = row.pattern(context);
    for (Index i = 0; i < tensor.size(); ++i) {
      const std::string reason = store(tensor, i, pattern[static_cast<std::size_t>(i) % pattern.size()]);
      if (!reason.empty()) {
        return reason;
      }
    }
    return {};
  }
  return fmt::format("unknown fill '{}'", name);
}

}  // namespace assay::spec
