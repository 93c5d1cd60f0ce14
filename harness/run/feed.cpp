// SPDX-License-Identifier: Apache-2.0
#include "harness/run/feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "harness/run/join_rows.h"

namespace assay::run {
namespace {

// The fixed first dimension that the graph gives one of the inputs, or 0.
Index fixed_first_dimension(const Graph& graph) {
  for (const ValueInfo& input : graph.inputs) {
    if (input.has_shape && !input.dims.empty() && input.dims[0].known()) {
      return input.dims[0].size;
    }
  }
  return 0;
}

// Appends the kept rows of one call's outputs to the parts collected so far.
Status collect(const api::NamedTensors& outputs, Index fed, Index kept,
               std::map<std::string, std::vector<Tensor>>& parts) {
  for (const auto& [name, tensor] : outputs) {
    if (tensor.rank() == 0 || tensor.dim(0) != fed) {
      return invalid_argument(fmt::format(
          "output '{}' has shape {}: its first axis must be the batch of {} for outputs to be joined (runtime.batch)",
          name, shape_text(tensor.shape()), fed));
    }
    if (kept == fed) {
      parts[name].push_back(tensor);
    } else {
      ASSAY_ASSIGN(Tensor rows, slice_rows(tensor, 0, kept));
      parts[name].push_back(std::move(rows));
    }
  }
  return {};
}

// The nodes whose weights the graph computes: those of another batch are others.
std::set<std::string> nodes_with_computed_weights(const Graph& graph) {
  static const std::map<std::string, std::size_t> kWeightInputs = {
      {"ConvInteger", 1}, {"DynamicQuantizeMatMul", 1}, {"MatMulInteger", 1}, {"MatMulIntegerToFloat", 1},
      {"QGemm", 3},       {"QLinearConv", 3},           {"QLinearMatMul", 3}};
  std::set<std::string> names;
  for (const Node& node : graph.nodes) {
    const auto row = kWeightInputs.find(node.op_type);
    if (row != kWeightInputs.end() && graph.constant(node.input(row->second)) == nullptr) {
      names.insert(node.name);
    }
  }
  return names;
}

void add_saturation(std::vector<runtime::SaturationInfo>& total, const std::vector<runtime::SaturationInfo>& more,
                    const std::set<std::string>& computed_weights) {
  for (const runtime::SaturationInfo& entry : more) {
    const auto known = std::ranges::find(total, entry.node, &runtime::SaturationInfo::node);
    if (known == total.end()) {
      total.push_back(entry);
    } else {
      known->pairs += entry.pairs;
      known->saturated += entry.saturated;
      known->largest_loss = std::max(known->largest_loss, entry.largest_loss);
      known->channels.resize(std::max(known->channels.size(), entry.channels.size()));
      for (std::size_t c = 0; c < entry.channels.size(); ++c) {
        runtime::ChannelSaturation& channel = known->channels[c];
        channel.pairs += entry.channels[c].pairs;
        channel.saturated += entry.channels[c].saturated;
        channel.largest_loss = std::max(channel.largest_loss, entry.channels[c].largest_loss);
        if (computed_weights.contains(entry.node)) {
          channel.weight_pairs += entry.channels[c].weight_pairs;
          channel.weight_pairs_at_risk += entry.channels[c].weight_pairs_at_risk;
          channel.largest_possible_loss =
              std::max(channel.largest_possible_loss, entry.channels[c].largest_possible_loss);
        }
      }
    }
  }
}

}  // namespace

Result<FeedPlan> plan_feed(const Graph& graph, const api::NamedTensors& inputs, std::optional<Index> batch,
                           bool dataset) {
  if (!batch && !dataset) {
    return FeedPlan{};
  }
  FeedPlan plan;
  for (const auto& [name, tensor] : inputs) {
    if (tensor.rank() == 0) {
      return invalid_argument(fmt::format("input '{}' is a scalar: it has no first axis to feed samples from", name));
    }
    if (&tensor != &inputs.begin()->second && tensor.dim(0) != plan.samples) {
      return invalid_argument(fmt::format("input '{}' has {} samples on its first axis, input '{}' has {}", name,
                                          tensor.dim(0), inputs.begin()->first, plan.samples));
    }
    plan.samples = tensor.dim(0);
  }
  if (plan.samples == 0) {
    return invalid_argument("the inputs hold no samples on their first axis");
  }
  const Index fixed = fixed_first_dimension(graph);
  plan.batch = batch ? *batch : fixed > 0 ? fixed : kDatasetBatch;
  if (fixed > 0 && plan.batch != fixed) {
    return invalid_argument(fmt::format("runtime.batch={}, but the model fixes the first dimension of its inputs at {}",
                                        plan.batch, fixed));
  }
  plan.padded = fixed > 0;
  return plan;
}

Index samples_fed(const api::NamedTensors& inputs, const FeedPlan& plan) {
  if (plan.samples > 0 || inputs.empty()) {
    return std::max<Index>(plan.samples, 1);
  }
  const Tensor& first = inputs.begin()->second;
  const Index samples = first.rank() == 0 ? 1 : first.dim(0);
  const bool shared = std::ranges::all_of(
      inputs, [&](const auto& input) { return input.second.rank() > 0 && input.second.dim(0) == samples; });
  return shared ? std::max<Index>(samples, 1) : 1;
}

Result<Tensor> slice_rows(const Tensor& tensor, Index begin, Index count, Index padded_to) {
  Shape shape = tensor.shape();
  const std::size_t row_bytes = shape[0] == 0 ? 0 : tensor.size_bytes() / static_cast<std::size_t>(shape[0]);
  shape[0] = std::max(count, padded_to);
  ASSAY_ASSIGN(Tensor rows, Tensor::allocate(tensor.dtype(), shape));
  if (row_bytes == 0 || count == 0) {
    return rows;
  }
  const std::byte* source = tensor.bytes() + static_cast<std::size_t>(begin) * row_bytes;
  std::memcpy(rows.mutable_bytes(), source, static_cast<std::size_t>(count) * row_bytes);
  for (Index row = count; row < shape[0]; ++row) {
    std::memcpy(rows.mutable_bytes() + static_cast<std::size_t>(row) * row_bytes,
                source + static_cast<std::size_t>(count - 1) * row_bytes, row_bytes);
  }
  return rows;
}

Result<api::NamedTensors> first_batch(const api::NamedTensors& inputs, const FeedPlan& plan) {
  if (plan.samples == 0) {
    return inputs;
  }
  api::NamedTensors batch;
  for (const auto& [name, tensor] : inputs) {
    ASSAY_ASSIGN(batch[name], slice_rows(tensor, 0, std::min(plan.batch, plan.samples), plan.padded ? plan.batch : 0));
  }
  return batch;
}

Result<api::RunResult> feed(RuntimeSession& session, const api::NamedTensors& inputs, const FeedPlan& plan,
                            const api::RunOptions& options, Index limit) {
  if (plan.samples == 0) {
    return session.run(inputs, options);
  }
  const Index samples = limit > 0 ? std::min(limit, plan.samples) : plan.samples;
  std::map<std::string, std::vector<Tensor>> parts;
  api::RunResult total;
  const std::set<std::string> computed_weights = options.witness_saturation && session.own() != nullptr
                                                     ? nodes_with_computed_weights(session.own()->optimized_graph())
                                                     : std::set<std::string>();
  for (Index begin = 0; begin < samples; begin += plan.batch) {
    const Index count = std::min(plan.batch, samples - begin);
    const Index fed = plan.padded ? plan.batch : count;
    api::NamedTensors batch;
    for (const auto& [name, tensor] : inputs) {
      ASSAY_ASSIGN(batch[name], slice_rows(tensor, begin, count, fed));
    }
    ASSAY_ASSIGN(const api::RunResult result, session.run(batch, options));
    ASSAY_TRY(collect(result.outputs, fed, count, parts));
    add_saturation(total.saturation, result.saturation, computed_weights);
    for (const std::string& warning : result.warnings) {
      if (std::ranges::find(total.warnings, warning) == total.warnings.end()) {
        total.warnings.push_back(warning);
      }
    }
  }
  for (const auto& [name, pieces] : parts) {
    ASSAY_ASSIGN(total.outputs[name], join_rows(name, pieces));
  }
  return total;
}

}  // namespace assay::run
