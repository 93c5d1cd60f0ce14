// SPDX-License-Identifier: Apache-2.0
// Transpose, any element type: output dimension i is input dimension perm[i]; without perm the order is reversed.
#include <algorithm>
#include <array>
#include <numeric>

#include "engine/kernels/transpose/transpose_bytes.h"
#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

struct MovedDim {
  Index size = 1;
  Index stride = 1;  // in the input, elements
};

using MovedDims = InlineVector<MovedDim, 8>;

// The output's dimensions, outermost first, without those of size 1; neighbours that stay together are one.
MovedDims moved_dims(const Shape& shape, const IndexList& perm) {
  IndexList strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  MovedDims dims;
  for (const Index from : perm) {
    const auto axis = static_cast<std::size_t>(from);
    const MovedDim dim{.size = shape[axis], .stride = strides[axis]};
    if (dim.size == 1) {
      continue;
    }
    if (!dims.empty() && dims.back().stride == dim.stride * dim.size) {
      dims.back() = {.size = dims.back().size * dim.size, .stride = dim.stride};
    } else {
      dims.push_back(dim);
    }
  }
  return dims;
}

// A matrix of the input whose rows become columns of the output: element (i, j) at i * from_stride + j, to j *
// to_stride
// + i, in elements.
struct Turned {
  Index rows = 1;
  Index columns = 1;
  Index from_stride = 1;
  Index to_stride = 1;
};

// Few columns, whose number is part of the type, so that the loop over rows becomes shuffles of vectors.
template <std::size_t kColumns, typename T>
void turn_few_columns(const Turned& matrix, const T* in, T* out) {
  std::array<T*, kColumns> to;
  for (std::size_t j = 0; j < kColumns; ++j) {
    to[j] = out + static_cast<Index>(j) * matrix.to_stride;
  }
  for (Index i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      to[j][i] = in[i * static_cast<Index>(kColumns) + static_cast<Index>(j)];
    }
  }
}

// Columns, then rows of a square, so that what is read and what is written both stay in the nearest cache.
template <typename T>
void turn(const Turned& matrix, const T* in, T* out) {
  if (matrix.columns == matrix.from_stride) {  // an image's few channels, as decoders give them
    switch (matrix.columns) {
      case 2:
        return turn_few_columns<2>(matrix, in, out);
      case 3:
        return turn_few_columns<3>(matrix, in, out);
      case 4:
        return turn_few_columns<4>(matrix, in, out);
      default:
        break;
    }
  }
  constexpr Index kSide = 32;
  for (Index first = 0; first < matrix.columns; first += kSide) {
    const Index last = std::min(first + kSide, matrix.columns);
    for (Index i0 = 0; i0 < matrix.rows; i0 += kSide) {
      const Index count = std::min(kSide, matrix.rows - i0);
      for (Index j = first; j < last; ++j) {
        const T* from = in + i0 * matrix.from_stride + j;
        T* to = out + j * matrix.to_stride + i0;
        for (Index i = 0; i < count; ++i) {
          to[i] = from[i * matrix.from_stride];
        }
      }
    }
  }
}

// Recursion over the dimensions.
template <typename T>
class Mover {
 public:
  Mover(MovedDims dims, const kernels::TransposeKernel& bytes) : dims_(std::move(dims)), bytes_(bytes) {
    Index stride = 1;
    to_strides_.resize(dims_.size());
    for (std::size_t level = dims_.size(); level-- > 0;) {
      to_strides_[level] = stride;
      stride *= dims_[level].size;
    }
    // The input's neighbours; never the innermost dimension, unless those become neighbours again.
    const auto found = std::find_if(dims_.begin(), dims_.end(), [](const MovedDim& dim) { return dim.stride == 1; });
    neighbours_ = static_cast<std::size_t>(found - dims_.begin());
  }

  void run(const T* in, T* out) const { move(0, in, out); }

 private:
  void move(std::size_t level, const T* in, T* out) const {
    const MovedDim& dim = dims_[level];
    if (level + 1 < dims_.size()) {
      const Index steps = level == neighbours_ ? 1 : dim.size;  // one call moves them all
      for (Index i = 0; i < steps; ++i) {
        move(level + 1, in + i * dim.stride, out + i * to_strides_[level]);
      }
      return;
    }
    if (level == neighbours_) {
      std::copy_n(in, dim.size, out);
      return;
    }
    const Turned matrix{.rows = dim.size,
                        .columns = dims_[neighbours_].size,
                        .from_stride = dim.stride,
                        .to_stride = to_strides_[neighbours_]};
    if constexpr (sizeof(T) == 1) {
      bytes_.run({.from = in,
                  .rows = matrix.rows,
                  .columns = matrix.columns,
                  .from_stride = matrix.from_stride,
                  .to = out,
                  .to_stride = matrix.to_stride});
    } else {
      turn(matrix, in, out);
    }
  }

  MovedDims dims_;
  IndexList to_strides_;        // elements
  std::size_t neighbours_ = 0;  // the dimension that lies next to one another in the input
  const kernels::TransposeKernel& bytes_;
};

Status check_permutation(const IndexList& perm, std::size_t rank) {
  IndexList seen(rank, 0);
  bool valid = perm.size() == rank;
  for (const Index axis : perm) {
    const bool fits = axis >= 0 && static_cast<std::size_t>(axis) < rank && seen[static_cast<std::size_t>(axis)] == 0;
    valid = valid && fits;
    if (fits) {
      seen[static_cast<std::size_t>(axis)] = 1;
    }
  }
  if (!valid) {
    return invalid_argument("perm must be a permutation of the " + std::to_string(rank) +
                            " dimensions of data; found " + shape_text(perm));
  }
  return {};
}

Result<Tensor> transpose(const Tensor& data, IndexList perm, const kernels::TransposeKernel& bytes) {
  if (perm.empty()) {
    perm.resize(data.rank());
    std::iota(perm.rbegin(), perm.rend(), Index{0});
  }
  ASSAY_TRY(check_permutation(perm, data.rank()));
  Shape shape;
  for (const Index axis : perm) {
    shape.push_back(data.dim(static_cast<std::size_t>(axis)));
  }
  if (data.size() == 0) {
    return Tensor::allocate_uninitialized(data.dtype(), std::move(shape));
  }
  const MovedDims dims = moved_dims(data.shape(), perm);
  if (dims.size() <= 1) {  // the elements keep their order
    return data.reshaped(std::move(shape));
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(data.dtype(), std::move(shape)));
  with_element_size(dtype_size_bytes(data.dtype()), [&]<typename T>() {
    Mover<T>(dims, bytes).run(reinterpret_cast<const T*>(data.bytes()), reinterpret_cast<T*>(out.mutable_bytes()));
  });
  return out;
}

}  // namespace

OperatorResult prepare_transpose(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const IndexList perm = context.node.ints_attribute("perm");
  const kernels::TransposeKernel& bytes = kernels::choose_transpose(context.profile, context.features);
  return make_operator([perm, &bytes](const RunContext& run) { return transpose(run.input(0), perm, bytes); }, "move");
}

}  // namespace assay::runtime
