// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/recurrent.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace assay::runtime {
namespace {

struct ActivationRow {
  const char* name;  // lower case: the names are matched whatever their case
  float alpha;       // defaults
  float beta;
  GateFunction (*make)(float alpha, float beta);
};

constexpr std::array<ActivationRow, 11> kActivations = {{
    {"affine", 1.0F, 0.0F, [](float a, float b) -> GateFunction { return [a, b](float x) { return a * x + b; }; }},
    {"elu", 1.0F, 0.0F,
     [](float a, float) -> GateFunction { return [a](float x) { return x < 0 ? a * std::expm1(x) : x; }; }},
    {"hardsigmoid", 0.2F, 0.5F,
     [](float a, float b) -> GateFunction { return [a, b](float x) { return std::clamp(a * x + b, 0.0F, 1.0F); }; }},
    {"leakyrelu", 0.01F, 0.0F,
     [](float a, float) -> GateFunction { return [a](float x) { return x < 0 ? a * x : x; }; }},
    {"relu", 0.0F, 0.0F, [](float, float) -> GateFunction { return [](float x) { return std::max(x, 0.0F); }; }},
    {"scaledtanh", 1.0F, 1.0F,
     [](float a, float b) -> GateFunction { return [a, b](float x) { return a * std::tanh(b * x); }; }},
    {"sigmoid", 0.0F, 0.0F,
     [](float, float) -> GateFunction { return [](float x) { return 1.0F / (1.0F + std::exp(-x)); }; }},
    {"softplus", 0.0F, 0.0F,
     [](float, float) -> GateFunction {
       return [](float x) { return std::max(x, 0.0F) + std::log1p(std::exp(-std::abs(x))); };
     }},
    {"softsign", 0.0F, 0.0F,
     [](float, float) -> GateFunction { return [](float x) { return x / (1.0F + std::abs(x)); }; }},
    {"tanh", 0.0F, 0.0F, [](float, float) -> GateFunction { return [](float x) { return std::tanh(x); }; }},
    {"thresholdedrelu", 1.0F, 0.0F,
     [](float a, float) -> GateFunction { return [a](float x) { return x > a ? x : 0.0F; }; }},
}};

const ActivationRow* find_activation(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = std::find_if(kActivations.begin(), kActivations.end(),
                                  [&](const ActivationRow& row) { return name == row.name; });
  return found == kActivations.end() ? nullptr : &*found;
}

template <typename T>
T list_attribute(const Node& node, const std::string& key) {
  const auto found = node.attributes.find(key);
  const T* list = found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
  return list == nullptr ? T() : *list;
}

// activation_alpha and activation_beta hold values for the activations that take one, in order.
class ParameterList {
 public:
  explicit ParameterList(std::vector<float> values) : values_(std::move(values)) {}
  float next(float fallback, bool taken) { return taken && next_ < values_.size() ? values_[next_++] : fallback; }

 private:
  std::vector<float> values_;
  std::size_t next_ = 0;
};

Status read_gates(const Node& node, const std::vector<std::string>& defaults, RecurrentSpec& spec) {
  auto names = list_attribute<std::vector<std::string>>(node, "activations");
  const std::size_t wanted = defaults.size() * static_cast<std::size_t>(spec.directions);
  if (names.empty()) {
    for (Index direction = 0; direction < spec.directions; ++direction) {
      names.insert(names.end(), defaults.begin(), defaults.end());
    }
  }
  if (names.size() != wanted) {
    return invalid_model("activations must name " + std::to_string(wanted) + " functions; found " +
                         std::to_string(names.size()));
  }
  ParameterList alphas(list_attribute<std::vector<float>>(node, "activation_alpha"));
  ParameterList betas(list_attribute<std::vector<float>>(node, "activation_beta"));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ActivationRow* row = find_activation(names[i]);
    if (row == nullptr) {
      return invalid_model("activation '" + names[i] + "' is not one of the standard");
    }
    const std::string name = row->name;
    const bool takes_beta = name == "affine" || name == "hardsigmoid" || name == "scaledtanh";
    const bool takes_alpha = takes_beta || name == "elu" || name == "leakyrelu" || name == "thresholdedrelu";
    const float alpha = alphas.next(row->alpha, takes_alpha);
    const float beta = betas.next(row->beta, takes_beta);
    if (i % defaults.size() == 0) {
      spec.gates.emplace_back();
    }
    spec.gates.back().push_back(row->make(alpha, beta));
  }
  return {};
}

