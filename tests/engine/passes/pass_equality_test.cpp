// SPDX-License-Identifier: Apache-2.0
// Every pass on random graphs that it can fire on: outputs stay within the bound that the pass states, in the scalar
// and in the AVX2 profile, against the unoptimised graph in the scalar one.
#include <cmath>
#include <sstream>

#include "tests/engine/passes/extended_fragments.h"
#include "tests/engine/passes/float_fragments.h"

namespace assay::test {
namespace {

constexpr Index kOpset = 17;
constexpr std::int64_t kGraphs = 1000;

struct PassCase {
  const char* pass;
  Fragment fragment;
  Index floor;  // rewrites in kGraphs graphs, at least; far below what a working pass makes
  Precision precision = Precision::kExact;
};

// In the order of the passes; PassEquality.CoversEveryPass compares.
constexpr PassCase kCases[] = {
    {"eliminate_identity", identity_fragment, 1000},
    {"eliminate_dropout", dropout_fragment, 800},
    {"merge_double_qdq", double_qdq_fragment, 500},
    {"shape_folding", shape_fragment, 1000},
    {"constant_folding", constant_fragment, 1000},
    {"extreme_to_clip", extreme_constant_fragment, 400},
    {"merge_casts", cast_fragment, 500},
    {"merge_slices", slice_fragment, 500},
    {"fold_pad", pad_fragment, 400},
    {"fold_batch_normalization", normalization_fragment, 800},
    {"fold_conv_affine", affine_fragment, 800},
    {"matmul_add_to_gemm", matmul_add_fragment, 400},
    {"sink_transposes", sink_fragment, 800},
    {"merge_transposes", transposes_fragment, 800},
    {"transpose_to_reshape", flat_transpose_fragment, 300},
    {"merge_reshapes", views_fragment, 1000},
    {"eliminate_no_op", no_op_fragment, 1000},
    {"common_subexpressions", duplicate_fragment, 800},
    {"s8_activation_to_u8", signed_activation_fragment, 800, Precision::kFast},
    {"qdq_propagation", propagation_fragment, 500},
    {"drop_qdq_movement", movement_fragment, 500},
    {"drop_qdq_split", split_fragment, 400},
    {"drop_dq_argmax", extreme_fragment, 800},
    {"fuse_qdq_conv", conv_fragment, 600},
    {"fuse_qdq_matmul", matmul_fragment, 600},
    {"fuse_qdq_gemm", gemm_fragment, 500},
    {"fuse_qdq_elementwise", elementwise_fragment, 600},
    {"fuse_qdq_pool", pool_fragment, 600},
    {"fuse_qdq_unary", unary_fragment, 600},
    {"fuse_qdq_lookup", lookup_fragment, 600},
    {"fuse_qdq_concat", concat_fragment, 600},
    {"fuse_qdq_where", where_fragment, 500},
    {"remove_redundant_qdq", redundant_fragment, 500},
    {"fuse_integer_clamp", integer_clamp_fragment, 600},
    {"fold_integer_pad", integer_pad_fragment, 400},
    {"fuse_matmul_integer_to_float", dynamic_fragment, 500},
    {"fuse_dynamic_quantize_matmul", dynamic_matmul_fragment, 500},
    {"fuse_conv_add", conv_add_fragment, 400},
    {"fuse_conv_activation", conv_activation_fragment, 400},
    {"fuse_byte_functions", byte_function_fragment, 600},
    {"fuse_elementwise", elementwise_chain_fragment, 600},
};

std::vector<std::string> all_but(const std::string& name) {
  std::vector<std::string> names;
  for (const passes::Pass& pass : passes::passes()) {
    if (pass.name != name) {
      names.emplace_back(pass.name);
    }
  }
  return names;
}

struct Outcome {
  api::NamedTensors outputs;
  Index rewrites = 0;
};

Result<Outcome> run(const api::Model& model, const api::NamedTensors& inputs, const api::SessionOptions& options) {
  ASSAY_ASSIGN(const api::Session session, api::Session::create(model, options));
  ASSAY_ASSIGN(api::RunResult result, session.run(inputs));
  Outcome outcome{.outputs = std::move(result.outputs)};
  for (const auto& [name, rewrites] : session.applied_passes()) {
    outcome.rewrites += rewrites;
  }
  return outcome;
}

// NaN is any NaN and -0 is 0.
bool within(double actual, double expected, double limit) {
  return actual == expected || (std::isnan(actual) && std::isnan(expected)) || std::fabs(actual - expected) <= limit;
}

std::string first_difference(const Tensor& actual, const Tensor& expected, const Bound& bound) {
  std::ostringstream text;
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) {
    text << dtype_name(actual.dtype()) << shape_text(actual.shape()) << " for " << dtype_name(expected.dtype())
         << shape_text(expected.shape());
    return text.str();
  }
  const std::vector<double> a = actual.to_doubles();
  const std::vector<double> e = expected.to_doubles();
  double largest = 0;
  for (const double value : e) {
    largest = std::max(largest, std::isfinite(value) ? std::fabs(value) : 0);
  }
  for (std::size_t i = 0; i < e.size(); ++i) {
    if (!within(a[i], e[i], bound.absolute + bound.relative * largest)) {
      text.precision(9);
      text << "element " << i << ": " << a[i] << " for " << e[i];
      return text.str();
    }
  }
  return "";
}

std::string graph_text(const Graph& graph) {
  std::ostringstream text;
  for (const Node& node : graph.nodes) {
    text << node.op_type << "(";
    for (const std::string& input : node.inputs) {
      text << input << " ";
    }
    text << ") ->";
    for (const std::string& output : node.outputs) {
      text << " " << output << (graph.is_output(output) ? "!" : "");
    }
    text << "\n";
  }
  return text.str();
}

// Runs one graph in the unoptimised scalar form and with `disabled` left out in both profiles; rewrites of the scalar
// profile, or of the AVX2 one where that is the only one the pass fires in.
Index check_graph(const GraphGenerator& g, const std::vector<std::string>& disabled, Precision precision) {
  const auto model = api::Model::from_graph(g.graph());
  if (!model.ok()) {
    ADD_FAILURE() << model.error().message << "\n" << graph_text(g.graph());
    return 0;
  }
  api::SessionOptions options;
  options.optimization = api::Optimization::kNone;
  options.profile = {.isa = Isa::kScalar, .precision = Precision::kExact};
  const auto reference = run(model.value(), g.inputs(), options);
  if (!reference.ok()) {
    ADD_FAILURE() << reference.error().message << "\n" << graph_text(g.graph());
    return 0;
  }
  options.optimization = api::Optimization::kAll;
  options.disabled_passes = disabled;
  Index rewrites = 0;
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2}) {
    options.profile = {.isa = isa, .precision = precision};
    const auto optimized = run(model.value(), g.inputs(), options);
    if (!optimized.ok()) {
      ADD_FAILURE() << optimized.error().message << "\n" << graph_text(g.graph());
      return 0;
    }
    rewrites = std::max(rewrites, optimized.value().rewrites);
    for (const auto& [name, expected] : reference.value().outputs) {
      const std::string difference =
          first_difference(optimized.value().outputs.at(name), expected, g.bounds().at(name));
      EXPECT_EQ(difference, "") << "in output " << name << ", isa " << isa_name(isa) << "\n" << graph_text(g.graph());
    }
  }
  return rewrites;
}

