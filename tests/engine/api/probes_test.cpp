// SPDX-License-Identifier: Apache-2.0
// Recorded results of ONNX Runtime against this engine: every probe, tier and optimisation level, natively and
// emulated, bit for bit but for the rows of probe_exceptions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>

#include "engine/api/session.h"
#include "tests/support/folders.h"
#include "tests/support/npy.h"
#include "tests/support/probe.h"
#include "tests/support/probe_exceptions.h"

namespace assay {
namespace {

using test::Expectation;
using test::Probe;
using test::ProbeException;
using test::ProbeResult;

Isa isa_of_tier(const std::string& tier) { return tier == "vnni" ? Isa::kAvx512Vnni : isa_from_name(tier).value(); }

api::Optimization level_of(const std::string& level) {
  return level == "disabled" ? api::Optimization::kNone : api::optimization_from_name(level).value();
}

bool same_float(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool equal_values(const Tensor& got, const Tensor& expected) {
  if (got.dtype() != DType::kFloat32 || expected.dtype() != DType::kFloat32 || got.shape() != expected.shape()) {
    return bytes_equal(got, expected);
  }
  const auto a = got.data<float>();
  const auto b = expected.data<float>();
  return std::equal(a.begin(), a.end(), b.begin(), same_float);
}

// The step of a graph output that DequantizeLinear makes; else what float sums may differ by, of its largest value.
double step_of_output(const Graph& graph, const std::string& output, const Tensor& expected) {
  for (const Node& node : graph.nodes) {
    if (node.outputs[0] != output) {
      continue;
    }
    if (node.op_type == "QuantizeLinear") {
      return 1;
    }
    const Tensor* scale = node.op_type == "DequantizeLinear" ? graph.constant(node.input(1)) : nullptr;
    if (scale != nullptr && scale->size() == 1) {
      return static_cast<double>(scale->data<float>()[0]);
    }
  }
  constexpr double kFloatTolerance = 1e-5;
  double largest = 0;
  for (const double value : expected.to_doubles()) {
    largest = std::max(largest, std::abs(value));
  }
  return kFloatTolerance * largest;
}

bool within_one_step(const Graph& graph, const std::string& output, const Tensor& got, const Tensor& expected) {
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape()) {
    return false;
  }
  constexpr double kRoundingSlack = 1 + 1e-5;  // two dequantized neighbours, rounded to float32
  const double limit = step_of_output(graph, output, expected) * kRoundingSlack;
  const std::vector<double> a = got.to_doubles();
  const std::vector<double> b = expected.to_doubles();
  return std::equal(a.begin(), a.end(), b.begin(), [&](double x, double y) { return std::abs(x - y) <= limit; });
}

struct Counts {
  int recorded = 0;
  int equal = 0;
  int within_step = 0;
  int excepted = 0;  // refused by one side, or a known disagreement
};

// One probe with its model and data.
class Replay {
 public:
  static Result<Replay> load(const Probe& probe) {
    ASSAY_ASSIGN(api::Model model, api::Model::load(probe.model_path()));
    Replay replay(probe, std::move(model));
    for (std::size_t i = 0; i < probe.inputs.size(); ++i) {
      ASSAY_ASSIGN(replay.inputs_[probe.inputs[i]], test::read_npy(probe.input_files[i]));
    }
    return replay;
  }

  Result<api::NamedTensors> run(const ProbeResult& result, const CpuFeatures& features) const {
    api::SessionOptions options;
    options.optimization = level_of(result.level);
    options.profile = {.isa = isa_of_tier(result.tier), .precision = Precision::kFast};
    options.features = features;
    ASSAY_ASSIGN(const api::Session session, api::Session::create(model_, options));
    ASSAY_ASSIGN(api::RunResult run, session.run(inputs_));
    return std::move(run.outputs);
  }

  // Compares one recorded run; says what went wrong.
  void check(const ProbeResult& result, const CpuFeatures& features, Counts& counts) const {
    const ProbeException* exception = test::find_exception(probe_, result);
    const Expectation expectation = exception == nullptr ? Expectation::kEqual : exception->expectation;
    auto outputs = run(result, features);
    ++counts.recorded;
    if (expectation == Expectation::kRefused) {
      EXPECT_FALSE(outputs.ok()) << "now runs: the row '" << exception->reason << "' can go";
      ++counts.excepted;
      return;
    }
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;
    if (expectation == Expectation::kComputed) {
      EXPECT_FALSE(result.error.empty()) << "the peer did not refuse it";
      ++counts.excepted;
      return;
    }
    ASSERT_TRUE(result.error.empty()) << "the peer refused it, and no row says so: " << result.error;
    const auto [equal, close] = compare(result, outputs.value());
    if (expectation == Expectation::kDiffers) {
      EXPECT_FALSE(equal) << "now equal: the row '" << exception->reason << "' can go";
      ++counts.excepted;
      return;
    }
    counts.equal += equal ? 1 : 0;
    counts.within_step += !equal && close ? 1 : 0;
    EXPECT_TRUE(expectation == Expectation::kWithinOneStep ? close : equal)
        << (expectation == Expectation::kWithinOneStep ? "more than one step apart" : "not the same bytes");
  }

