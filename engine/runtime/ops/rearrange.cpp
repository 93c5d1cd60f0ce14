// SPDX-License-Identifier: Apache-2.0
// DepthToSpace, SpaceToDepth, Trilu and ReverseSequence: any element type.
#include <algorithm>

#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/indices.h"
#include "engine/runtime/ops/strided.h"
#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

// A view of `data` as `dims`, its dimensions put in the order `perm`, copied out as `shape`.
Result<Tensor> permuted(const Tensor& data, const Shape& dims, const std::vector<std::size_t>& perm, Shape shape) {
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(data.dtype(), std::move(shape)));
  const Strides own = contiguous_strides(dims);
  Shape walked;
  std::array<Strides, 1> strides;
  for (const std::size_t axis : perm) {
    walked.push_back(dims[axis]);
    strides[0].push_back(own[axis]);
  }
  with_element_size(dtype_size_bytes(data.dtype()), [&]<typename T>() {
    const T* from = reinterpret_cast<const T*>(data.bytes());
    T* to = reinterpret_cast<T*>(out.mutable_bytes());
    for_each_row<1>(walked, strides, [&](const auto& offsets, Index count, const auto& steps) {
      for (Index i = 0; i < count; ++i) {
        *to++ = from[offsets[0] + i * steps[0]];
      }
    });
  });
  return out;
}

Result<Tensor> depth_to_space(const Tensor& x, Index block, bool column_first) {
  ASSAY_TRY(check_rank(x, "input", 4));
  const Index n = x.dim(0);
  const Index c = x.dim(1);
  const Index h = x.dim(2);
  const Index w = x.dim(3);
  if (c % (block * block) != 0) {
    return invalid_argument("the channels must be a multiple of blocksize * blocksize = " +
                            std::to_string(block * block) + "; found " + std::to_string(c));
  }
  const Index rest = c / (block * block);
  const Shape shape = {n, rest, h * block, w * block};
  return column_first ? permuted(x, {n, rest, block, block, h, w}, {0, 1, 4, 2, 5, 3}, shape)
                      : permuted(x, {n, block, block, rest, h, w}, {0, 3, 4, 1, 5, 2}, shape);
}

Result<Tensor> space_to_depth(const Tensor& x, Index block, bool column_first) {
  ASSAY_TRY(check_rank(x, "input", 4));
  const Index n = x.dim(0);
  const Index c = x.dim(1);
  const Index h = x.dim(2);
  const Index w = x.dim(3);
  if (h % block != 0 || w % block != 0) {
    return invalid_argument("height and width must be multiples of blocksize " + std::to_string(block) + "; found " +
                            shape_text(x.shape()));
  }
  return permuted(
      x, {n, c, h / block, block, w / block, block},
      column_first ? std::vector<std::size_t>{0, 1, 3, 5, 2, 4} : std::vector<std::size_t>{0, 3, 5, 1, 2, 4},
      {n, c * block * block, h / block, w / block});
}

Result<Index> read_block(const Node& node) {
  const Index block = node.int_attribute("blocksize", 0);
  if (block < 1 || block > (Index{1} << 15)) {
    return invalid_model("blocksize must be positive; found " + std::to_string(block));
  }
  return block;
}

// Whether channels come first in the new depth (CRD), not blocks (DCR).
Result<bool> read_column_first(const Node& node) {
  const std::string mode = node.string_attribute("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") {
    return invalid_model("mode must be DCR or CRD; found '" + mode + "'");
  }
  return mode == "CRD";
}

// Zeroes what lies below (upper) or above the k-th diagonal of each matrix.
Result<Tensor> trilu(const Tensor& x, Index k, bool upper) {
  if (x.rank() < 2) {
    return invalid_argument("input must have at least 2 dimensions; found " + shape_text(x.shape()));
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(x.dtype(), x.shape()));
  const Index rows = x.dim(x.rank() - 2);
  const Index columns = x.dim(x.rank() - 1);
  const Index matrices = dims_product(x.shape(), 0, x.rank() - 2);
  k = std::clamp(k, -rows, columns);  // further out changes nothing
  const std::size_t size = dtype_size_bytes(x.dtype());
  for (Index row = 0; row < matrices * rows; ++row) {
    const Index diagonal = std::clamp(row % rows + k, Index{-1}, columns);
    const Index begin = upper ? std::max(diagonal, Index{0}) : 0;
    const Index end = upper ? columns : std::min(diagonal + 1, columns);
    if (end > begin) {
      const std::size_t offset = static_cast<std::size_t>(row * columns + begin) * size;
      std::memcpy(out.mutable_bytes() + offset, x.bytes() + offset, static_cast<std::size_t>(end - begin) * size);
    }
  }
  return out;
}

