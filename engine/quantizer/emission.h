// SPDX-License-Identifier: Apache-2.0
// The quantized graph under construction: who holds each value in which form. Shared by both formats.
//
// QuantizeLinear and DequantizeLinear nodes are made when first asked for, one of each per value (with
// quantizer.dedicated_qdq a pair per consumer); a graph output has a DequantizeLinear of its own.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/quantizer/constant_store.h"
#include "engine/quantizer/plan.h"

namespace assay::quantizer {

class Emission {
 public:
  // `source` is the float graph that `plan` is for; both must outlive this.
  Emission(const Graph& source, const Plan& plan, const Options& options);

  // The value in integers, with its scale and zero point; the value is in plan.activations.
  Result<ConstantNames> quantized(const std::string& value);
  // The value in float, as it is after quantization.
  Result<std::string> dequantized(const std::string& value);
  // What a float node reads for `value`.
  Result<std::string> float_input(const std::string& value);

  // Names for a quantized value that a quantized node is about to make in float, or in integers.
  std::string make_in_float(const std::string& value);
  std::string make_in_integers(const std::string& value);

  // The node with float inputs replaced by what float_input() says.
  Status emit_float_node(const Node& node);
  // A quantized node computed in float between DequantizeLinear and QuantizeLinear.
  Status emit_quantized_in_float(const Node& node, const NodePlan& plan);
  // A fused clamp in float behind a node emitted by emit_quantized_in_float.
  void emit_fused_clamp(const Node& node);

  const QuantParams& params(const std::string& value) const { return plan_.activations.at(value).params; }
  ConstantNames param_names(const std::string& value);  // scale and zero point only
  Result<NodeConstants> constants_of(const Node& node, const Operands& operands);
  std::string add_initializer(const std::string& base, Tensor tensor);
  std::string fresh(const std::string& base) { return names_.make(base); }
  void add_node(Node node) { target_.nodes.push_back(std::move(node)); }
  void import_microsoft_domain() { target_.opsets[kMicrosoftDomain] = 1; }
  // Of an initializer of the quantized graph.
  DType constant_type(const std::string& name) const { return target_.initializers.at(name).dtype(); }
  const Graph& source() const { return source_; }
  const Plan& plan() const { return plan_; }

  // Makes the graph outputs, sorts, and hands the graph over with what the constants had to report.
  Result<QuantizedGraph> finish();

 private:
  std::string add_quantize(const std::string& from, const std::string& value);
  std::string quantize_node(const std::string& from, const ConstantNames& names, const std::string& base);
  const std::string& float_form(const std::string& value) const;
  Result<std::string> dedicated_pair(const std::string& value);
  void add_dequantize(const ConstantNames& from, const std::string& to, const std::string& node_name);
  Result<std::string> dequantized_constant(ConstantNames names, const std::string& base);
  void add_linear_node(Node node, const ConstantNames& names);

  const Graph& source_;
  const Plan& plan_;
  const Options& options_;
  Graph target_;
  NameMaker names_;
  ConstantStore constants_;
  std::map<std::string, ConstantNames> params_;              // by source value: scale and zero point
  std::map<std::string, std::string> in_float_;              // quantized values that a quantized node makes in float
  std::map<std::string, std::string> in_integers_;           // quantized values as integers, however made
  std::set<std::string> in_integers_of_node_;                // by an integer operator
  std::set<std::string> made_quantized_;                     // by a quantized node
  std::map<std::string, std::string> dequantized_;           // quantized values back in float
  std::map<std::string, std::string> constant_dequantized_;  // by name of the scale
};

}  // namespace assay::quantizer
