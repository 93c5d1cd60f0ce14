// SPDX-License-Identifier: Apache-2.0
// Transpose, any element type: output dimension i is input dimension perm[i]; without perm the order is reversed.
#include <numeric>

#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

struct MovedDim {
  Index size = 1;
  Index stride = 1;  // in the input, elements
};

// The output's dimensions, outermost first, without those of size 1; neighbours that stay together are one.
std::vector<MovedDim> moved_dims(const Shape& shape, const std::vector<Index>& perm) {
  std::vector<Index> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  std::vector<MovedDim> dims;
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

// Recursion over the outer dimensions, a plain loop over the innermost.
template <typename T>
void copy_moved(const std::vector<MovedDim>& dims, std::size_t level, const T* in, T*& out) {
  const MovedDim& dim = dims[level];
  if (level + 1 < dims.size()) {
    for (Index i = 0; i < dim.size; ++i) {
      copy_moved(dims, level + 1, in + i * dim.stride, out);
    }
    return;
  }
  for (Index i = 0; i < dim.size; ++i) {
    out[i] = in[i * dim.stride];
  }
  out += dim.size;
}

Status check_permutation(const std::vector<Index>& perm, std::size_t rank) {
  std::vector<bool> seen(rank, false);
  bool valid = perm.size() == rank;
  for (const Index axis : perm) {
    const bool fits = axis >= 0 && static_cast<std::size_t>(axis) < rank && !seen[static_cast<std::size_t>(axis)];
    valid = valid && fits;
    if (fits) {
      seen[static_cast<std::size_t>(axis)] = true;
    }
  }
  if (!valid) {
    return invalid_argument("perm must be a permutation of the " + std::to_string(rank) +
                            " dimensions of data; found " + shape_text(perm));
  }
  return {};
}

Result<Tensor> transpose(const Tensor& data, std::vector<Index> perm) {
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
  const std::vector<MovedDim> dims = moved_dims(data.shape(), perm);
  if (dims.size() <= 1) {  // the elements keep their order
    return data.reshaped(std::move(shape));
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(data.dtype(), std::move(shape)));
  with_element_size(dtype_size_bytes(data.dtype()), [&]<typename T>() {
    auto* to = reinterpret_cast<T*>(out.mutable_bytes());
    copy_moved(dims, 0, reinterpret_cast<const T*>(data.bytes()), to);
  });
  return out;
}

}  // namespace

OperatorResult prepare_transpose(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const std::vector<Index> perm = context.node.ints_attribute("perm");
  return make_operator([perm](const RunContext& run) { return transpose(run.input(0), perm); }, "move");
}

}  // namespace assay::runtime
