// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/passes/fact_rules.h"

namespace assay::passes {
namespace {

Index element_or(const std::vector<Index>& values, std::size_t i, Index fallback) {
  return i < values.size() ? values[i] : fallback;
}

// The spatial dimensions of a Conv or pooling (dims[2..]); open where they cannot be computed.
std::vector<Dim> window_dims(const FactContext& context, const std::vector<Dim>& x, const std::vector<Index>& kernel) {
  const Node& node = context.node;
  const auto strides = node.ints_attribute("strides");
  const auto dilations = node.ints_attribute("dilations");
  const auto pads = node.ints_attribute("pads");
  const std::string auto_pad = node.string_attribute("auto_pad", "NOTSET");
  const bool plain = node.int_attribute("ceil_mode", 0) == 0 && (auto_pad == "NOTSET" || auto_pad == "VALID");
  const std::size_t spatial = x.size() - 2;
  std::vector<Dim> out(spatial);
  for (std::size_t i = 0; i < spatial && plain && kernel.size() == spatial; ++i) {
    const Index stride = element_or(strides, i, 1);
    const Index padding = element_or(pads, i, 0) + element_or(pads, spatial + i, 0);
    const Index span = (kernel[i] - 1) * element_or(dilations, i, 1) + 1;
    if (x[i + 2].known() && stride > 0 && x[i + 2].size + padding >= span) {
      out[i] = known_dim((x[i + 2].size + padding - span) / stride + 1);
    }
  }
  return out;
}

void conv(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  const auto& weight = context.input(1).dims;  // of a constant, dequantized or not
  if (!x.has_value() || x->size() < 3 || !weight.has_value() || weight->size() != x->size()) {
    return;
  }
  outputs[0].dims = {(*x)[0], (*weight)[0]};
  const bool is_known = std::all_of(weight->begin() + 2, weight->end(), [](const Dim& dim) { return dim.known(); });
  std::vector<Index> kernel;
  for (std::size_t i = 2; is_known && i < weight->size(); ++i) {
    kernel.push_back((*weight)[i].size);
  }
  const auto spatial = window_dims(context, *x, kernel);
  outputs[0].dims->insert(outputs[0].dims->end(), spatial.begin(), spatial.end());
}

void pool(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  if (!x.has_value() || x->size() < 3) {
    return;
  }
  outputs[0].dims = {(*x)[0], (*x)[1]};
  const auto spatial = window_dims(context, *x, context.node.ints_attribute("kernel_shape"));
  outputs[0].dims->insert(outputs[0].dims->end(), spatial.begin(), spatial.end());
}

void global_pool(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  outputs[0].dims = context.input(0).dims;
  for (std::size_t i = 2; outputs[0].dims.has_value() && i < outputs[0].dims->size(); ++i) {
    (*outputs[0].dims)[i] = known_dim(1);
  }
}

void gemm(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& a = context.input(0).dims;
  const auto& b = context.input(1).dims;
  if (a.has_value() && b.has_value() && a->size() == 2 && b->size() == 2) {
    outputs[0].dims = {(*a)[context.node.int_attribute("transA", 0) != 0 ? 1 : 0],
                       (*b)[context.node.int_attribute("transB", 0) != 0 ? 0 : 1]};
  }
}

// B without a batch, or both with the same one.
void matmul(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& a = context.input(0).dims;
  const auto& b = context.input(1).dims;
  if (!a.has_value() || !b.has_value() || a->size() < 2 || b->size() < 2) {
    return;
  }
  const bool same_batch = a->size() == b->size() && std::equal(a->begin(), a->end() - 2, b->begin(), same_dim);
  if (b->size() == 2 || same_batch) {
    outputs[0].dims = *a;
    outputs[0].dims->back() = b->back();
  }
}

void reduce(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  const bool keep = context.node.int_attribute("keepdims", 1) != 0;
  const bool has_axes = context.node.has_attribute("axes") || !context.node.input(1).empty();
  const auto axes = context.list("axes", 1);
  if (!x.has_value() || (has_axes && !axes.has_value()) || context.node.int_attribute("noop_with_empty_axes", 0) != 0) {
    return;
  }
  std::vector<bool> reduced(x->size(), !has_axes || axes->empty());
  for (const Index axis : axes.value_or(std::vector<Index>())) {
    const auto at = checked_axis(axis, x->size());
    if (!at.has_value()) {
      return;
    }
    reduced[*at] = true;
  }
  outputs[0].dims.emplace();
  for (std::size_t i = 0; i < x->size(); ++i) {
    if (!reduced[i]) {
      outputs[0].dims->push_back((*x)[i]);
    } else if (keep) {
      outputs[0].dims->push_back(known_dim(1));
    }
  }
}

constexpr std::array kRules = {
    FactRule{"AveragePool", pool},
    FactRule{"Conv", conv},
    FactRule{"Gemm", gemm},
    FactRule{"GlobalAveragePool", global_pool},
    FactRule{"GlobalMaxPool", global_pool},
    FactRule{"MatMul", matmul},
    FactRule{"MaxPool", pool},
    FactRule{"ReduceMax", reduce},
    FactRule{"ReduceMean", reduce},
    FactRule{"ReduceMin", reduce},
    FactRule{"ReduceSum", reduce},
};

}  // namespace

std::span<const FactRule> layer_fact_rules() { return kRules; }

}  // namespace assay::passes
