// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and DequantizeLinear nodes with constant parameters, as the rewrites see them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/ir/graph.h"
#include "engine/passes/value_index.h"

namespace assay::passes {

struct Quantization {
  std::size_t node = 0;  // position of the QuantizeLinear or DequantizeLinear
  std::string integers;  // the value in integers
  std::string reals;     // the value in float32
  std::string scale;     // names of the parameters; zero_point may be ""
  std::string zero_point;
  DType dtype = DType::kUndefined;  // of the integers
  Tensor scales;                    // float32
  Tensor zero_points;               // empty() where left out: zeros
  Index axis = 1;                   // as in the node; only for parameters with several elements

  // One scale and zero point, with a scale that is_usable_scale().
  bool per_tensor() const;
  float scale_value() const { return scales.data<float>()[0]; }  // of per_tensor()
  Index zero_point_value() const;
};

// Positive, normal, and no integer of 8 bits overflows when multiplied by it. With such a scale x -> quantize(x) is
// monotone, and quantize(dequantize(q)) == q for every 8-bit q: (q - z) * s rounds with a relative error of 2^-24, and
// so does the division by s, which moves q - z by less than 2^-14.
bool is_usable_scale(float scale);

// The DequantizeLinear that makes `value`, if it has constant float32 parameters.
std::optional<Quantization> match_dequantize(const Graph& graph, const ValueIndex& index, const std::string& value);
// The same where it makes 8-bit integers real, per tensor.
std::optional<Quantization> match_activation(const Graph& graph, const ValueIndex& index, const std::string& value);

// The node at this position as a QuantizeLinear with constant float32 parameters.
std::optional<Quantization> match_quantize(const Graph& graph, std::size_t node);

// Same type, scales and zero points, per tensor: integers mean the same reals on both sides.
bool same_parameters(const Quantization& a, const Quantization& b);

// Name of the zero point; adds a zero of the type where the node leaves it out.
std::string require_zero_point(Graph& graph, const Quantization& quantization);

}  // namespace assay::passes