Result<Tensor> reverse_sequence(const RunContext& context, Index batch_axis, Index time_axis) {
  const Tensor& x = context.input(0);
  if (x.rank() < 2 || batch_axis == time_axis) {
    return invalid_argument(
        "input must have at least 2 dimensions, of which batch_axis and time_axis name two; found " +
        shape_text(x.shape()));
  }
  const Index batches = x.dim(static_cast<std::size_t>(batch_axis));
  const Index times = x.dim(static_cast<std::size_t>(time_axis));
  ASSAY_ASSIGN(const BlockVector<Index> lengths, raw_indices(context.input(1)));
  if (static_cast<Index>(lengths.size()) != batches ||
      std::any_of(lengths.begin(), lengths.end(), [&](Index length) { return length < 0 || length > times; })) {
    return invalid_argument("sequence_lens must hold " + std::to_string(batches) + " lengths in [0, " +
                            std::to_string(times) + "]; found " + shape_text(lengths));
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
  const Index inner = dims_product(x.shape(), 2, x.rank());
  const std::size_t chunk = static_cast<std::size_t>(inner) * dtype_size_bytes(x.dtype());
  const Index batch_stride = batch_axis == 0 ? times : 1;
  const Index time_stride = time_axis == 0 ? batches : 1;
  for (Index b = 0; b < batches && chunk > 0; ++b) {
    const Index length = lengths[static_cast<std::size_t>(b)];
    for (Index t = 0; t < times; ++t) {
      const Index from = t < length ? length - 1 - t : t;
      std::memcpy(out.mutable_bytes() + static_cast<std::size_t>(b * batch_stride + t * time_stride) * chunk,
                  x.bytes() + static_cast<std::size_t>(b * batch_stride + from * time_stride) * chunk, chunk);
    }
  }
  return out;
}

}  // namespace

OperatorResult prepare_depth_to_space(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  ASSAY_ASSIGN(const Index block, read_block(context.node));
  ASSAY_ASSIGN(const bool column_first, read_column_first(context.node));
  return make_operator([=](const RunContext& run) { return depth_to_space(run.input(0), block, column_first); },
                       "move");
}
OperatorResult prepare_space_to_depth(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  ASSAY_ASSIGN(const Index block, read_block(context.node));
  ASSAY_ASSIGN(const bool column_first, read_column_first(context.node));
  return make_operator([=](const RunContext& run) { return space_to_depth(run.input(0), block, column_first); },
                       "move");
}
OperatorResult prepare_trilu(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 2));
  const bool upper = context.node.int_attribute("upper", 1) != 0;
  return make_operator(
      [upper](const RunContext& run) -> Result<Tensor> {
        Index k = 0;
        if (!run.input(1).empty()) {
          ASSAY_ASSIGN(const IndexList list, index_list(run.input(1), "k"));
          if (list.size() != 1) {
            return invalid_argument("k must have one element; found " + shape_text(run.input(1).shape()));
          }
          k = list[0];
        }
        return trilu(run.input(0), k, upper);
      },
      "move");
}
OperatorResult prepare_reverse_sequence(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  const Index batch_axis = context.node.int_attribute("batch_axis", 1);
  const Index time_axis = context.node.int_attribute("time_axis", 0);
  if (batch_axis < 0 || batch_axis > 1 || time_axis < 0 || time_axis > 1) {
    return invalid_model("batch_axis and time_axis must be 0 or 1; found " + std::to_string(batch_axis) + " and " +
                         std::to_string(time_axis));
  }
  return make_operator(
      [batch_axis, time_axis](const RunContext& run) { return reverse_sequence(run, batch_axis, time_axis); }, "move");
}

}  // namespace assay::runtime