 private:
  Replay(const Probe& probe, api::Model model) : probe_(probe), model_(std::move(model)) {}

  std::pair<bool, bool> compare(const ProbeResult& result, const api::NamedTensors& outputs) const {
    bool equal = true;
    bool close = true;
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
      const std::string& name = probe_.output_names[i];
      const auto expected = test::read_npy(result.outputs[i]);
      EXPECT_TRUE(expected.ok()) << expected.error().message;
      const Tensor& got = outputs.at(name);
      const bool same = equal_values(got, expected.value());
      equal = equal && same;
      close = close && (same || within_one_step(model_.graph(), name, got, expected.value()));
    }
    return {equal, close};
  }

  Probe probe_;
  api::Model model_;
  api::NamedTensors inputs_;
};

struct Corpus {
  std::string name;
  std::filesystem::path folder;
  bool complete = true;  // every operator must be there
};

std::vector<Corpus> corpora() {
  std::vector<Corpus> out = {{"bundled", test::source_folder() / "tests/probes", true}};
  const std::filesystem::path outside = test::outside_probes_folder();
  if (!outside.empty()) {
    out.push_back({"outside", outside, false});
  }
  return out;
}

class Probes : public testing::TestWithParam<std::string> {};

void print(const std::string& title, const std::map<std::string, Counts>& tiers) {
  for (const auto& [tier, counts] : tiers) {
    std::cout << title << " " << tier << ": " << counts.equal << " of " << counts.recorded << " equal, "
              << counts.within_step << " within a step, " << counts.excepted << " excepted\n";
  }
}

void replay_corpus(const Corpus& corpus, const std::string& family, const CpuFeatures& features,
                   std::map<std::string, Counts>& tiers) {
  const auto probes = test::load_probes(corpus.folder / family);
  ASSERT_TRUE(probes.ok()) << probes.error().message;
  for (const Probe& probe : probes.value()) {
    auto replay = Replay::load(probe);
    if (!replay.ok()) {
      const bool known_gap = !corpus.complete && replay.error().kind == ErrorKind::kUnsupported;
      EXPECT_TRUE(known_gap) << probe.path() << ": " << replay.error().message;
      continue;
    }
    for (const ProbeResult& result : probe.results) {
      if (result.plain) {
        SCOPED_TRACE(probe.path() + " " + result.key);
        replay.value().check(result, features, tiers[result.tier]);
      }
    }
  }
}

TEST_P(Probes, EqualTheRecordedBytes) {
  const std::string family = GetParam();
  const CpuFeatures emulated = capped(host_features(), Isa::kScalar);
  for (const Corpus& corpus : corpora()) {
    if (!corpus.complete && !std::filesystem::exists(corpus.folder / family)) {
      continue;
    }
    for (const auto& [name, features] : {std::pair{"native", host_features()}, std::pair{"emulated", emulated}}) {
      SCOPED_TRACE(corpus.name + " " + name);
      std::map<std::string, Counts> tiers;
      replay_corpus(corpus, family, features, tiers);
      print(corpus.name + " " + family + ", " + name + ",", tiers);
      EXPECT_EQ(tiers.size(), 5U) << "a tier is missing";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Probes,
                         testing::Values("convinteger", "dequantizelinear", "dynamicquantizelinear", "elementwise",
                                         "matmulinteger", "qdq", "qgemm", "qlinearconv", "qlinearmatmul",
                                         "quantizelinear", "relu"),
                         [](const auto& info) { return info.param; });

// A row that fits nothing is a leftover.
TEST(ProbeExceptions, EveryRowIsUsed) {
  const auto probes = test::load_probes(test::source_folder() / "tests/probes");
  ASSERT_TRUE(probes.ok()) << probes.error().message;
  for (const ProbeException& row : test::probe_exceptions()) {
    const bool used = std::any_of(probes.value().begin(), probes.value().end(), [&](const Probe& probe) {
      return std::any_of(probe.results.begin(), probe.results.end(), [&](const ProbeResult& result) {
        return result.plain && test::find_exception(probe, result) == &row;
      });
    });
    EXPECT_TRUE(used) << row.probe << " " << row.tiers << " " << row.variants;
  }
}

}  // namespace
}  // namespace assay
