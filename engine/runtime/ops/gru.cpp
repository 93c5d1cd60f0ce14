// SPDX-License-Identifier: Apache-2.0
// GRU, gates in the order update z, reset r, hidden h:
//   z = f(W x + R H + b),  r = f(W x + R H + b)
//   h = g(W x + R (r . H) + Rb + Wb), or with linear_before_reset g(W x + r . (R H + Rb) + Wb)
//   H = (1 - z) . h + z . H
// and RNN: H = f(W x + R H + Wb + Rb).
#include "engine/runtime/ops/layer_operators.h"
#include "engine/runtime/ops/recurrent.h"

namespace assay::runtime {
namespace {

struct Biases {
  std::vector<std::vector<float>> input;      // added to W x
  std::vector<std::vector<float>> recurrent;  // Rb of the gates that add it elsewhere
};

// Wb + Rb for all gates but the last `apart` ones, whose Rb is kept by itself.
Biases read_biases(const RecurrentSpec& spec, const RecurrentRun& run, Index apart) {
  Biases out;
  const Index count = run.gates * run.hidden;
  for (Index direction = 0; direction < spec.directions; ++direction) {
    std::vector<float> bias(static_cast<std::size_t>(count));
    std::vector<float> kept(static_cast<std::size_t>(apart * run.hidden));
    if (run.b != nullptr) {
      const float* from = run.b->data<float>().data() + direction * 2 * count;
      for (Index j = 0; j < count; ++j) {
        const bool separate = j >= count - apart * run.hidden;
        bias[static_cast<std::size_t>(j)] = from[j] + (separate ? 0.0F : from[count + j]);
        if (separate) {
          kept[static_cast<std::size_t>(j - (count - apart * run.hidden))] = from[count + j];
        }
      }
    }
    out.input.push_back(std::move(bias));
    out.recurrent.push_back(std::move(kept));
  }
  return out;
}

class Gru final : public Operator {
 public:
  explicit Gru(RecurrentSpec spec) : spec_(std::move(spec)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    constexpr Index kGates = 3;
    ASSAY_ASSIGN(const RecurrentRun run, read_recurrent_run(context, spec_, kGates));
    const Index size = run.hidden;
    const Biases biases = read_biases(spec_, run, 1);
    WalkArgs args{.spec = spec_, .run = run, .biases = biases.input, .hidden = {}, .cell = {}};
    ASSAY_ASSIGN(args.hidden, initial_state(context.input(5), spec_, run));
    std::vector<float> reset(static_cast<std::size_t>(size));
    std::vector<float> linear(static_cast<std::size_t>(size));
    const RecurrentOutputs made =
        walk_recurrence(std::move(args), [&](Index direction, std::vector<float>& gates, float* h, float*) {
          const std::vector<GateFunction>& f = spec_.gates[static_cast<std::size_t>(direction)];
          const float* r = run.recurrence(direction);
          add_product(r, h, 2 * size, size, gates.data());
          linear = biases.recurrent[static_cast<std::size_t>(direction)];
          if (spec_.linear_before_reset) {
            add_product(r + 2 * size * size, h, size, size, linear.data());
          }
          for (Index j = 0; j < size; ++j) {
            const auto at = static_cast<std::size_t>(j);
            const float gate = f[0](clipped(gates[static_cast<std::size_t>(size + j)], spec_.clip));
            reset[at] = spec_.linear_before_reset ? gate * linear[at] : gate * h[j];
          }
          float* candidate = gates.data() + 2 * size;
          if (spec_.linear_before_reset) {
            for (Index j = 0; j < size; ++j) {
              candidate[j] += reset[static_cast<std::size_t>(j)];
            }
          } else {
            add_product(r + 2 * size * size, reset.data(), size, size, linear.data());
            for (Index j = 0; j < size; ++j) {
              candidate[j] += linear[static_cast<std::size_t>(j)];
            }
          }
          for (Index j = 0; j < size; ++j) {
            const float z = f[0](clipped(gates[static_cast<std::size_t>(j)], spec_.clip));
            h[j] = (1.0F - z) * f[1](clipped(candidate[j], spec_.clip)) + z * h[j];
          }
        });
    context.multiply_accumulates = run.time * run.batch * spec_.directions * kGates * size * (run.input + size);
    add_recurrent_tensors(made, spec_, run, outputs);
    return {};
  }
  KernelInfo kernel() const override { return plain_kernel("float32"); }

 private:
  RecurrentSpec spec_;
};

class Rnn final : public Operator {
 public:
  explicit Rnn(RecurrentSpec spec) : spec_(std::move(spec)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(const RecurrentRun run, read_recurrent_run(context, spec_, 1));
    WalkArgs args{.spec = spec_, .run = run, .biases = read_biases(spec_, run, 0).input, .hidden = {}, .cell = {}};
    ASSAY_ASSIGN(args.hidden, initial_state(context.input(5), spec_, run));
    const RecurrentOutputs made =
        walk_recurrence(std::move(args), [&](Index direction, std::vector<float>& gates, float* h, float*) {
          add_product(run.recurrence(direction), h, run.hidden, run.hidden, gates.data());
          for (Index j = 0; j < run.hidden; ++j) {
            h[j] = spec_.gates[static_cast<std::size_t>(direction)][0](
                clipped(gates[static_cast<std::size_t>(j)], spec_.clip));
          }
        });
    context.multiply_accumulates = run.time * run.batch * spec_.directions * run.hidden * (run.input + run.hidden);
    add_recurrent_tensors(made, spec_, run, outputs);
    return {};
  }
  KernelInfo kernel() const override { return plain_kernel("float32"); }

 private:
  RecurrentSpec spec_;
};

}  // namespace

OperatorResult prepare_gru(const PrepareContext& context) {
  ASSAY_ASSIGN(RecurrentSpec spec, read_recurrent_spec(context.node, {"Sigmoid", "Tanh"}));
  return OperatorResult(std::make_unique<Gru>(std::move(spec)));
}
OperatorResult prepare_rnn(const PrepareContext& context) {
  ASSAY_ASSIGN(RecurrentSpec spec, read_recurrent_spec(context.node, {"Tanh"}));
  return OperatorResult(std::make_unique<Rnn>(std::move(spec)));
}

}  // namespace assay::runtime
