// SPDX-License-Identifier: Apache-2.0
// The arithmetic contract as a whole: random graphs give the same bytes with every thread count, batch split and ISA of
// one arithmetic, native or emulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>

#include "engine/api/session.h"
#include "tests/engine/runtime/random_graph.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/random.h"

namespace assay {
namespace {

using api::NamedTensors;
using test::Random;
using test::RandomGraph;

#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kGraphs = 1000;
#else
constexpr std::uint64_t kGraphs = 10000;
#endif
constexpr int kFewest = kGraphs / 100;  // comparisons of each kind
constexpr int kVariants = 6;            // of a graph, beside the first of every arithmetic

// One way to run a graph.
struct Variant {
  Profile profile;
  CpuFeatures features = host_features();
  int threads = 1;
  std::vector<Index> parts;  // sizes of the batches that are fed one after the other; empty: all at once

  bool native() const { return can_run(features, profile.isa); }
  std::string text() const {
    std::string out = std::string(isa_name(profile.isa)) + "/" + std::string(precision_name(profile.precision)) +
                      (native() ? " native" : " emulated at " + std::string(isa_name(best_isa(features)))) +
                      " threads " + std::to_string(threads) + " batches";
    for (const Index part : parts) {
      out += " " + std::to_string(part);
    }
    return out;
  }
};

Tensor part_of(const Tensor& tensor, Index first, Index count) {
  Shape shape = tensor.shape();
  const std::size_t sample = tensor.size_bytes() / static_cast<std::size_t>(shape[0]);
  shape[0] = count;
  Tensor out = Tensor::allocate(tensor.dtype(), shape).value();
  std::memcpy(out.mutable_bytes(), tensor.bytes() + static_cast<std::size_t>(first) * sample, out.size_bytes());
  return out;
}

// Bytes of the output; what the plan's records say decides whose bytes must be equal.
struct Outcome {
  std::string error;
  std::string bytes;
  std::string arithmetic;
};

// The arithmetic of the whole plan: whether pairs saturate somewhere, the rounding of sse41's additions, and whether
// activations became unsigned, whose zero points 128 higher take part in the rounding of element-wise operators.
std::string arithmetic_of(const api::Session& session, const Profile& profile) {
  bool saturates = false;
  bool adds = false;
  for (const api::KernelInfo& kernel : session.kernels()) {
    saturates = saturates || kernel.arithmetic == "sat16-pairs";
    test::record_kernel_run(kernel.kernel, kernel.native);
    adds = adds || kernel.op == "com.microsoft.QLinearAdd";
    if (kernel.kernel.starts_with("onednn")) {
      return "float: " + kernel.op;
    }
  }
  const auto& passes = session.applied_passes();
  const bool shifted =
      std::any_of(passes.begin(), passes.end(), [](const auto& pass) { return pass.first == "s8_activation_to_u8"; });
  return std::string(saturates ? "sat16-pairs" : "exact") + (adds && !uses_fma(profile.isa) ? " without fma" : "") +
         (shifted ? " on shifted activations" : "");
}

Outcome run(const RandomGraph& random, const api::Model& model, const Variant& variant) {
  Outcome outcome;
  const auto session = api::Session::create(
      model, {.profile = variant.profile, .features = variant.features, .threads = variant.threads});
  if (!session.ok()) {
    outcome.error = session.error().message;
    return outcome;
  }
  outcome.arithmetic = arithmetic_of(session.value(), variant.profile);
  Index first = 0;
  for (const Index count : variant.parts.empty() ? std::vector<Index>{random.batch} : variant.parts) {
    NamedTensors inputs = random.inputs;
    for (const std::string& name : random.batched) {
      inputs[name] = part_of(inputs[name], first, count);
    }
    first += count;
    const auto result = session.value().run(inputs);
    if (!result.ok()) {
      outcome.error = result.error().message;
      return outcome;
    }
    const Tensor& output = result.value().outputs.begin()->second;
    outcome.bytes.append(reinterpret_cast<const char*>(output.bytes()), output.size_bytes());
  }
  return outcome;
}

// Hosts that lack `isa`.
std::vector<CpuFeatures> lesser_hosts(Isa isa) {
  std::vector<CpuFeatures> hosts;
  for (const Isa level : all_isas()) {
    const CpuFeatures host = capped(host_features(), level);
    if (can_run(host_features(), level) && !can_run(host, isa)) {
      hosts.push_back(host);
    }
  }
  return hosts;
}

Variant random_variant(Random& random, const RandomGraph& graph) {
  Variant variant;
  const auto isas = all_isas();
  variant.profile.isa = isas[static_cast<std::size_t>(random.integer(0, static_cast<Index>(isas.size()) - 1))];
  variant.profile.precision = random.chance(0.5) ? Precision::kFast : Precision::kExact;
  if (random.chance(0.2)) {  // what saturates is rare among all profiles
    variant.profile = {random.chance(0.5) ? Isa::kAvx2 : Isa::kAvx512, Precision::kFast};
  }
  const std::vector<CpuFeatures> hosts = lesser_hosts(variant.profile.isa);
  if (!hosts.empty() && random.chance(0.4)) {
    variant.features = hosts[static_cast<std::size_t>(random.integer(0, static_cast<Index>(hosts.size()) - 1))];
  }
  variant.threads = static_cast<int>(random.integer(1, 3));
  if (graph.splits && graph.batch > 1 && random.chance(0.5)) {
    for (Index left = graph.batch; left > 0; left -= variant.parts.back()) {
      variant.parts.push_back(random.integer(1, std::min(left, graph.batch - 1)));
    }
  }
  return variant;
}

// How often what was compared with what.
class Counts {
 public:
  void add(const std::string& arithmetic, const Variant& variant) {
    const std::string isa(isa_name(variant.profile.isa));
    const std::string threads = "threads " + std::to_string(variant.threads);
    const std::string split = variant.parts.empty() ? "whole batch" : "split batch";
    const std::string native = variant.native() ? "native" : "emulated";
    for (const std::string& key :
         {isa + ", " + native, isa + ", " + threads, isa + ", " + split,
          isa + ", " + std::string(precision_name(variant.profile.precision)), threads + ", " + split,
          threads + ", " + native, split + ", " + native, "arithmetic " + arithmetic}) {
      ++counts_[key];
    }
  }
  void print_and_check() const {
    for (const auto& [key, count] : counts_) {
      std::printf("  %-36s %d\n", key.c_str(), count);
      EXPECT_GE(count, kFewest) << key;
    }
  }

