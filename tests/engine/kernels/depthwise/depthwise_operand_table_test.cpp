// SPDX-License-Identifier: Apache-2.0
// The 256 x 256 table of operands through every lane of every depthwise kernel: each column sees every byte of the
// image, and one tap at a time has a weight, every byte in turn.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/kernels/depthwise/depthwise.h"
#include "tests/support/byte_value.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/oracle/requantize.h"

namespace assay::kernels {
namespace {

constexpr Index kValues = 256;

struct Window {
  Index kernel_h = 1;
  Index kernel_w = 1;
  Index stride = 1;
};

// Outputs of a row: two of the widest steps, and a rest.
Index outputs_of_row(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return 3;
    case Isa::kAvx512Vnni:
      return 2 * 64 + 20;
    case Isa::kNeon:
      return 2 * 16 + 5;
    default:
      return 2 * 32 + 10;
  }
}

class Table {
 public:
  Table(const DepthwiseKernel& kernel, const Window& window, bool x_signed, bool w_signed)
      : kernel_(kernel), x_signed_(x_signed), w_signed_(w_signed) {
    args_.kernel_h = window.kernel_h;
    args_.kernel_w = window.kernel_w;
    args_.stride_h = 1;
    args_.stride_w = window.stride;
    args_.out_w = outputs_of_row(kernel.isa);
    args_.out_h = kValues;
    args_.height = args_.out_h + window.kernel_h - 1;
    args_.width = (args_.out_w - 1) * window.stride + window.kernel_w;
    args_.x_signed = x_signed;
    args_.w_signed = w_signed;
    args_.scale = 1.0F / 256;
    args_.y_zero_point = 128;
    for (Index row = 0; row < args_.height; ++row) {
      for (Index column = 0; column < args_.width; ++column) {
        x_.push_back(image(row, column));
      }
    }
    w_.resize(static_cast<std::size_t>(window.kernel_h * window.kernel_w));
    acc_.resize(static_cast<std::size_t>(args_.out_h * args_.out_w));
    y_.resize(acc_.size());
    args_.x = x_.data();
    args_.w = w_.data();
    test::ran(kernel);
  }

  Index taps() const { return static_cast<Index>(w_.size()); }

  // The number of wrong sums and bytes with this weight at one tap and 0 at all others.
  Index wrong(Index tap, Index weight) {
    std::fill(w_.begin(), w_.end(), std::uint8_t{0});
    w_[static_cast<std::size_t>(tap)] = static_cast<std::uint8_t>(weight);
    for (Index x = 0; x < kValues; ++x) {
      const std::int32_t product = test::byte_value(x, x_signed_) * test::byte_value(weight, w_signed_);
      sums_[static_cast<std::size_t>(x)] = product;
      bytes_[static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(
          oracle::requantize(product, args_.scale, {.zero_point = args_.y_zero_point, .min = 0, .max = 255}));
    }
    args_.acc = acc_.data();
    kernel_.run(args_);
    args_.acc = nullptr;
    args_.y = y_.data();
    kernel_.run(args_);
    Index wrong = 0;
    std::size_t at = 0;
    for (Index row = 0; row < args_.out_h; ++row) {
      for (Index column = 0; column < args_.out_w; ++column, ++at) {
        const std::uint8_t x = image(row + tap / args_.kernel_w, column * args_.stride_w + tap % args_.kernel_w);
        wrong += acc_[at] != sums_[x] || y_[at] != bytes_[x] ? 1 : 0;
      }
    }
    return wrong;
  }

 private:
  static std::uint8_t image(Index row, Index column) { return static_cast<std::uint8_t>(row + 37 * column); }

  const DepthwiseKernel& kernel_;
  bool x_signed_;
  bool w_signed_;
  DepthwiseArgs args_;
  std::vector<std::uint8_t> x_;
  std::vector<std::uint8_t> w_;
  std::vector<std::int32_t> acc_;
  std::vector<std::uint8_t> y_;
  std::array<std::int32_t, kValues> sums_{};
  std::array<std::uint8_t, kValues> bytes_{};
};

// 3 x 3 has loops of its own; five taps in a row are two groups of four; stride 3 is left to the portable kernel.
TEST(DepthwiseOperandTable, EveryLaneMultipliesEveryPairOfBytes) {
  for (const DepthwiseKernel& kernel : depthwise_kernels()) {
    if (!can_run(host_features(), kernel.isa)) {
      continue;
    }
    for (const Window& window : {Window{3, 3, 1}, Window{3, 3, 2}, Window{1, 5, 1}, Window{1, 5, 2}}) {
      for (const bool x_signed : {false, true}) {
        for (const bool w_signed : {false, true}) {
          Table table(kernel, window, x_signed, w_signed);
          for (Index tap = 0; tap < table.taps(); ++tap) {
            for (Index weight = 0; weight < kValues; ++weight) {
              ASSERT_EQ(table.wrong(tap, weight), 0)
                  << kernel.name << ", " << window.kernel_h << " x " << window.kernel_w << ", stride " << window.stride
                  << (x_signed ? ", int8" : ", uint8") << (w_signed ? " x int8" : " x uint8") << ", tap " << tap
                  << ", weight " << weight;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::kernels