Status check_shape(const Tensor& tensor, const char* name, const Shape& wanted) {
  ASSAY_TRY(check_type(tensor, name, {DType::kFloat32}));
  if (tensor.shape() != wanted) {
    return invalid_argument(std::string(name) + " must have the shape " + shape_text(wanted) + "; found " +
                            shape_text(tensor.shape()));
  }
  return {};
}

// [a, b, inner] to [b, a, inner].
std::vector<float> swapped(const float* from, Index a, Index b, Index inner) {
  std::vector<float> out(static_cast<std::size_t>(a * b * inner));
  for (Index i = 0; i < a; ++i) {
    for (Index j = 0; j < b; ++j) {
      std::copy_n(from + (i * b + j) * inner, inner, out.data() + (j * a + i) * inner);
    }
  }
  return out;
}

}  // namespace

Result<RecurrentSpec> read_recurrent_spec(const Node& node, const std::vector<std::string>& defaults) {
  RecurrentSpec spec;
  const std::string direction = node.string_attribute("direction", "forward");
  if (direction == "bidirectional") {
    spec.directions = 2;
  } else if (direction == "reverse") {
    spec.starts_reversed = true;
  } else if (direction != "forward") {
    return invalid_model("direction must be forward, reverse or bidirectional; found '" + direction + "'");
  }
  ASSAY_TRY(read_gates(node, defaults, spec));
  spec.hidden = node.int_attribute("hidden_size", 0);
  if (node.attributes.contains("hidden_size") && spec.hidden <= 0) {
    return invalid_model("hidden_size must be positive; found " + std::to_string(spec.hidden));
  }
  spec.clip = node.float_attribute("clip", 0);
  spec.batch_first = node.int_attribute("layout", 0) != 0;
  spec.linear_before_reset = node.int_attribute("linear_before_reset", 0) != 0;
  spec.couples_input_forget = node.int_attribute("input_forget", 0) != 0;
  return spec;
}

Result<RecurrentRun> read_recurrent_run(const RunContext& context, const RecurrentSpec& spec, Index gates) {
  const Tensor& x = context.input(0);
  RecurrentRun run;
  run.w = &context.input(1);
  run.r = &context.input(2);
  ASSAY_TRY(check_type(x, "X", {DType::kFloat32}));
  ASSAY_TRY(check_rank(x, "X", 3));
  ASSAY_TRY(check_type(*run.w, "W", {DType::kFloat32}));
  ASSAY_TRY(check_type(*run.r, "R", {DType::kFloat32}));
  ASSAY_TRY(check_rank(*run.r, "R", 3));
  run.time = x.dim(spec.batch_first ? 1 : 0);
  run.batch = x.dim(spec.batch_first ? 0 : 1);
  run.input = x.dim(2);
  run.hidden = run.r->dim(2);
  run.gates = gates;
  if (spec.hidden != 0 && spec.hidden != run.hidden) {
    return invalid_argument("hidden_size is " + std::to_string(spec.hidden) + ", but R " + shape_text(run.r->shape()) +
                            " has " + std::to_string(run.hidden));
  }
  ASSAY_TRY(check_shape(*run.w, "W", {spec.directions, gates * run.hidden, run.input}));
  ASSAY_TRY(check_shape(*run.r, "R", {spec.directions, gates * run.hidden, run.hidden}));
  if (!context.input(3).empty()) {
    run.b = &context.input(3);
    ASSAY_TRY(check_type(*run.b, "B", {DType::kFloat32}));
    ASSAY_TRY(check_shape(*run.b, "B", {spec.directions, 2 * gates * run.hidden}));
  }
  const float* from = x.data<float>().data();
  run.x = spec.batch_first ? swapped(from, run.batch, run.time, run.input) : std::vector<float>(from, from + x.size());
  run.lengths.assign(static_cast<std::size_t>(run.batch), run.time);
  if (!context.input(4).empty()) {
    ASSAY_ASSIGN(const IndexList lengths, index_list(context.input(4), "sequence_lens"));
    run.lengths.assign(lengths.begin(), lengths.end());
    const bool fits = std::all_of(run.lengths.begin(), run.lengths.end(),
                                  [&](Index length) { return length >= 0 && length <= run.time; });
    if (!fits || static_cast<Index>(run.lengths.size()) != run.batch) {
      return invalid_argument("sequence_lens must hold " + std::to_string(run.batch) + " lengths up to " +
                              std::to_string(run.time) + "; found " + shape_text(run.lengths));
    }
  }
  return run;
}

