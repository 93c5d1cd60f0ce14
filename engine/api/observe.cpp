// SPDX-License-Identifier: Apache-2.0
#include "engine/api/observe.h"

#include <algorithm>
#include <cmath>

#include "engine/api/sample_workers.h"

namespace assay::api {
namespace {

// A tensor seen as [outer, channels, inner].
struct Planes {
  std::size_t outer = 1;
  std::size_t channels = 1;
  std::size_t inner = 1;
};

Planes planes_of(const Tensor& tensor, std::size_t axis) {
  Planes planes;
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    std::size_t& part = i < axis ? planes.outer : i == axis ? planes.channels : planes.inner;
    part *= static_cast<std::size_t>(tensor.dim(i));
  }
  return planes;
}

std::vector<double> means_of(const Tensor& tensor, bool last_axis) {
  const Planes planes = planes_of(tensor, last_axis ? tensor.rank() - 1 : 1);
  const auto values = tensor.data<float>();
  std::vector<double> sums(planes.channels, 0.0);
  std::size_t element = 0;
  for (std::size_t o = 0; o < planes.outer; ++o) {
    for (double& sum : sums) {
      for (std::size_t i = 0; i < planes.inner; ++i) {
        sum += static_cast<double>(values[element++]);
      }
    }
  }
  const auto count = static_cast<double>(planes.outer * planes.inner);
  std::transform(sums.begin(), sums.end(), sums.begin(), [&](double sum) { return sum / count; });
  return sums;
}

Tensor widened(const Tensor& half) {
  const auto from =
      std::span(reinterpret_cast<const std::uint16_t*>(half.bytes()), static_cast<std::size_t>(half.size()));
  std::vector<float> values(from.size());
  std::transform(from.begin(), from.end(), values.begin(), float16_to_float);
  return Tensor::from<float>(half.shape(), values);
}

Status no_samples(Index samples) {
  return samples > 0 ? Status() : Status(invalid_argument("calibration: the data has no samples"));
}

}  // namespace

Result<std::vector<Session>> observing_sessions(const Model& model, int workers) {
  SessionOptions options;
  options.optimization = Optimization::kNone;
  options.profile = {.isa = Isa::kScalar, .precision = Precision::kExact};
  std::vector<Session> sessions;
  for (int worker = 0; worker < std::max(workers, 1); ++worker) {
    ASSAY_ASSIGN(Session session, Session::create(model, options));
    sessions.push_back(std::move(session));
  }
  return sessions;
}

Status observe_sample(const Session& session, const NamedTensors& inputs,
                      const std::function<void(const std::string& value, const Tensor& tensor)>& observe,
                      bool in_any_order) {
  const auto look = [&](const std::string& value, const Tensor& tensor) {
    observe(value, tensor.dtype() == DType::kFloat16 ? widened(tensor) : tensor);
  };
  for (const auto& [name, tensor] : inputs) {
    look(name, tensor);
  }
  RunOptions run;
  run.tap = look;
  run.tap_in_any_order = in_any_order;
  ASSAY_TRY(session.run(inputs, run));
  return {};
}

Result<std::map<std::string, std::vector<double>>> last_axis_magnitudes(const Model& model,
                                                                        const CalibrationSource& source, int workers,
                                                                        const std::map<std::string, Index>& lengths) {
  using Magnitudes = std::map<std::string, std::vector<double>>;
  ASSAY_ASSIGN(const std::vector<Session> sessions, observing_sessions(model, workers));
  std::vector<Magnitudes> seen(sessions.size());
  const auto look = [&](Magnitudes& magnitudes, const std::string& value, const Tensor& tensor) {
    const auto length = lengths.find(value);
    if (length == lengths.end() || tensor.dtype() != DType::kFloat32 || tensor.rank() == 0 ||
        tensor.dim(tensor.rank() - 1) != length->second) {
      return;
    }
    std::vector<double>& largest = magnitudes[value];
    largest.resize(static_cast<std::size_t>(length->second), 0.0);
    const auto values = tensor.data<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double magnitude = std::fabs(static_cast<double>(values[i]));
      double& entry = largest[i % largest.size()];
      entry = std::isfinite(magnitude) ? std::max(entry, magnitude) : entry;
    }
  };
  const SampleWork work{.run =
                            [&](int worker, Index sample, const NamedTensors& inputs) {
                              (void)sample;
                              const auto slot = static_cast<std::size_t>(worker);
                              return observe_sample(sessions[slot], inputs,
                                                    [&](const std::string& value, const Tensor& tensor) {
                                                      look(seen[slot], value, tensor);
                                                    });
                            },
                        .in_order = nullptr};
  ASSAY_ASSIGN(const Index samples, run_samples(source, static_cast<int>(sessions.size()), work));
  ASSAY_TRY(no_samples(samples));
  Magnitudes all;
  for (const Magnitudes& own : seen) {
    for (const auto& [value, largest] : own) {
      std::vector<double>& entry = all[value];
      entry.resize(largest.size(), 0.0);
      std::transform(largest.begin(), largest.end(), entry.begin(), entry.begin(),
                     [](double a, double b) { return std::max(a, b); });
    }
  }
  return all;
}

Status channel_means(const Model& model, const CalibrationSource& source, int workers,
                     std::map<std::string, ChannelMean>& values) {
  ASSAY_ASSIGN(const std::vector<Session> sessions, observing_sessions(model, workers));
  using Means = std::map<std::string, std::vector<double>>;
  std::vector<Means> seen(sessions.size());  // of each worker's present sample
  std::map<std::string, double> counts;
  const auto look = [&](Means& means, const std::string& value, const Tensor& tensor) {
    const auto asked = values.find(value);
    if (asked != values.end() && tensor.dtype() == DType::kFloat32 && tensor.rank() >= 2 && tensor.size() > 0) {
      means[value] = means_of(tensor, asked->second.last_axis);
    }
  };
  const SampleWork work{.run =
                            [&](int worker, Index sample, const NamedTensors& inputs) {
                              (void)sample;
                              Means& means = seen[static_cast<std::size_t>(worker)];
                              means.clear();
                              return observe_sample(
                                  sessions[static_cast<std::size_t>(worker)], inputs,
                                  [&](const std::string& value, const Tensor& tensor) { look(means, value, tensor); });
                            },
                        .in_order =
                            [&](int worker, Index sample) {
                              (void)sample;
                              for (const auto& [value, own] : seen[static_cast<std::size_t>(worker)]) {
                                std::vector<double>& sum = values[value].mean;
                                sum.resize(own.size(), 0.0);
                                std::transform(own.begin(), own.end(), sum.begin(), sum.begin(),
                                               [](double a, double b) { return a + b; });
                                ++counts[value];
                              }
                            }};
  ASSAY_ASSIGN(const Index samples, run_samples(source, static_cast<int>(sessions.size()), work));
  ASSAY_TRY(no_samples(samples));
  for (auto& [value, entry] : values) {
    const double count = counts[value];
    std::transform(entry.mean.begin(), entry.mean.end(), entry.mean.begin(), [&](double sum) { return sum / count; });
  }
  return {};
}

}  // namespace assay::api
