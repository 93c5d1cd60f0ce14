// SPDX-License-Identifier: Apache-2.0
// What RNN, GRU and LSTM share: attributes, shapes, gate activations, the products of a step, and the walk over time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

// An activation with its parameters bound.
using GateFunction = std::function<float(float)>;

struct RecurrentSpec {
  Index directions = 1;
  bool starts_reversed = false;                  // direction "reverse"
  std::vector<std::vector<GateFunction>> gates;  // by direction, in the order of the operator's activations
  Index hidden = 0;                              // hidden_size; 0: as R has it
  float clip = 0;                                // 0: none
  bool batch_first = false;                      // layout 1
  bool linear_before_reset = false;              // GRU
  bool couples_input_forget = false;             // LSTM
};

// `defaults`: the operator's activations for one direction. Errors: kInvalidModel for an unknown direction, activation
// or number of activations.
Result<RecurrentSpec> read_recurrent_spec(const Node& node, const std::vector<std::string>& defaults);

// The operands of a run, checked. Tensors are time-first whatever the layout: X [time, batch, input].
struct RecurrentRun {
  Index time = 0;
  Index batch = 0;
  Index input = 0;
  Index hidden = 0;
  Index gates = 1;  // gate blocks in W and R
  std::vector<float> x;
  std::vector<Index> lengths;  // per batch element, at most `time`
  const Tensor* w = nullptr;   // [directions, gates * hidden, input]
  const Tensor* r = nullptr;   // [directions, gates * hidden, hidden]
  const Tensor* b = nullptr;   // [directions, 2 * gates * hidden]; null: zeros

  const float* weights(Index direction) const { return w->data<float>().data() + direction * gates * hidden * input; }
  const float* recurrence(Index direction) const {
    return r->data<float>().data() + direction * gates * hidden * hidden;
  }
};
Result<RecurrentRun> read_recurrent_run(const RunContext& context, const RecurrentSpec& spec, Index gates);

// [directions, batch, hidden] of an optional initial state in either layout; zeros where it is omitted.
Result<std::vector<float>> initial_state(const Tensor& tensor, const RecurrentSpec& spec, const RecurrentRun& run);

// out[j] += sum over k of matrix[j * k_count + k] * vector[k], for j below `rows`.
void add_product(const float* matrix, const float* vector, Index rows, Index k_count, float* out);

// One step of one batch element: `gates` holds W x + Wb (+ Rb where the operator adds it at once), `states` is updated
// in place; the first `hidden` values of the state are the output.
using RecurrentStep = std::function<void(Index direction, std::vector<float>& gates, float* hidden, float* cell)>;

struct RecurrentOutputs {
  std::vector<float> y;       // [time, directions, batch, hidden]
  std::vector<float> hidden;  // [directions, batch, hidden]
  std::vector<float> cell;    // likewise, for LSTM
};

// Walks all directions, batch elements and times. `bias(direction)` is added to every W x. Steps beyond a sequence's
// length leave the states alone and give 0.
struct WalkArgs {
  const RecurrentSpec& spec;
  const RecurrentRun& run;
  std::vector<std::vector<float>> biases;  // by direction: what is added to W x
  std::vector<float> hidden;               // initial states
  std::vector<float> cell;
};
RecurrentOutputs walk_recurrence(WalkArgs args, const RecurrentStep& step);

// Adds Y, Y_h (and Y_c) to `tensors` in the layout of the spec.
void add_recurrent_tensors(const RecurrentOutputs& outputs, const RecurrentSpec& spec, const RecurrentRun& run,
                           std::vector<Tensor>& tensors);

inline float clipped(float x, float limit) { return limit > 0 ? (x < -limit ? -limit : x > limit ? limit : x) : x; }

}  // namespace assay::runtime
