// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/softmax/softmax.h"

#include <cmath>

namespace assay::kernels {

void softmax_scalar(const SoftmaxArgs& args);
void qlinear_softmax_scalar(const QLinearSoftmaxArgs& args);
#if ASSAY_HAVE_X86
void softmax_avx2(const SoftmaxArgs& args);
void qlinear_softmax_avx2(const QLinearSoftmaxArgs& args);
void softmax_avx512(const SoftmaxArgs& args);
void qlinear_softmax_avx512(const QLinearSoftmaxArgs& args);
#endif

namespace {

constexpr SoftmaxKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"softmax_avx512", Isa::kAvx512, softmax_avx512, qlinear_softmax_avx512},
    {"softmax_avx2", Isa::kAvx2, softmax_avx2, qlinear_softmax_avx2},
#endif
    {"softmax_scalar", Isa::kScalar, softmax_scalar, qlinear_softmax_scalar},
};

}  // namespace

SoftmaxTable qlinear_softmax_table(float x_scale) {
  SoftmaxTable out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(std::exp(-static_cast<double>(i) * static_cast<double>(x_scale)));
  }
  return out;
}

float qlinear_softmax_steps(float y_scale) { return std::floor(1.0F / y_scale); }

std::span<const SoftmaxKernel> softmax_kernels() { return kKernels; }

SoftmaxChoice choose_softmax(const Profile& profile, const CpuFeatures& features) {
  return choose_kernel(softmax_kernels(), profile, features);
}

}  // namespace assay::kernels
