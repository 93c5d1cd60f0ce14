// SPDX-License-Identifier: Apache-2.0
// The kernels of one integer convolution, as a profile chooses them for its operand types.
#pragma once

#include "engine/kernels/depthwise/depthwise.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/im2col/im2col.h"
#include "engine/kernels/requantize/requantize.h"
#include "engine/kernels/transpose/transpose_bytes.h"
#include "engine/runtime/conv_shape.h"
#include "engine/runtime/operator.h"

namespace assay::runtime {

struct ConvKernels {
  kernels::GemmChoice gemm;
  kernels::DepthwiseChoice depthwise;
  const kernels::Im2colKernel* im2col = nullptr;
  const kernels::TransposeKernel* transpose = nullptr;
  const kernels::RequantizeKernel* requantize = nullptr;
};
ConvKernels choose_conv_kernels(const Profile& profile, kernels::Operands operands, const CpuFeatures& features);

// What computes the sums: the depthwise kernel or the matrix product.
KernelInfo conv_kernel_info(const ConvKernels& kernels, bool depthwise, const Profile& profile);

// Geometry of the depthwise kernel; the operands are the caller's to fill in.
kernels::DepthwiseArgs depthwise_geometry(const ConvShape& shape);

}  // namespace assay::runtime