class PassEquality : public testing::TestWithParam<PassCase> {};

TEST_P(PassEquality, KeepsItsBoundOnRandomGraphs) {
  const PassCase& row = GetParam();
  const std::vector<std::string> disabled = all_but(row.pass);
  const std::int64_t graphs = case_count(kGraphs);
  Index rewrites = 0;
  for (std::int64_t i = 0; i < graphs; ++i) {
    Random random(static_cast<std::uint64_t>(1000000 + i));
    GraphGenerator g(random, kOpset);
    for (Index fragments = g.integer(1, 2); fragments > 0; --fragments) {
      row.fragment(g);
    }
    rewrites += check_graph(g, disabled, row.precision);
    ASSERT_FALSE(HasFailure()) << row.pass << " in graph " << i << " of seed " << test_seed();
  }
  RecordProperty("rewrites", static_cast<int>(rewrites));
  EXPECT_GE(rewrites * kGraphs, row.floor * graphs) << "the pass hardly fires on its graphs";
}

INSTANTIATE_TEST_SUITE_P(Passes, PassEquality, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.pass); });

TEST(PassEqualityTable, CoversEveryPass) {
  std::vector<std::string> covered;
  for (const PassCase& row : kCases) {
    covered.emplace_back(row.pass);
  }
  EXPECT_EQ(covered, all_but(""));
}

// Together too, fragments of different passes in one graph: no pass spoils what another leaves.
TEST(PassEqualityTable, AllPassesTogetherKeepTheBounds) {
  constexpr std::size_t kCount = std::size(kCases);
  const std::int64_t graphs = case_count(kGraphs);
  for (std::int64_t i = 0; i < graphs; ++i) {
    Random random(static_cast<std::uint64_t>(3000000 + i));
    GraphGenerator g(random, kOpset);
    for (Index fragments = g.integer(2, 5); fragments > 0; --fragments) {
      kCases[static_cast<std::size_t>(g.integer(0, kCount - 1))].fragment(g);
    }
    check_graph(g, {}, Precision::kExact);
    ASSERT_FALSE(HasFailure()) << "in graph " << i << " of seed " << test_seed();
  }
}

}  // namespace
}  // namespace assay::test
