// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/prepare/fuse_bias.h"

#include <algorithm>
#include <optional>

#include "engine/quantizer/eligibility.h"
#include "engine/quantizer/selection.h"
#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

bool is_onnx(const Node& node, const char* op_type) { return node.domain.empty() && node.op_type == op_type; }

const Tensor* float_constant(const Graph& graph, const std::string& name) {
  const Tensor* tensor = graph.constant(name);
  return tensor != nullptr && tensor->dtype() == DType::kFloat32 ? tensor : nullptr;
}

std::optional<std::size_t> stated_rank(const Graph& graph, const std::string& value) {
  if (const auto info = graph.value_infos.find(value); info != graph.value_infos.end() && info->second.has_shape) {
    return info->second.dims.size();
  }
  const auto input =
      std::find_if(graph.inputs.begin(), graph.inputs.end(), [&](const ValueInfo& info) { return info.name == value; });
  return input != graph.inputs.end() && input->has_shape ? std::optional(input->dims.size()) : std::nullopt;
}

// Whether a value is known to be a matrix: stated, or made by a node that only makes such of such.
bool is_matrix(const Graph& graph, const GraphIndex& index, std::string value) {
  while (true) {
    if (const auto rank = stated_rank(graph, value)) {
      return *rank == 2;
    }
    const Index producer = index.producer(value);
    if (producer < 0) {
      return false;
    }
    const Node& node = graph.nodes[static_cast<std::size_t>(producer)];
    if (is_onnx(node, "Gemm") || is_onnx(node, "Flatten")) {
      return true;
    }
    const bool keeps_rank = is_onnx(node, "Relu") || is_onnx(node, "Clip") || is_onnx(node, "LeakyRelu") ||
                            is_onnx(node, "Sigmoid") || is_onnx(node, "Tanh") || is_onnx(node, "Softmax");
    if (!keeps_rank) {
      return false;
    }
    value = node.input(0);
  }
}

class BiasFuser {
 public:
  BiasFuser(Graph& graph, const Options& options) : graph_(graph), index_(graph), options_(options) {}

  Result<std::vector<std::string>> run() {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!is_onnx(graph_.nodes[i], "Add") || !deselection_reason(graph_.nodes[i], options_).empty()) {
        continue;
      }
      for (const std::size_t constant : {std::size_t{0}, std::size_t{1}}) {
        const std::string sum = short_text(graph_.nodes[i]);
        if (fuse(i, constant)) {
          lines.push_back("fused " + sum + " into the bias of '" + product_name_ + "'");
          break;
        }
      }
    }
    std::erase_if(graph_.nodes, [](const Node& node) { return node.op_type.empty(); });
    ASSAY_TRY(topological_sort(graph_));
    remove_dead_nodes(graph_);
    return lines;
  }

 private:
  bool fuse(std::size_t sum, std::size_t constant) {
    Node& add = graph_.nodes[sum];
    const std::string between = add.input(1 - constant);
    const Tensor* addend = float_constant(graph_, add.input(constant));
    const Index producer = index_.producer(between);
    if (addend == nullptr || addend->size() == 0 || producer < 0 || index_.consumer_count(between) != 1 ||
        graph_.is_output(between) || options_.overrides.contains(between) ||
        options_.overrides.contains(add.input(constant))) {
      return false;
    }
    Node& product = graph_.nodes[static_cast<std::size_t>(producer)];
    const Tensor* weight = float_constant(graph_, product.input(1));
    if (weight == nullptr || !deselection_reason(product, options_).empty() ||
        options_.overrides.contains(product.input(2)) || !is_product(product, *weight)) {
      return false;
    }
    Node fused = product;
    fused.op_type = product.op_type == "MatMul" ? "Gemm" : product.op_type;
    const Index channels = output_channels(fused, *weight);
    if (!deselection_reason(fused, options_).empty() || !fits(*addend, channels, product, *weight)) {
      return false;
    }
    const auto bias = sum_of(product, *addend, channels);
    if (!bias) {
      return false;
    }
    fused.inputs.resize(3);
    fused.inputs[2] = fresh_name(graph_, product.input(2).empty() ? add.input(constant) : product.input(2));
    fused.attributes.erase("beta");
    fused.outputs = add.outputs;
    graph_.initializers[fused.inputs[2]] = Tensor::from<float>({channels}, *bias);
    product_name_ = product.name;
    product = std::move(fused);
    add.op_type.clear();  // erased when all positions are done with
    add.inputs.clear();
    add.outputs.clear();
    index_ = GraphIndex(graph_);
    return true;
  }

  bool is_product(const Node& node, const Tensor& weight) const {
    if (is_onnx(node, "Conv")) {
      return weight.rank() >= 3;
    }
    if (is_onnx(node, "Gemm")) {
      return weight.rank() == 2;
    }
    return is_onnx(node, "MatMul") && weight.rank() == 2 && graph_.constant(node.input(0)) == nullptr &&
           is_matrix(graph_, index_, node.input(0));
  }

  // One value, or one per channel along the product's channel axis, and no more dimensions than the product has.
  static bool fits(const Tensor& addend, Index channels, const Node& product, const Tensor& weight) {
    const std::size_t rank = product.op_type == "Conv" ? weight.rank() : 2;
    const std::size_t behind = product.op_type == "Conv" ? weight.rank() - 2 : 0;  // dimensions behind the channels
    if (addend.rank() > rank || (addend.size() != 1 && addend.size() != channels)) {
      return false;
    }
    return addend.size() == 1 || (addend.rank() > behind && addend.dim(addend.rank() - 1 - behind) == channels);
  }

  // The bias that the product has already (nothing: one that is not constant or has another form) and the addend.
  std::optional<std::vector<float>> sum_of(const Node& product, const Tensor& addend, Index channels) const {
    const auto count = static_cast<std::size_t>(channels);
    std::vector<double> old = {0.0};
    if (!product.input(2).empty()) {
      const Tensor* bias = float_constant(graph_, product.input(2));
      const bool one_row = bias != nullptr && (bias->rank() < 2 || bias->dim(0) == 1);
      if (!one_row || (bias->size() != 1 && bias->size() != channels)) {
        return std::nullopt;
      }
      old = bias->to_doubles();
    }
    const double beta = product.op_type == "Gemm" ? static_cast<double>(product.float_attribute("beta", 1.0F)) : 1.0;
    const std::vector<double> more = addend.to_doubles();
    std::vector<float> sum(count);
    for (std::size_t c = 0; c < count; ++c) {
      sum[c] = static_cast<float>(beta * old[old.size() == 1 ? 0 : c] + more[more.size() == 1 ? 0 : c]);
    }
    return sum;
  }

  Graph& graph_;
  GraphIndex index_;
  const Options& options_;
  std::string product_name_;
};

}  // namespace

Result<std::vector<std::string>> fuse_bias(Graph& graph, const Options& options) {
  return BiasFuser(graph, options).run();
}

}  // namespace assay::quantizer
