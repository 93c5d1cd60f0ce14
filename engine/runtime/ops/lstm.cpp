// SPDX-License-Identifier: Apache-2.0
// LSTM, gates in the order input, output, forget, cell; with peepholes P and, with input_forget, f = 1 - i:
//   i, o', f, c' = W x + R h + Wb + Rb   (+ P . C for i and f)
//   C = f(f) . C + f(i) . g(c'),   H = f(o' + P . C) . h(C)
#include "engine/runtime/ops/layer_operators.h"
#include "engine/runtime/ops/recurrent.h"

namespace assay::runtime {
namespace {

constexpr Index kGates = 4;

class Lstm final : public Operator {
 public:
  explicit Lstm(RecurrentSpec spec) : spec_(std::move(spec)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(const RecurrentRun run, read_recurrent_run(context, spec_, kGates));
    const Index hidden = run.hidden;
    const Tensor& peepholes = context.input(7);
    if (!peepholes.empty()) {
      ASSAY_TRY(check_type(peepholes, "P", {DType::kFloat32}));
      if (peepholes.shape() != Shape{spec_.directions, 3 * hidden}) {
        return invalid_argument("P must have the shape " + shape_text({spec_.directions, 3 * hidden}) + "; found " +
                                shape_text(peepholes.shape()));
      }
    }
    WalkArgs args{.spec = spec_, .run = run, .biases = {}, .hidden = {}, .cell = {}};
    ASSAY_ASSIGN(args.hidden, initial_state(context.input(5), spec_, run));
    ASSAY_ASSIGN(args.cell, initial_state(context.input(6), spec_, run));
    for (Index direction = 0; direction < spec_.directions; ++direction) {
      std::vector<float> bias(static_cast<std::size_t>(kGates * hidden));
      if (run.b != nullptr) {
        const float* from = run.b->data<float>().data() + direction * 2 * kGates * hidden;
        for (std::size_t j = 0; j < bias.size(); ++j) {
          bias[j] = from[j] + from[j + bias.size()];
        }
      }
      args.biases.push_back(std::move(bias));
    }
    const float* diagonal = peepholes.empty() ? nullptr : peepholes.data<float>().data();
    const RecurrentOutputs made =
        walk_recurrence(std::move(args), [&](Index direction, std::vector<float>& gates, float* h, float* c) {
          add_product(run.recurrence(direction), h, kGates * hidden, hidden, gates.data());
          step(direction, diagonal == nullptr ? nullptr : diagonal + direction * 3 * hidden,
               {.gates = gates.data(), .hidden = h, .cell = c, .size = hidden});
        });
    context.multiply_accumulates = run.time * run.batch * spec_.directions * kGates * hidden * (run.input + hidden);
    add_recurrent_tensors(made, spec_, run, outputs);
    return {};
  }
  KernelInfo kernel() const override { return plain_kernel("float32"); }

 private:
  struct StepArgs {
    const float* gates;
    float* hidden;
    float* cell;
    Index size;
  };
  void step(Index direction, const float* peephole, const StepArgs& args) const {
    const std::vector<GateFunction>& f = spec_.gates[static_cast<std::size_t>(direction)];
    const Index size = args.size;
    for (Index j = 0; j < size; ++j) {
      float input = args.gates[j];
      float output = args.gates[size + j];
      float forget = args.gates[2 * size + j];
      const float candidate = args.gates[3 * size + j];
      if (peephole != nullptr) {
        input += peephole[j] * args.cell[j];
        forget += peephole[2 * size + j] * args.cell[j];
      }
      const float i = f[0](clipped(input, spec_.clip));
      const float keep = spec_.couples_input_forget ? 1.0F - i : f[0](clipped(forget, spec_.clip));
      args.cell[j] = keep * args.cell[j] + i * f[1](clipped(candidate, spec_.clip));
      output += peephole == nullptr ? 0.0F : peephole[size + j] * args.cell[j];
      args.hidden[j] = f[0](clipped(output, spec_.clip)) * f[2](args.cell[j]);
    }
  }

  RecurrentSpec spec_;
};

}  // namespace

OperatorResult prepare_lstm(const PrepareContext& context) {
  ASSAY_ASSIGN(RecurrentSpec spec, read_recurrent_spec(context.node, {"Sigmoid", "Tanh", "Tanh"}));
  return OperatorResult(std::make_unique<Lstm>(std::move(spec)));
}

}  // namespace assay::runtime
