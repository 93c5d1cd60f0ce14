// SPDX-License-Identifier: Apache-2.0
// What a run says about itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/dtype.h"

namespace assay::runtime {

// How one node of the optimised graph is computed.
struct KernelInfo {
  std::string node;
  std::string op;          // "QLinearConv", "com.microsoft.QGemm"
  std::string kernel;      // name of the row in its kernel table, "onednn:<implementation>", "scalar" for plain loops,
                           // "view" where data is shared
  std::string isa;         // the profile's ISA for integer kernels; what runs for float ones
  std::string arithmetic;  // "exact", "sat16-pairs", "float32", or "move" where only bytes move
  bool native = true;      // false: another instruction set computes the same bytes
  bool nested = false;     // of a subgraph of the last node that is not nested
};

// The same of one output channel, with what its weights alone allow.
struct ChannelSaturation {
  std::uint64_t pairs = 0;
  std::uint64_t saturated = 0;
  Index largest_loss = 0;
  std::uint64_t weight_pairs = 0;          // pairs of neighbouring weights
  std::uint64_t weight_pairs_at_risk = 0;  // of these, those that some activations saturate
  Index largest_possible_loss = 0;         // the most that one clip can change a pair sum by, whatever the activations
};

// Saturation seen in one node with sat16-pairs arithmetic (the witness; only when asked for).
struct SaturationInfo {
  std::string node;
  std::uint64_t pairs = 0;      // int16 pair sums formed (an odd last index does not count)
  std::uint64_t saturated = 0;  // of these, clipped
  Index largest_loss = 0;       // the most that one clip changed a pair sum by
  std::vector<ChannelSaturation> channels = {};
};

}  // namespace assay::runtime
