// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/conv_kernels.h"

#include "engine/runtime/quantized_product.h"

namespace assay::runtime {

ConvKernels choose_conv_kernels(const Profile& profile, kernels::Operands operands, const CpuFeatures& features) {
  return {.gemm = kernels::choose_gemm(profile, operands, features),
          .depthwise = kernels::choose_depthwise(profile, features),
          .im2col = &kernels::choose_im2col(profile, features),
          .transpose = &kernels::choose_transpose(profile, features),
          .requantize = &kernels::choose_requantize(profile, features)};
}

KernelInfo conv_kernel_info(const ConvKernels& kernels, bool depthwise, const Profile& profile) {
  KernelInfo info = product_kernel_info(kernels.gemm, profile);
  if (depthwise) {
    info.kernel = kernels.depthwise.kernel->name;
    info.arithmetic = arithmetic_name(Arithmetic::kExact);
    info.native = kernels.depthwise.native;
  }
  return info;
}

kernels::DepthwiseArgs depthwise_geometry(const ConvShape& shape) {
  const WindowAxis& h = shape.window.h;
  const WindowAxis& w = shape.window.w;
  return {.height = h.input,
          .width = w.input,
          .kernel_h = h.kernel,
          .kernel_w = w.kernel,
          .stride_h = h.stride,
          .stride_w = w.stride,
          .dilation_h = h.dilation,
          .dilation_w = w.dilation,
          .pad_top = h.pad_begin,
          .pad_left = w.pad_begin,
          .out_h = h.output,
          .out_w = w.output};
}

}  // namespace assay::runtime
