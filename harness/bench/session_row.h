// SPDX-License-Identifier: Apache-2.0
// Benchmarks of whole models, run as users run them: through engine/api.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/api/session.h"
#include "harness/bench/benchmark_row.h"

namespace assay::bench {

// How outputs are compared with those of the scalar kernels: integers must be equal; what float layers computed may
// differ by rounding.
enum class Compared { kBytes, kRounding };

struct ModelRun {
  std::string name;  // of the row, without profile and threads
  std::function<Result<api::Model>()> model;
  Compared compared = Compared::kBytes;
};

// NAME/<isa>/<precision>/t<threads>: the model under one profile. Inputs are seeded random data; open dimensions are 1.
BenchmarkRow session_row(const ModelRun& run, const Profile& profile, int threads);

// NAME/<isa>/<precision>: the same on a host that has no more than `host`, one thread, timed against avx2/exact there.
BenchmarkRow emulation_row(const ModelRun& run, const Profile& profile, Isa host);

// The mix that bounds a model, by the kernels that ran: that of its matrix products. Null where none ran, where they
// differ in their mixes, and where a depthwise kernel or oneDNN, which have none, did a part of the work.
const kernels::PeakKernel* ceiling_of(const std::vector<api::KernelInfo>& ran);

// The profiles that this CPU runs natively, best first: each ISA with `fast`, and with `exact` where that differs.
std::vector<Profile> native_profiles();

}  // namespace assay::bench
