// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/byte_table.h"

#include <algorithm>

#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

Tensor all_bytes(DType dtype) {
  Tensor out = Tensor::allocate(dtype, {kBytes}).value();
  for (Index i = 0; i < kBytes; ++i) {
    out.mutable_bytes()[i] = static_cast<std::byte>(i);
  }
  return out;
}

}  // namespace

ByteTable::ByteTable(const Args& args)
    : graph_(args.graph), evaluate_(args.evaluate), values_{{args.source, all_bytes(args.dtype)}} {}

Status ByteTable::add(const Node& node, std::span<const std::size_t> scalars) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto known = values_.find(node.inputs[i]);
    const Tensor* constant = graph_.constant(node.inputs[i]);
    inputs.push_back(known != values_.end() ? known->second : constant == nullptr ? Tensor() : *constant);
    if (constant != nullptr && std::find(scalars.begin(), scalars.end(), i) != scalars.end()) {
      inputs.back() = constant->reshaped({});
    }
  }
  ASSAY_ASSIGN(std::vector<Tensor> outputs, evaluate_(graph_, node, inputs));
  values_[node.outputs[0]] = std::move(outputs[0]);
  return {};
}

Node make_byte_lookup(Graph& graph, const ByteLookupArgs& args) {
  Node out;
  out.name = args.name;
  out.op_type = "ByteLookup";
  out.domain = kAssayDomain;
  out.origin = args.origin;
  out.outputs = {args.output};
  out.inputs = {args.source, add_initializer(graph, args.output + "_table", args.table)};
  import_domain(graph, kAssayDomain);
  return out;
}

}  // namespace assay::passes
