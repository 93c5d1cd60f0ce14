// SPDX-License-Identifier: Apache-2.0
// Layers with random weights, one behind the other.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "harness/spec/data/random.h"

namespace assay::spec {

struct ConvLayer {
  Index in_channels = 1;
  Index out_channels = 1;
  Index kernel = 1;  // height and width; padded so that stride 1 keeps the size
  Index stride = 1;
  Index group = 1;
};

class NetworkBuilder {
 public:
  // Opset 13, one float32 input "x".
  NetworkBuilder(std::uint64_t seed, const std::vector<Dim>& input_dims);

  // Each adds nodes and returns the name of their value. Weights are normal with the variance 2 / fan-in (He), biases
  // normal with the deviation 0.1.
  std::string conv(const std::string& input, const ConvLayer& layer);
  std::string gemm(const std::string& input, Index in_features, Index out_features);
  std::string relu(const std::string& input);
  std::string relu6(const std::string& input);
  std::string add(const std::string& a, const std::string& b);
  // GlobalAveragePool and Flatten.
  std::string pool_to_vector(const std::string& input);

  // Ends the network: its last value becomes the output "y" with these dimensions.
  Graph finish(const std::vector<Dim>& output_dims);

 private:
  std::string node(const std::string& op, std::vector<std::string> inputs, AttributeMap attributes = {});
  std::string weights(const std::string& name, const Shape& shape, double deviation);

  Random random_;
  Graph graph_;
};

}  // namespace assay::spec
