// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/session_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "engine/kernels/depthwise/depthwise.h"
#include "engine/kernels/gemm/gemm.h"
#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr float kLargestError = 1e-3F;  // of float layers, relative to the largest output

Result<Tensor> random_input(const ValueInfo& info) {
  Shape shape;
  for (const Dim& dim : info.dims) {
    shape.push_back(dim.known() ? dim.size : 1);
  }
  ASSAY_ASSIGN(Tensor tensor, Tensor::allocate(info.dtype, shape));
  if (info.dtype == DType::kFloat32) {
    fill_floats(tensor.mutable_data<float>(), 1, 0, 1);
  } else if (is_8bit(info.dtype)) {
    fill_bytes({reinterpret_cast<std::uint8_t*>(tensor.mutable_bytes()), tensor.size_bytes()}, 1);
  } else {
    return unsupported(fmt::format("input '{}' has type {}; benchmarks feed float32 and 8-bit integers", info.name,
                                   dtype_name(info.dtype)));
  }
  return tensor;
}

Result<api::NamedTensors> random_inputs(const Graph& graph) {
  api::NamedTensors inputs;
  for (const ValueInfo& info : graph.inputs) {
    ASSAY_ASSIGN(inputs[info.name], random_input(info));
  }
  return inputs;
}

Status compare(const std::string& name, const Tensor& found, const Tensor& expected, Compared compared) {
  if (compared == Compared::kBytes) {
    return expect_same_bytes(name, {found.bytes(), found.size_bytes()}, {expected.bytes(), expected.size_bytes()},
                             "the scalar profile of the same arithmetic");
  }
  const std::vector<double> values = found.to_doubles();
  const std::vector<double> wanted = expected.to_doubles();
  double largest = 0;
  double error = 0;
  for (std::size_t i = 0; i < std::min(values.size(), wanted.size()); ++i) {
    largest = std::max(largest, std::abs(wanted[i]));
    error = std::max(error, std::abs(values[i] - wanted[i]));
  }
  if (values.size() != wanted.size() || !(error <= kLargestError * largest)) {
    return internal_error(
        fmt::format("{}: wrong answer: off by {} where outputs reach {}; no time is reported", name, error, largest));
  }
  return {};
}

// What runs, said once for each kernel: "gemm_u8s8_exact_avx512_vnni x 12, onednn:jit x 2".
std::string kernel_label(const std::vector<api::KernelInfo>& kernels) {
  std::vector<std::pair<std::string, int>> counts;
  for (const api::KernelInfo& info : kernels) {
    if (info.arithmetic == "move") {
      continue;
    }
    const std::string name = info.native ? info.kernel : info.kernel + " (emulated)";
    const auto known = std::ranges::find(counts, name, &std::pair<std::string, int>::first);
    if (known == counts.end()) {
      counts.emplace_back(name, 1);
    } else {
      ++known->second;
    }
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + (count == 1 ? name : fmt::format("{} x {}", name, count));
  }
  return text;
}

template <typename Rows>
auto row_named(const Rows& rows, const std::string& name) {
  return std::ranges::find_if(rows, [&](const auto& row) { return name == row.name; });
}

struct Loaded {
  explicit Loaded(api::Session made) : session(std::move(made)) {}
  api::Session session;
  api::NamedTensors inputs;
  api::NamedTensors outputs;  // of the last call
};

Status check(const ModelRun& run, const Loaded& loaded, const api::Model& model, const Profile& profile) {
  api::SessionOptions options;
  options.profile = profile;
  options.features = capped(host_features(), Isa::kScalar);  // the profile's arithmetic by the scalar kernels
  ASSAY_ASSIGN(const api::Session scalar, api::Session::create(model, options));
  ASSAY_ASSIGN(const api::RunResult expected, scalar.run(loaded.inputs));
  for (const auto& [name, tensor] : expected.outputs) {
    const auto found = loaded.outputs.find(name);
    if (found == loaded.outputs.end()) {
      return internal_error("output '" + name + "' is missing");
    }
    ASSAY_TRY(compare(fmt::format("{} output '{}'", run.name, name), found->second, tensor, run.compared));
  }
  return {};
}

