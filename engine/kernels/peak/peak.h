// SPDX-License-Identifier: Apache-2.0
// How fast this CPU can compute dot products at all: independent chains of one instruction mix on registers, without a
// load or a store. The rate of a mix is the ceiling of every matrix product that is made of it.
//
//   one step adds, in each of `chains` accumulators, the products of one vector of a with one vector of b
//   sum = chains * steps * (the products of one int32 lane)                                        (wrapping int32)
//
// The lane's products are those of the mix's arithmetic, so that a test can foretell the sum.
#pragma once

#include <span>

#include "engine/base/cpu_features.h"
#include "engine/base/dtype.h"
#include "engine/base/profile.h"
#include "engine/kernels/peak/peak_args.h"

namespace assay::kernels {

struct PeakKernel {
  const char* name;  // peak_<instructions>_<register>
  Isa isa;           // this row is the ceiling of kernels of this ISA and arithmetic
  Arithmetic arithmetic;
  Index lane_products;  // products that one step adds to one int32 lane of one chain
  Index lanes;          // int32 lanes of a register or tile
  Index chains;
  void (*run)(const PeakArgs&);
};

// Every mix, best first.
std::span<const PeakKernel> peak_kernels();

// The mix of kernels of this ISA and arithmetic, or null where none is known.
const PeakKernel* find_peak(Isa isa, Arithmetic arithmetic);

// Multiplications and additions of one step: two for each product.
inline Index peak_operations_per_step(const PeakKernel& kernel) {
  return 2 * kernel.lane_products * kernel.lanes * kernel.chains;
}

}  // namespace assay::kernels
