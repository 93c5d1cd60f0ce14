// SPDX-License-Identifier: Apache-2.0
// Softmax of rows [rows, length], in float32 and on 8-bit integers.
//
//   sum      = 16 sums, of elements i, i + 16, i + 32 ... each in this order; then 8 of places i and i + 8, 4, 2, 1
//   softmax: e = exp(f32(x - max of the row)), 0 below -87; y = f32(e / sum)
//            exp(d) = f32(2^n * p(d - n * ln 2)), n = rint(d * log2 e), p a polynomial of degree 7, every step rounded
//            to float32, none fused: within 2^-22 of the real value, as a share of it
//   qlinear: e = exponentials[max of the row - x]; y = clamp(rint(f32(f32(e * steps) / sum)) + y_zero_point)
//
// rint is half to even; a NaN gives the type's minimum. A row with a NaN, with an infinity at its top, gives NaN in all
// places. For qlinear_softmax_table and _steps this is ONNX Runtime's QLinearSoftmax but for results that are exact
// ties, where its own rounding may choose the other neighbour. Reads and writes: the rows, nothing before or behind;
// rows of length 0 do nothing. Every row of the table gives the same bytes, NaNs aside, whose bits may differ.
#pragma once

#include <array>
#include <span>

#include "engine/kernels/choose_kernel.h"
#include "engine/kernels/softmax/softmax_args.h"

namespace assay::kernels {

// exponentials[d] = f32(exp(-d * x_scale)), in double before rounding.
using SoftmaxTable = std::array<float, 256>;
SoftmaxTable qlinear_softmax_table(float x_scale);
// floor(f32(1 / y_scale)): whole steps, where QuantizeLinear would divide by y_scale.
float qlinear_softmax_steps(float y_scale);

struct SoftmaxKernel {
  const char* name;  // softmax_<isa>
  Isa isa;           // needs this to run natively
  void (*softmax)(const SoftmaxArgs&);
  void (*qlinear)(const QLinearSoftmaxArgs&);
};
// Every kernel, best first.
std::span<const SoftmaxKernel> softmax_kernels();

using SoftmaxChoice = KernelChoice<SoftmaxKernel>;
SoftmaxChoice choose_softmax(const Profile& profile, const CpuFeatures& features);

}  // namespace assay::kernels