Result<Prepared> prepare(const ModelRun& run, const api::SessionOptions& options) {
  const Profile profile = options.profile;
  const int threads = options.threads;
  ASSAY_ASSIGN(api::Model model, run.model());
  ASSAY_ASSIGN(api::Session session, api::Session::create(model, options));
  auto loaded = std::make_shared<Loaded>(std::move(session));
  ASSAY_ASSIGN(loaded->inputs, random_inputs(model.graph()));
  Prepared prepared;
  prepared.call = [loaded]() -> Status {
    loaded->outputs.clear();  // their memory is used again
    ASSAY_ASSIGN(api::RunResult result, loaded->session.run(loaded->inputs));
    loaded->outputs = std::move(result.outputs);
    return {};
  };
  ASSAY_TRY(prepared.call());  // sizes and implementations are known after a run
  prepared.check = [run, loaded, model, profile] { return check(run, *loaded, model, profile); };
  prepared.work.operations = 2.0 * static_cast<double>(loaded->session.multiply_accumulates());
  prepared.work.threads = threads;
  if (run.compared == Compared::kBytes) {
    prepared.work.peak = ceiling_of(loaded->session.kernels());
  }
  prepared.label = kernel_label(loaded->session.kernels());
  return prepared;
}

}  // namespace

const kernels::PeakKernel* ceiling_of(const std::vector<api::KernelInfo>& ran) {
  const auto products = kernels::gemm_kernels();
  const auto depthwise = kernels::depthwise_kernels();
  std::set<const kernels::PeakKernel*> ceilings;
  for (const api::KernelInfo& info : ran) {
    const auto product = row_named(products, info.kernel);
    if (product != products.end()) {
      ceilings.insert(kernels::find_peak(product->isa, product->arithmetic));
    } else if (row_named(depthwise, info.kernel) != depthwise.end() || info.kernel.starts_with("onednn:")) {
      ceilings.insert(nullptr);
    }
  }
  return ceilings.size() == 1 ? *ceilings.begin() : nullptr;
}

BenchmarkRow session_row(const ModelRun& run, const Profile& profile, int threads) {
  return {fmt::format("{}/{}/{}/t{}", run.name, isa_name(profile.isa), precision_name(profile.precision), threads),
          [run, profile, threads] {
            api::SessionOptions options;
            options.profile = profile;
            options.threads = threads;
            return prepare(run, options);
          }};
}

BenchmarkRow emulation_row(const ModelRun& run, const Profile& profile, Isa host) {
  return {fmt::format("{}/{}/{}", run.name, isa_name(profile.isa), precision_name(profile.precision)),
          [run, profile, host]() -> Result<Prepared> {
            api::SessionOptions options;
            options.features = capped(host_features(), host);
            options.profile = {Isa::kAvx2, Precision::kExact};
            ASSAY_ASSIGN(const Prepared baseline, prepare(run, options));
            options.profile = profile;
            ASSAY_ASSIGN(Prepared prepared, prepare(run, options));
            prepared.baseline = baseline.call;
            prepared.work.peak = nullptr;
            return prepared;
          }};
}

std::vector<Profile> native_profiles() {
  std::vector<Profile> profiles;
  std::set<std::pair<Isa, Arithmetic>> known;
  const auto isas = all_isas();
  for (auto isa = isas.rbegin(); isa != isas.rend(); ++isa) {
    for (const Precision precision : {Precision::kFast, Precision::kExact}) {
      const Profile profile{*isa, precision};
      if (can_run(host_features(), *isa) && known.emplace(*isa, u8s8_arithmetic(profile)).second) {
        profiles.push_back(profile);
      }
    }
  }
  return profiles;
}

}  // namespace assay::bench
