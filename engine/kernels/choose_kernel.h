// SPDX-License-Identifier: Apache-2.0
// How a profile picks a row of a kernel table.
#pragma once

#include <span>

#include "engine/base/cpu_features.h"
#include "engine/base/profile.h"

namespace assay::kernels {

template <typename Kernel>
struct KernelChoice {
  const Kernel* kernel = nullptr;
  bool native = true;  // false: the profile's own ISA cannot run here, this kernel gives the same bytes
};

// The first row that `fits` (tables list the best first) at or below the profile's ISA; where `features` lack that ISA,
// the first that they allow. Tables hold a scalar row for everything that is asked of them, so there is always one.
template <typename Kernel, typename Fits>
KernelChoice<Kernel> choose_kernel(std::span<const Kernel> kernels, const Profile& profile, const CpuFeatures& features,
                                   const Fits& fits) {
  KernelChoice<Kernel> choice;
  choice.native = can_run(features, profile.isa);
  const CpuFeatures usable = choice.native ? capped(features, profile.isa) : features;
  for (const Kernel& kernel : kernels) {
    if (fits(kernel) && can_run(usable, kernel.isa)) {
      choice.kernel = &kernel;
      break;
    }
  }
  return choice;
}

// The same of a table whose rows differ in nothing but their ISA.
template <typename Kernel>
KernelChoice<Kernel> choose_kernel(std::span<const Kernel> kernels, const Profile& profile,
                                   const CpuFeatures& features) {
  return choose_kernel(kernels, profile, features, [](const Kernel&) { return true; });
}

}  // namespace assay::kernels
