// SPDX-License-Identifier: Apache-2.0
// The quantized weights and biases of a graph under construction. A weight or bias that several nodes use with the same
// parameters is stored once; with different ones (another input scale, say) each has its own copy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/quantizer/bias.h"
#include "engine/quantizer/eligibility.h"
#include "engine/quantizer/name_maker.h"
#include "engine/quantizer/report.h"
#include "engine/quantizer/weights.h"

namespace assay::quantizer {

struct ConstantNames {
  std::string data;
  std::string scale;
  std::string zero_point;
  Index axis = -1;       // -1: per tensor
  Index block = 0;       // 0: not in blocks
  std::string original;  // where the node still has it (quantizer.weight_qdq): the float constant
};

struct NodeConstants {
  std::vector<std::pair<std::size_t, ConstantNames>> weights;  // by input position
  std::optional<ConstantNames> bias;                           // of input 2
};

struct StoreArgs {
  const Node& node;
  const Operands& operands;
  float x_scale = 1;  // of input 0; matters only where there is a bias
};

class ConstantStore {
 public:
  // Initializers go into `target`, names come from `names`; all must outlive the store.
  ConstantStore(const Graph& source, const Options& options, Graph& target, NameMaker& names)
      : source_(source), options_(options), target_(target), names_(names) {}

  // The weights and the bias of a node. Gemm's alpha is multiplied into the weight and beta into the bias before they
  // are quantized, so that the quantized Gemm has neither. Errors: those of choose_weight_params.
  Result<NodeConstants> constants_of(const StoreArgs& args);

  // A constant that is quantized like an activation.
  Result<ConstantNames> activation_constant(const std::string& name, const QuantParams& params);

  const std::vector<TensorReport>& reports() const { return reports_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Stored {
    std::string source;
    float factor = 1;
    ChannelParams params;  // for a bias: dtype int32 and its scales
    ConstantNames names;
  };

  Result<ConstantNames> store_weight(const std::string& name, const Tensor& weight, const ChannelParams& params,
                                     float factor);
  // The same, and a report of it the first time.
  Result<ConstantNames> reported_weight(const std::string& name, const Tensor& weight, const ChannelParams& params,
                                        float factor);
  // Nothing where float16 cannot hold the bias's scale.
  Result<std::optional<ConstantNames>> store_bias(const Node& node, const ChannelParams& weights, const BiasArgs& args,
                                                  float factor);
  const ConstantNames* find(const std::string& source, float factor, const ChannelParams& params) const;
  std::string add(const std::string& base, Tensor tensor);

  const Graph& source_;
  const Options& options_;
  Graph& target_;
  NameMaker& names_;
  std::vector<Stored> stored_;
  std::vector<TensorReport> reports_;
  std::vector<std::string> warnings_;
};

}  // namespace assay::quantizer
