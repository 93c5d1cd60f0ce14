// SPDX-License-Identifier: Apache-2.0
// ai.assay.ElementwiseChain: element-wise float32 operators on one value X and constants, one after the other for a few
// elements at a time, so that what is between them stays in the nearest cache. The same bits as the operators apart.
//
// `operators`: Add, Sub, Mul, Div, Clip or LeakyRelu. `operands`: three for each, unused ones 0: 0 is X, i above 0 the
// result of operator i - 1, -1 - c constant c of `constants`. Clip has its bounds as second and third operand,
// LeakyRelu its factor as second. Y is the last result.
#include <array>
#include <optional>

#include "engine/runtime/ops/element_loop.h"
#include "engine/runtime/ops/elementwise_operators.h"
#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {
namespace {

constexpr std::size_t kMostSteps = 16;
constexpr std::size_t kOperands = 3;
constexpr Index kTile = 256;  // elements

enum class ChainOp { kAdd, kSub, kMul, kDiv, kClip, kLeakyRelu };

struct ChainOpRow {
  const char* name;
  ChainOp op;
  std::size_t values;     // operands that may be results or X, the first ones
  std::size_t constants;  // operands behind them that must be constants
};
constexpr std::array kChainOps = {
    ChainOpRow{"Add", ChainOp::kAdd, 2, 0},   ChainOpRow{"Sub", ChainOp::kSub, 2, 0},
    ChainOpRow{"Mul", ChainOp::kMul, 2, 0},   ChainOpRow{"Div", ChainOp::kDiv, 2, 0},
    ChainOpRow{"Clip", ChainOp::kClip, 1, 2}, ChainOpRow{"LeakyRelu", ChainOp::kLeakyRelu, 1, 1},
};

struct Operand {
  std::optional<std::size_t> value;  // 0 is X, i above 0 the result of step i - 1; none: the constant
  float constant = 0;
};

struct Step {
  ChainOp op = ChainOp::kAdd;
  std::array<Operand, kOperands> operands;
};

using Chain = std::vector<Step>;

template <typename F>
void map_one(const float* a, Index count, float* out, const F& f) {
#pragma GCC ivdep
  for (Index i = 0; i < count; ++i) {
    out[i] = f(a[i]);
  }
}

template <typename F>
void map_two(const std::array<const float*, 2>& at, const Step& step, Index count, float* out, const F& f) {
  const auto& [a, b] = at;
  if (a != nullptr && b != nullptr) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
      out[i] = f(a[i], b[i]);
    }
  } else if (b == nullptr) {
    map_one(a, count, out, [&f, right = step.operands[1].constant](float left) { return f(left, right); });
  } else {
    map_one(b, count, out, [&f, left = step.operands[0].constant](float right) { return f(left, right); });
  }
}

void run_step(const Step& step, const std::array<const float*, 2>& at, Index count, float* out) {
  switch (step.op) {
    case ChainOp::kAdd:
      return map_two(at, step, count, out, [](float a, float b) { return a + b; });
    case ChainOp::kSub:
      return map_two(at, step, count, out, [](float a, float b) { return a - b; });
    case ChainOp::kMul:
      return map_two(at, step, count, out, [](float a, float b) { return a * b; });
    case ChainOp::kDiv:
      return map_two(at, step, count, out, [](float a, float b) { return a / b; });
    case ChainOp::kClip:
      return map_one(at[0], count, out, [low = step.operands[1].constant, high = step.operands[2].constant](float x) {
        const float raised = x < low ? low : x;
        return raised > high ? high : raised;
      });
    case ChainOp::kLeakyRelu:
      return map_one(at[0], count, out, [alpha = step.operands[1].constant](float x) {
        const float scaled = alpha * x;
        return x < 0 ? scaled : x;
      });
  }
}

void run_chain(const Chain& chain, const float* x, Index count, float* y) {
  std::array<std::array<float, kTile>, kMostSteps> results;
  for (Index first = 0; first < count; first += kTile) {
    const Index size = std::min(kTile, count - first);
    for (std::size_t i = 0; i < chain.size(); ++i) {
      std::array<const float*, 2> at = {};
      for (std::size_t k = 0; k < at.size(); ++k) {
        if (const auto& value = chain[i].operands[k].value; value.has_value()) {
          at[k] = *value == 0 ? x + first : results[*value - 1].data();
        }
      }
      run_step(chain[i], at, size, i + 1 == chain.size() ? y + first : results[i].data());
    }
  }
}

template <typename T>
std::vector<T> list_attribute(const Node& node, const char* key) {
  const auto found = node.attributes.find(key);
  const auto* list = found == node.attributes.end() ? nullptr : std::get_if<std::vector<T>>(&found->second);
  return list == nullptr ? std::vector<T>() : *list;
}

Result<Chain> read_chain(const Node& node) {
  const auto names = list_attribute<std::string>(node, "operators");
  const auto operands = list_attribute<Index>(node, "operands");
  const auto constants = list_attribute<float>(node, "constants");
  if (names.empty() || names.size() > kMostSteps || operands.size() != kOperands * names.size()) {
    return invalid_model("operators must be 1 to " + std::to_string(kMostSteps) + " names with " +
                         std::to_string(kOperands) + " operands each; found " + std::to_string(names.size()) + " and " +
                         std::to_string(operands.size()) + " operands");
  }
  Chain chain;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* const row = std::find_if(kChainOps.begin(), kChainOps.end(),
                                         [&](const ChainOpRow& candidate) { return names[i] == candidate.name; });
    if (row == kChainOps.end()) {
      return invalid_model("operators has '" + names[i] + "'; known are Add, Sub, Mul, Div, Clip and LeakyRelu");
    }
    Step step{.op = row->op, .operands = {}};
    bool has_value = false;
    for (std::size_t k = 0; k < std::min(kOperands, row->values + row->constants); ++k) {
      const Index operand = operands[kOperands * i + k];
      const bool may_be_value = k < row->values && operand <= static_cast<Index>(i);
      const bool is_constant = operand < 0 && -1 - operand < static_cast<Index>(constants.size());
      if (operand < 0 ? !is_constant : !may_be_value) {
        return invalid_model("operand " + std::to_string(k) + " of operator " + std::to_string(i) + " cannot be " +
                             std::to_string(operand));
      }
      if (is_constant) {
        step.operands[k].constant = constants[static_cast<std::size_t>(-1 - operand)];
      } else {
        step.operands[k].value = static_cast<std::size_t>(operand);
        has_value = true;
      }
    }
    if (!has_value || (row->values == 1 && !step.operands[0].value.has_value())) {
      return invalid_model("operator " + std::to_string(i) + " has constant operands only");
    }
    chain.push_back(step);
  }
  return chain;
}

}  // namespace

OperatorResult prepare_elementwise_chain(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  ASSAY_ASSIGN(Chain chain, read_chain(context.node));
  return make_elementwise_operator([chain = std::move(chain)](const RunContext& run) -> Result<Tensor> {
    const Tensor& x = run.input(0);
    ASSAY_TRY(check_type(x, "X", {DType::kFloat32}));
    ASSAY_ASSIGN(Tensor y, run.output(DType::kFloat32, x.shape()));
    const float* in = x.data<float>().data();
    float* out = y.mutable_data<float>().data();
    for_each_piece(x.size(), run.threads,
                   [&](Index first, Index last) { run_chain(chain, in + first, last - first, out + first); });
    return y;
  });
}

}  // namespace assay::runtime