 private:
  std::map<std::string, int> counts_;
};

TEST(BitIdentity, OfRandomGraphs) {
  Counts counts;
  std::map<std::string, int> operators;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t index = 0; index < kGraphs && !testing::Test::HasFailure(); ++index) {
    const RandomGraph graph = test::random_graph(index);
    const std::string where =
        "graph " + std::to_string(index) + " of seed " + std::to_string(test::test_seed()) + ", " + graph.text;
    const auto model = api::Model::from_graph(graph.graph);
    ASSERT_TRUE(model.ok()) << where << ": " << model.error().message;
    Random random(index + kGraphs);
    std::map<std::string, std::pair<std::string, std::string>> expected;  // by arithmetic: bytes, from where
    for (const Profile& profile : {Profile{Isa::kScalar, Precision::kFast}, Profile{Isa::kAvx2, Precision::kFast}}) {
      const Variant first{.profile = profile};
      const Outcome outcome = run(graph, model.value(), first);
      ASSERT_EQ(outcome.error, "") << where << ", " << first.text();
      ASSERT_FALSE(outcome.arithmetic.starts_with("float")) << where << ": " << outcome.arithmetic;
      const auto [found, added] = expected.try_emplace(outcome.arithmetic, outcome.bytes, first.text());
      ASSERT_TRUE(added || outcome.bytes == found->second.first)
          << where << ": " << first.text() << " differs from " << found->second.second;
    }
    for (int i = 0; i < kVariants; ++i) {
      const Variant variant = random_variant(random, graph);
      const Outcome outcome = run(graph, model.value(), variant);
      ASSERT_EQ(outcome.error, "") << where << ", " << variant.text();
      const auto [found, added] = expected.try_emplace(outcome.arithmetic, outcome.bytes, variant.text());
      ASSERT_TRUE(added || outcome.bytes == found->second.first)
          << where << ": " << variant.text() << " differs from " << found->second.second << " (" << outcome.arithmetic
          << ")";
      if (!added) {
        counts.add(outcome.arithmetic, variant);
      }
    }
    for (const Node& node : graph.graph.nodes) {
      ++operators[node.op_type];
    }
  }
  const auto end = std::chrono::steady_clock::now();
  std::printf("%llu graphs in %.1f s, with these operators:\n", static_cast<unsigned long long>(kGraphs),
              std::chrono::duration<double>(end - begin).count());
  for (const auto& [name, count] : operators) {
    std::printf("  %-36s %d\n", name.c_str(), count);
  }
  std::printf("comparisons:\n");
  counts.print_and_check();
}

}  // namespace
}  // namespace assay
