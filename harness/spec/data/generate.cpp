// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/generate.h"

#include <cmath>

#include <fmt/format.h>

#include "harness/spec/data/element_value.h"
#include "harness/spec/data/fill.h"
#include "harness/spec/data/random.h"
#include "harness/spec/data/target_shape.h"

namespace assay::spec {
namespace {

double number_or(const Element& element, double fallback) {
  return element.exists() ? element.json().get<double>() : fallback;
}

Error refused(const Element& element, const Target& target, const std::string& reason) {
  return element.error(fmt::format("{}: {}", target.what, reason));
}

Status fill_constant(const Element& element, const Target& target, Tensor& tensor) {
  const Number number = number_of(element.json());
  for (Index i = 0; i < tensor.size(); ++i) {
    if (const std::string reason = store(tensor, i, number); !reason.empty()) {
      return refused(element, target, reason);
    }
  }
  return {};
}

Status fill_ramp(const Element& element, const Target& target, Tensor& tensor) {
  const double start = number_or(element.member("start"), 0.0);
  const double step = number_or(element.member("step"), 1.0);
  for (Index i = 0; i < tensor.size(); ++i) {
    const std::string reason = store(tensor, i, start + static_cast<double>(i) * step);
    if (!reason.empty()) {
      return refused(element, target, fmt::format("element {} of the ramp: {}", i, reason));
    }
  }
  return {};
}

struct Distribution {
  std::string name;
  double low = 0;
  double high = 0;
  double mean = 0;
  double std = 1;
};

Result<Distribution> distribution_of(const Element& element, const Target& target, DType dtype) {
  Distribution result;
  const Element name = element.member("distribution");
  result.name = name.exists() ? name.json().get<std::string>() : is_floating(dtype) ? "uniform" : "integers";
  const bool integers = result.name == "integers";
  if (!integers && !is_floating(dtype)) {
    return refused(element, target,
                   fmt::format("distribution '{}' makes fractions, which {} cannot hold: use 'integers'", result.name,
                               dtype_name(dtype)));
  }
  const IntegerRange range = dtype_integer_range(dtype);
  const double least = is_8bit(dtype) ? static_cast<double>(range.min) : 0.0;
  const double largest = dtype == DType::kBool ? 1.0 : is_8bit(dtype) ? static_cast<double>(range.max) : 255.0;
  result.low = number_or(element.member("low"), integers ? least : -1.0);
  result.high = number_or(element.member("high"), integers ? largest : 1.0);
  result.mean = number_or(element.member("mean"), 0.0);
  result.std = number_or(element.member("std"), 1.0);
  if (result.low > result.high) {
    return refused(element, target, fmt::format("'low' {} is above 'high' {}", result.low, result.high));
  }
  for (const char* end : {"low", "high"}) {
    const Element given = element.member(end);
    if (integers && given.exists() && given.json().get<double>() != std::floor(given.json().get<double>())) {
      return refused(given, target,
                     fmt::format("'{}' of integers must be a whole number, found {}", end, given.json().dump()));
    }
  }
  constexpr double kLimit = 0x1p62;
  if (integers && !(result.low >= -kLimit && result.high <= kLimit)) {
    return refused(element, target, "'low' and 'high' of integers must lie within 2^62");
  }
  return result;
}

Status fill_random(const Element& element, const Target& target, Tensor& tensor, std::uint64_t seed) {
  ASSAY_ASSIGN(const Distribution distribution, distribution_of(element, target, tensor.dtype()));
  Random random(seed);
  const bool integers = distribution.name == "integers";
  const bool normal = distribution.name == "normal";
  const auto low = static_cast<std::int64_t>(integers ? distribution.low : 0.0);
  const auto high = static_cast<std::int64_t>(integers ? distribution.high : 0.0);
  for (Index i = 0; i < tensor.size(); ++i) {
    Number number;
    if (integers) {
      number = random.integer(low, high);
    } else if (normal) {
      number = distribution.mean + distribution.std * random.normal();
    } else {
      number = distribution.low + (distribution.high - distribution.low) * random.unit();
    }
    if (const std::string reason = store(tensor, i, number); !reason.empty()) {
      return refused(element, target, reason);
    }
  }
  return {};
}

}  // namespace

bool is_generated(const DataSource& source) {
  for (const char* kind : {"constant", "random", "ramp", "fill"}) {
    if (source.element.member(kind).exists()) {
      return true;
    }
  }
  return false;
}

std::optional<std::uint64_t> seed_for(const DataSource& source, const std::string& seed_name, Index sample) {
  const Element random = source.element.member("random");
  if (!random.exists()) {
    return std::nullopt;
  }
  const Element seed = random.member("seed");
  std::uint64_t base = seed_of(seed_name);
  if (seed.exists()) {
    const double value = seed.json().get<double>();
    base = seed.json().is_number_unsigned() ? seed.json().get<std::uint64_t>() : static_cast<std::uint64_t>(value);
  }
  return base + static_cast<std::uint64_t>(sample);
}

Result<SourceTensor> generate(const DataSource& source, const Target& target, Index sample) {
  ASSAY_ASSIGN(const Shape shape, generated_shape(source, target));
  const DType dtype = target.dtype == DType::kUndefined ? DType::kFloat32 : target.dtype;
  SourceTensor result;
  ASSAY_ASSIGN(result.tensor, Tensor::allocate(dtype, shape));
  result.seed = seed_for(source, target.seed_name, sample);
  const Element& element = source.element;
  if (const Element constant = element.member("constant"); constant.exists()) {
    ASSAY_TRY(fill_constant(constant, target, result.tensor));
  } else if (const Element random = element.member("random"); random.exists()) {
    ASSAY_TRY(fill_random(random, target, result.tensor, result.seed.value_or(0)));
  } else if (const Element ramp = element.member("ramp"); ramp.exists()) {
    ASSAY_TRY(fill_ramp(ramp, target, result.tensor));
  } else {
    FillOptions options;
    options.low = number_or(element.member("low"), options.low);
    options.high = number_or(element.member("high"), options.high);
    options.step = element.member("step").exists() ? number_or(element.member("step"), 0.0) : options.step;
    const Element fill = element.member("fill");
    if (const std::string reason = fill_adversarial(fill.json().get<std::string>(), options, result.tensor);
        !reason.empty()) {
      return refused(fill, target, reason);
    }
  }
  return result;
}

}  // namespace assay::spec
