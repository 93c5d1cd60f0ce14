// SPDX-License-Identifier: Apache-2.0
// One operator of a plan: prepared once (attributes read and checked, kernel chosen, constant weights packed), then run
// any number of times. Adding an operator: one file in ops/, one row in its table.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/base/cpu_features.h"
#include "engine/base/profile.h"
#include "engine/ir/graph.h"
#include "engine/runtime/channel_blocks.h"
#include "engine/runtime/record.h"

namespace assay::runtime {

struct PrepareContext {
  const Graph& graph;
  const Node& node;
  Profile profile;
  CpuFeatures features;  // what may run natively
  int threads = 1;

  Index opset() const { return graph.opset(node.domain == "ai.onnx" ? "" : node.domain); }
  bool has_input(std::size_t i) const { return !node.input(i).empty(); }
  // The constant behind input i, or null where it is omitted or computed at run time.
  const Tensor* constant(std::size_t i) const { return graph.constant(node.input(i)); }
  std::string text() const { return node_text(graph, node); }
};

struct RunContext {
  std::span<const Tensor> inputs;  // as in the node; an omitted optional is an empty() tensor
  // For run_in_blocks: by input; where one is not empty(), the tensor above is.
  std::span<const ChannelBlocks> blocks = {};
  // By input, if not empty: 1 where the value's memory is nobody else's and nobody reads it after this node.
  std::span<const char> dies = {};
  int threads = 1;
  // To be filled in a run that saturates() says is in sat16-pairs arithmetic, if not null.
  SaturationInfo* witness = nullptr;
  Index multiply_accumulates = 0;  // set by Conv, Gemm and MatMul kinds
  bool lost_nan = false;           // set by prepare_conv_with's operators: clamping may have lost a NaN

  // Input i, or an empty tensor where the node has fewer inputs.
  const Tensor& input(std::size_t i) const;
  // For the output of an operator that reads only element i of an input of its shape for element i: the memory of such
  // an input that dies and has that type, else new memory, uninitialized.
  Result<Tensor> output(DType dtype, const Shape& shape) const;
};

class Operator {
 public:
  virtual ~Operator() = default;
  // Adds to `outputs`, which is empty, one tensor per output of the node. Errors name the operands, the rule and the
  // shapes; the executor puts the node's name in front. Shapes and types of run-time inputs are checked here, since
  // plans do not depend on them. Once its shapes have settled, a run takes memory from the arena only: what it needs
  // for itself is an IndexList, a BlockVector, or kept by the operator.
  virtual Status run(RunContext& context, std::vector<Tensor>& outputs) = 0;
  // Whether run_in_blocks can do something, and whether it can where no input is in blocks yet.
  virtual bool takes_blocks() const { return false; }
  virtual bool makes_blocks() const { return false; }
  // Output 0, the only one, in channel blocks; empty() where these inputs do not allow it, for run() to compute.
  virtual Result<ChannelBlocks> run_in_blocks(RunContext& context);
  // Whether output 0 always is memory that nobody else has: new, or RunContext::output's.
  virtual bool owns_output() const { return false; }
  // node and op are filled in by the plan.
  virtual KernelInfo kernel() const = 0;
  // Whether the last run was in sat16-pairs arithmetic, and filled the witness; before the first, whether one can be by
  // what the plan knows. Computed weights and zero points may change it.
  virtual bool saturates() const { return false; }
  // The kernels of its subgraphs' nodes, in execution order; names as in the subgraphs.
  virtual std::vector<KernelInfo> nested_kernels() const { return {}; }
};

using OperatorFactory = Result<std::unique_ptr<Operator>> (*)(const PrepareContext&);

// What becomes of float16 and bfloat16 tensors: handed to the operator as they are, or computed in float32 with every
// float32 output rounded back (half_adapter.h).
enum class HalfPolicy { kAsIs, kThroughFloat };

struct OperatorRow {
  const char* domain;
  const char* op_type;
  OperatorFactory prepare;
  HalfPolicy half = HalfPolicy::kThroughFloat;
};

// The tables. First match wins, in this order.
std::span<const OperatorRow> float_operator_rows();        // layers and data movement of most networks
std::span<const OperatorRow> elementwise_operator_rows();  // functions of one, two or more operands, element by element
std::span<const OperatorRow> reduce_operator_rows();       // along axes
std::span<const OperatorRow> structure_operator_rows();    // indexing, shapes, generated tensors, control flow
std::span<const OperatorRow> layer_operator_rows();        // normalisation, recurrence, rarer layers
std::span<const OperatorRow> quantized_operator_rows();
std::span<const OperatorRow> contributed_operator_rows();  // com.microsoft

}  // namespace assay::runtime
