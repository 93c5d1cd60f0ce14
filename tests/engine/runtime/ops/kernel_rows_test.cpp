// SPDX-License-Identifier: Apache-2.0
// Operators over kernel tables with one row per ISA: they report the row that ran, and every setting gives the bytes of
// the scalar one.
#include <cstring>

#include "engine/kernels/elementwise/binary.h"
#include "engine/kernels/elementwise/lookup.h"
#include "engine/kernels/linear/linear.h"
#include "engine/kernels/pool/pool.h"
#include "engine/kernels/softmax/softmax.h"
#include "tests/engine/runtime/ops/float_data.h"
#include "tests/engine/runtime/ops/run_node.h"
#include "tests/support/random.h"

namespace assay::test {
namespace {

using Ints = std::vector<Index>;

Tensor random_bytes(Random& random, const Shape& shape) {
  Result<Tensor> out = Tensor::allocate_uninitialized(DType::kUint8, shape);
  for (std::uint8_t& byte : out.value().mutable_data<std::uint8_t>()) {
    byte = static_cast<std::uint8_t>(random.integer(0, 255));
  }
  return std::move(out).value();
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  const std::size_t bytes = static_cast<std::size_t>(a.size()) * dtype_size_bytes(a.dtype());
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.bytes(), b.bytes(), bytes) == 0;
}

template <typename Choose>
void expect_rows(const NodeRun& run, const Choose& choose) {
  std::map<bool, std::vector<Tensor>> expected;  // by whether the profile has fused multiply-adds
  for (const Setting& setting : all_settings()) {
    const std::string text = run.op_type + ", " + setting_text(setting);
    auto outcome = run_node(run, setting);
    ASSERT_TRUE(outcome.ok()) << text << ": " << outcome.error().message;
    const runtime::KernelInfo& info = outcome.value().kernel;
    EXPECT_EQ(info.kernel, choose(setting.profile, setting.features).kernel->name) << text;
    EXPECT_EQ(info.isa, isa_name(setting.profile.isa)) << text;
    EXPECT_EQ(info.native, can_run(setting.features, setting.profile.isa)) << text;
    std::vector<Tensor>& outputs = expected[uses_fma(setting.profile.isa)];
    if (outputs.empty()) {
      outputs = outcome.value().outputs;
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_TRUE(same_bytes(outcome.value().outputs[i], outputs[i])) << text << ": output " << i;
    }
  }
}

constexpr Index kLong = 40003;  // several pieces for threads, with a tail

TEST(KernelRows, Linear) {
  Random random(1);
  const Tensor x = random_floats(random, {kLong});
  const Tensor rows = random_floats(random, {3, 5, 7});
  const Tensor scales = Tensor::from<float>({5}, {0.01F, 0.02F, 0.03F, 0.5F, 0.007F});
  const Tensor scale = Tensor::scalar(0.01F);
  const Tensor zero = Tensor::scalar<std::uint8_t>(130);
  expect_rows({.op_type = "QuantizeLinear", .inputs = {x, scale, zero}}, kernels::choose_linear);
  expect_rows({.op_type = "QuantizeLinear", .attributes = {{"axis", Index{1}}}, .inputs = {rows, scales}},
              kernels::choose_linear);
  expect_rows({.op_type = "DequantizeLinear", .inputs = {random_bytes(random, {kLong}), scale, zero}},
              kernels::choose_linear);
  expect_rows({.op_type = "DynamicQuantizeLinear", .inputs = {x}, .outputs = 3}, kernels::choose_linear);
}

TEST(KernelRows, Softmax) {
  Random random(5);
  const Tensor scale = Tensor::scalar(0.01F);
  const Tensor zero = Tensor::scalar<std::uint8_t>(130);
  expect_rows({.op_type = "QLinearSoftmax",
               .domain = kMicrosoftDomain,
               .inputs = {random_bytes(random, {9, 77}), scale, zero, Tensor::scalar(1.0F / 256), Tensor()}},
              kernels::choose_softmax);
  expect_rows({.op_type = "Softmax", .inputs = {random_floats(random, {9, 77})}}, kernels::choose_softmax);
}

TEST(KernelRows, Elementwise) {
  Random random(2);
  const Tensor a_scale = Tensor::scalar(0.11F);
  const Tensor b_scale = Tensor::scalar(0.07F);
  const Tensor y_scale = Tensor::scalar(0.2F);
  const Tensor zero = Tensor::scalar<std::uint8_t>(120);
  const Tensor a = random_bytes(random, {kLong});
  const Tensor b = random_bytes(random, {kLong});
  for (const char* op : {"QLinearAdd", "QLinearMul"}) {
    expect_rows(
        {.op_type = op, .domain = kMicrosoftDomain, .inputs = {a, a_scale, zero, b, b_scale, zero, y_scale, zero}},
        kernels::choose_binary);
    expect_rows({.op_type = op,
                 .domain = kMicrosoftDomain,
                 .inputs = {a, a_scale, zero, random_bytes(random, {1}), b_scale, zero, y_scale, zero}},
                kernels::choose_binary);
  }
  for (const char* op : {"QLinearSigmoid", "QLinearLeakyRelu"}) {
    expect_rows({.op_type = op, .domain = kMicrosoftDomain, .inputs = {a, a_scale, zero, y_scale, zero}},
                kernels::choose_lookup);
  }
  expect_rows({.op_type = "QLinearConcat",
               .domain = kMicrosoftDomain,
               .attributes = {{"axis", Index{0}}},
               .inputs = {y_scale, zero, a, a_scale, zero, b, y_scale, zero}},
              kernels::choose_lookup);
}

TEST(KernelRows, Pool) {
  Random random(3);
  const Tensor x = random_bytes(random, {2, 70, 17, 33});
  const Tensor scale = Tensor::scalar(0.11F);
  const Tensor zero = Tensor::scalar<std::uint8_t>(120);
  const AttributeMap window = {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}};
  const std::vector<Tensor> inputs = {x, scale, zero, scale, zero};
  expect_rows({.op_type = "MaxPool", .attributes = window, .inputs = {x}}, kernels::choose_pool);
  expect_rows({.op_type = "QLinearAveragePool", .domain = kMicrosoftDomain, .attributes = window, .inputs = inputs},
              kernels::choose_pool);
  for (const Index last : {0, 1}) {
    expect_rows({.op_type = "QLinearGlobalAveragePool",
                 .domain = kMicrosoftDomain,
                 .attributes = {{"channels_last", last}},
                 .inputs = inputs},
                kernels::choose_pool);
  }
}

}  // namespace
}  // namespace assay::test