Result<std::vector<float>> initial_state(const Tensor& tensor, const RecurrentSpec& spec, const RecurrentRun& run) {
  const Index count = spec.directions * run.batch * run.hidden;
  if (tensor.empty()) {
    return std::vector<float>(static_cast<std::size_t>(count));
  }
  const Shape wanted =
      spec.batch_first ? Shape{run.batch, spec.directions, run.hidden} : Shape{spec.directions, run.batch, run.hidden};
  ASSAY_TRY(check_type(tensor, "an initial state", {DType::kFloat32}));
  ASSAY_TRY(check_shape(tensor, "an initial state", wanted));
  const float* from = tensor.data<float>().data();
  return spec.batch_first ? swapped(from, run.batch, spec.directions, run.hidden)
                          : std::vector<float>(from, from + count);
}

void add_product(const float* matrix, const float* vector, Index rows, Index k_count, float* out) {
  constexpr Index kLanes = 8;  // independent sums, so that the loop vectorises
  for (Index j = 0; j < rows; ++j) {
    const float* row = matrix + j * k_count;
    std::array<float, kLanes> sums{};
    Index k = 0;
    for (; k + kLanes <= k_count; k += kLanes) {
      for (Index lane = 0; lane < kLanes; ++lane) {
        sums[static_cast<std::size_t>(lane)] += row[k + lane] * vector[k + lane];
      }
    }
    float sum = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    for (; k < k_count; ++k) {
      sum += row[k] * vector[k];
    }
    out[j] += sum;
  }
}

RecurrentOutputs walk_recurrence(WalkArgs args, const RecurrentStep& step) {
  const RecurrentRun& run = args.run;
  const RecurrentSpec& spec = args.spec;
  RecurrentOutputs out{
      .y = std::vector<float>(static_cast<std::size_t>(run.time * spec.directions * run.batch * run.hidden)),
      .hidden = std::move(args.hidden),
      .cell = std::move(args.cell)};
  std::vector<float> gates;
  for (Index direction = 0; direction < spec.directions; ++direction) {
    const bool reversed = spec.starts_reversed || direction == 1;
    for (Index b = 0; b < run.batch; ++b) {
      const Index length = run.lengths[static_cast<std::size_t>(b)];
      float* hidden = out.hidden.data() + (direction * run.batch + b) * run.hidden;
      float* cell = out.cell.empty() ? nullptr : out.cell.data() + (direction * run.batch + b) * run.hidden;
      for (Index i = 0; i < length; ++i) {
        const Index t = reversed ? length - 1 - i : i;
        gates = args.biases[static_cast<std::size_t>(direction)];
        add_product(run.weights(direction), run.x.data() + (t * run.batch + b) * run.input, run.gates * run.hidden,
                    run.input, gates.data());
        step(direction, gates, hidden, cell);
        std::copy_n(hidden, run.hidden,
                    out.y.data() + ((t * spec.directions + direction) * run.batch + b) * run.hidden);
      }
    }
  }
  return out;
}

void add_recurrent_tensors(const RecurrentOutputs& outputs, const RecurrentSpec& spec, const RecurrentRun& run,
                           std::vector<Tensor>& tensors) {
  const Index slice = spec.directions * run.batch * run.hidden;
  if (spec.batch_first) {  // [batch, time, directions, hidden]
    std::vector<float> y(outputs.y.size());
    for (Index t = 0; t < run.time; ++t) {
      for (Index d = 0; d < spec.directions; ++d) {
        for (Index b = 0; b < run.batch; ++b) {
          std::copy_n(outputs.y.data() + t * slice + (d * run.batch + b) * run.hidden, run.hidden,
                      y.data() + ((b * run.time + t) * spec.directions + d) * run.hidden);
        }
      }
    }
    tensors.push_back(Tensor::from({run.batch, run.time, spec.directions, run.hidden}, y));
  } else {
    tensors.push_back(Tensor::from({run.time, spec.directions, run.batch, run.hidden}, outputs.y));
  }
  for (const std::vector<float>* state : {&outputs.hidden, &outputs.cell}) {
    if (state->empty() && state == &outputs.cell) {
      continue;
    }
    tensors.push_back(spec.batch_first ? Tensor::from({run.batch, spec.directions, run.hidden},
                                                      swapped(state->data(), spec.directions, run.batch, run.hidden))
                                       : Tensor::from({spec.directions, run.batch, run.hidden}, *state));
  }
}

}  // namespace assay::runtime
