// SPDX-License-Identifier: Apache-2.0
// Scan from opset 9 on: the body runs once per element of the scanned inputs. Its inputs are the states and one slice
// of each scanned input, its outputs the states and one slice of each scan output.
#include <algorithm>

#include "engine/runtime/ops/control_flow.h"
#include "engine/runtime/ops/stack.h"
#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

struct ScanSpec {
  std::size_t states = 0;
  std::size_t scanned = 0;
  std::vector<Index> input_axes;
  std::vector<Index> output_axes;
  std::vector<Index> input_backward;  // 1: from the last slice to the first
  std::vector<Index> output_backward;
};

Index entry(const std::vector<Index>& list, std::size_t i) { return i < list.size() ? list[i] : 0; }

class Scan final : public Operator {
 public:
  Scan(Subgraphs body, ScanSpec spec) : body_(std::move(body)), spec_(std::move(spec)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    for (std::size_t i = 0; i < spec_.states; ++i) {
      outputs.push_back(context.input(i));
    }
    ASSAY_ASSIGN(const Index length, scan_length(context));
    const std::size_t scans = body_.outputs(0) - spec_.states;
    std::vector<std::vector<Tensor>> slices(scans);
    for (Index step = 0; step < length; ++step) {
      std::vector<Tensor> arguments = outputs;
      for (std::size_t i = 0; i < spec_.scanned; ++i) {
        const Tensor& input = context.input(spec_.states + i);
        ASSAY_ASSIGN(const Index axis, normalize_axis(entry(spec_.input_axes, i), input.rank(), "scan_input_axes"));
        const Index at = entry(spec_.input_backward, i) != 0 ? length - 1 - step : step;
        ASSAY_ASSIGN(Tensor slice, slice_at(input, static_cast<std::size_t>(axis), at));
        arguments.push_back(std::move(slice));
      }
      ASSAY_ASSIGN(std::vector<Tensor> made, body_.run(0, std::move(arguments), context));
      std::move(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(spec_.states), outputs.begin());
      for (std::size_t i = 0; i < scans; ++i) {
        slices[i].push_back(std::move(made[spec_.states + i]));
      }
    }
    for (std::size_t i = 0; i < scans; ++i) {
      if (entry(spec_.output_backward, i) != 0) {
        std::reverse(slices[i].begin(), slices[i].end());
      }
      const std::size_t rank = slices[i].empty() ? 1 : slices[i][0].rank() + 1;
      ASSAY_ASSIGN(const Index axis, normalize_axis(entry(spec_.output_axes, i), rank, "scan_output_axes"));
      ASSAY_ASSIGN(Tensor joined, stack(slices[i], static_cast<std::size_t>(axis)));
      outputs.push_back(std::move(joined));
    }
    return {};
  }
  KernelInfo kernel() const override { return control_kernel(); }
  std::vector<KernelInfo> nested_kernels() const override { return body_.kernels(); }

 private:
  Result<Index> scan_length(const RunContext& context) const {
    Index length = -1;
    for (std::size_t i = 0; i < spec_.scanned; ++i) {
      const Tensor& input = context.input(spec_.states + i);
      ASSAY_ASSIGN(const Index axis, normalize_axis(entry(spec_.input_axes, i), input.rank(), "scan_input_axes"));
      const Index found = input.dim(static_cast<std::size_t>(axis));
      if (length >= 0 && found != length) {
        return invalid_argument("scanned inputs must be of one length; found " + std::to_string(length) + " and " +
                                std::to_string(found));
      }
      length = found;
    }
    return length;
  }

  Subgraphs body_;
  ScanSpec spec_;
};

}  // namespace

OperatorResult prepare_scan(const PrepareContext& context) {
  ASSAY_ASSIGN(Subgraphs body, Subgraphs::make(context, {"body"}));
  const Node& node = context.node;
  const Index scanned = node.int_attribute("num_scan_inputs", 0);
  if (scanned < 1 || static_cast<std::size_t>(scanned) > node.own_inputs()) {
    return invalid_model("num_scan_inputs must lie in [1, " + std::to_string(node.own_inputs()) + "]; found " +
                         std::to_string(scanned));
  }
  ScanSpec spec{.states = node.own_inputs() - static_cast<std::size_t>(scanned),
                .scanned = static_cast<std::size_t>(scanned),
                .input_axes = node.ints_attribute("scan_input_axes"),
                .output_axes = node.ints_attribute("scan_output_axes"),
                .input_backward = node.ints_attribute("scan_input_directions"),
                .output_backward = node.ints_attribute("scan_output_directions")};
  if (body.own_inputs(0) != node.own_inputs() || body.outputs(0) < std::max(spec.states, node.outputs.size())) {
    return invalid_model("the body must have " + std::to_string(node.own_inputs()) + " inputs and at least " +
                         std::to_string(std::max(spec.states, node.outputs.size())) + " outputs; found " +
                         std::to_string(body.own_inputs(0)) + " and " + std::to_string(body.outputs(0)));
  }
  return OperatorResult(std::make_unique<Scan>(std::move(body), std::move(spec)));
}

}  // namespace assay::runtime
