// SPDX-License-Identifier: Apache-2.0
// Random batched products: raw operands with broadcasting batch dimensions, and the naive result, matrix by matrix.
#pragma once

#include <algorithm>

#include "tests/engine/runtime/ops/quantized_data.h"
#include "tests/support/oracle/matmul.h"

namespace assay::test {

struct RandomMatmul {
  Index m = 1;
  Index k = 1;
  Index n = 1;
  Shape a_batch;
  Shape b_batch;
  bool a_signed = false;
  bool b_signed = true;
  Tensor a;
  Tensor b;
  oracle::Integers a_zero_points;  // one, or one per row of every matrix
  oracle::Integers b_zero_points;  // one, or one per column
  // Which matrices each product takes.
  std::vector<std::pair<std::size_t, std::size_t>> products;

  Shape output_shape() const {
    Shape shape = broadcast_shape(a_batch, b_batch).value();
    shape.push_back(m);
    shape.push_back(n);
    return shape;
  }
  Tensor a_zero_point() const {
    Shape shape;
    if (a_zero_points.size() > 1 || m == 0) {
      shape = a_batch.empty() ? Shape{m} : a_batch;
      if (!a_batch.empty()) {
        shape.insert(shape.end(), {m, 1});
      }
    }
    return byte_tensor(shape, a_zero_points, a_signed);
  }
  Tensor b_zero_point() const {
    return byte_tensor(b_zero_points.size() == 1 ? Shape{} : Shape{n}, b_zero_points, b_signed);
  }
  Arithmetic arithmetic(const Profile& profile) const {
    return !a_signed && b_signed ? u8s8_arithmetic(profile) : Arithmetic::kExact;
  }
  // The arguments of one product.
  oracle::MatmulArgs args(std::size_t product, Arithmetic arithmetic) const {
    const auto [ai, bi] = products[product];
    const auto cut = [](const oracle::Integers& values, std::size_t index, Index count) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(index) * count;
      return oracle::Integers(first, first + count);
    };
    return {.m = m,
            .n = n,
            .k = k,
            .a = cut(byte_values(a), ai, m * k),
            .b = cut(byte_values(b), bi, k * n),
            .a_zero_points = a_zero_points.size() == 1 ? a_zero_points : cut(a_zero_points, ai, m),
            .b_zero_points = b_zero_points,
            .arithmetic = arithmetic};
  }
  oracle::Integers sums(Arithmetic arithmetic) const {
    oracle::Integers out;
    for (std::size_t i = 0; i < products.size(); ++i) {
      const oracle::Integers sums = oracle::matmul(args(i, arithmetic));
      out.insert(out.end(), sums.begin(), sums.end());
    }
    return out;
  }
};

// The batch shapes and, written out by hand, the matrices that each product takes.
struct Batches {
  Shape a;
  Shape b;
  std::vector<std::pair<std::size_t, std::size_t>> products;
};

inline const std::vector<Batches>& batch_choices() {
  static const std::vector<Batches> kChoices = {
      {{}, {}, {{0, 0}}},
      {{3}, {}, {{0, 0}, {1, 0}, {2, 0}}},
      {{}, {2}, {{0, 0}, {0, 1}}},
      {{2}, {2}, {{0, 0}, {1, 1}}},
      {{2, 1}, {3}, {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}},
      {{2}, {1, 1}, {{0, 0}, {1, 0}}},
      {{2, 2}, {2, 1}, {{0, 0}, {1, 0}, {2, 1}, {3, 1}}},
  };
  return kChoices;
}

inline Shape with_matrix(Shape batch, Index rows, Index columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

inline RandomMatmul random_matmul(Random& random) {
  const auto& choices = batch_choices();
  const Batches& batches =
      choices[random.chance(0.5) ? 0
                                 : static_cast<std::size_t>(random.integer(0, static_cast<Index>(choices.size()) - 1))];
  RandomMatmul out;
  out.m = random.chance(0.2) ? 1 : random.integer(1, 40);
  out.k = random.integer(1, 70);
  out.n = random.integer(1, 40);
  out.a_batch = batches.a;
  out.b_batch = batches.b;
  out.products = batches.products;
  out.a_signed = random.chance(0.4);
  out.b_signed = random.chance(0.6);
  out.a = random_byte_tensor(random, with_matrix(batches.a, out.m, out.k), out.a_signed);
  out.b = random_byte_tensor(random, with_matrix(batches.b, out.k, out.n), out.b_signed);
  const Index rows = out.a.size() / out.k;
  out.a_zero_points = random_bytes(random, random.chance(0.3) ? rows : 1, out.a_signed);
  out.b_zero_points = random_bytes(random, random.chance(0.4) ? out.n : 1, out.b_signed);
  if (random.chance(0.4)) {
    std::fill(out.b_zero_points.begin(), out.b_zero_points.end(), 0);
  }
  return out;
}

}  // namespace assay::test
