// SPDX-License-Identifier: Apache-2.0
// Pad, any element type, in the modes constant, reflect, edge and wrap. A negative pad takes elements away; the others
// then work on what is left.
#include <algorithm>
#include <numeric>

#include "engine/ir/memory_limit.h"
#include "engine/runtime/half_adapter.h"
#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

enum class PadMode { kConstant, kReflect, kEdge, kWrap };

Result<PadMode> read_mode(const Node& node) {
  const std::string text = node.string_attribute("mode", "constant");
  if (text == "constant") {
    return PadMode::kConstant;
  }
  if (text == "reflect") {
    return PadMode::kReflect;
  }
  if (text == "edge") {
    return PadMode::kEdge;
  }
  if (text == "wrap") {
    return PadMode::kWrap;
  }
  return unsupported("mode must be constant, reflect, edge or wrap; found '" + text + "'");
}

constexpr Index kOutside = -1;

// For each output position along one dimension the input position, or kOutside.
struct PaddedDim {
  BlockVector<Index> source;
  Index stride = 1;  // in the input, elements
  // The output positions [first, last) have the input positions that follow source[first].
  Index first = 0;
  Index last = 0;
};

struct PadRequest {
  std::size_t axis = 0;
  Index size = 0;
  Index begin = 0;
  Index end = 0;
  PadMode mode = PadMode::kConstant;
};

std::string request_text(const PadRequest& request) {
  return "dimension " + std::to_string(request.axis) + " of size " + std::to_string(request.size) + " with pads " +
         std::to_string(request.begin) + " and " + std::to_string(request.end);
}

// The input position behind output position `at` (relative to the kept elements [0, kept)).
Index source_of(Index at, Index kept, PadMode mode) {
  if (at >= 0 && at < kept) {
    return at;
  }
  switch (mode) {
    case PadMode::kConstant:
      return kOutside;
    case PadMode::kEdge:
      return at < 0 ? 0 : kept - 1;
    case PadMode::kReflect:
      return at < 0 ? -at : 2 * (kept - 1) - at;
    case PadMode::kWrap:
      return (at % kept + kept) % kept;
  }
  return kOutside;
}

// The output's size, with every condition on the pads checked.
Result<Index> padded_size(const PadRequest& request) {
  // Before a sum: a pad near the ends of int64 would overflow it.
  if (std::abs(request.begin / 2) > kMaxElements || std::abs(request.end / 2) > kMaxElements) {
    return unsupported("pads must lie within " + std::to_string(kMaxElements) + " elements; found " +
                       request_text(request));
  }
  const Index dropped = std::max<Index>(0, -request.begin);
  const Index kept = request.size - dropped - std::max<Index>(0, -request.end);
  const Index total = request.size + request.begin + request.end;
  if (kept < 0 || total < 0) {
    return invalid_argument("negative pads take away more than there is: " + request_text(request));
  }
  const Index widest = std::max<Index>({0, request.begin, request.end});
  if (request.mode == PadMode::kReflect && widest > std::max<Index>(0, kept - 1)) {
    return invalid_argument("a reflected pad must be smaller than what it reflects: " + request_text(request));
  }
  if ((request.mode == PadMode::kEdge || request.mode == PadMode::kWrap) && widest > 0 && kept == 0) {
    return invalid_argument("an edge or wrapped pad needs an element to repeat: " + request_text(request));
  }
  return total;
}

// For each of `total` output positions the input position. `request` has passed padded_size().
BlockVector<Index> sources(const PadRequest& request, Index total) {
  const Index dropped = std::max<Index>(0, -request.begin);
  const Index kept = request.size - dropped - std::max<Index>(0, -request.end);
  BlockVector<Index> out(static_cast<std::size_t>(total));
  for (Index i = 0; i < total; ++i) {
    const Index source = source_of(i - std::max<Index>(0, request.begin), kept, request.mode);
    out[static_cast<std::size_t>(i)] = source == kOutside ? kOutside : source + dropped;
  }
  return out;
}

template <typename T>
class Padder {
 public:
  Padder(const BlockVector<PaddedDim>& dims, const T* in, T fill, T* out)
      : dims_(dims), in_(in), fill_(fill), out_(out) {}

  // `offset` is kOutside where an outer dimension is outside already.
  void copy(std::size_t level, Index offset) {
    if (level + 1 >= dims_.size()) {
      copy_row(level, offset);
      return;
    }
    for (const Index source : dims_[level].source) {
      const bool outside = offset == kOutside || source == kOutside;
      copy(level + 1, outside ? kOutside : offset + source * dims_[level].stride);
    }
  }

 private:
  void copy_row(std::size_t level, Index offset) {
    if (dims_.empty()) {  // a scalar
      *out_ = *in_;
      return;
    }
    const PaddedDim& dim = dims_[level];
    const auto length = static_cast<Index>(dim.source.size());
    if (offset == kOutside) {
      out_ = std::fill_n(out_, length, fill_);
      return;
    }
    copy_singly(dim, 0, dim.first, offset);
    if (dim.first < dim.last) {
      const T* from = in_ + offset + dim.source[static_cast<std::size_t>(dim.first)];
      out_ = std::copy_n(from, dim.last - dim.first, out_);
    }
    copy_singly(dim, dim.last, length, offset);
  }

  void copy_singly(const PaddedDim& dim, Index first, Index last, Index offset) {
    for (Index i = first; i < last; ++i) {
      const Index source = dim.source[static_cast<std::size_t>(i)];
      *out_++ = source == kOutside ? fill_ : in_[offset + source];
    }
  }

  const BlockVector<PaddedDim>& dims_;
  const T* in_;
  T fill_;
  T* out_;
};

struct PadArgs {
  IndexList pads;  // begins, then ends, one each per dimension of data
  PadMode mode = PadMode::kConstant;
  const std::byte* value = nullptr;  // one element of data's type; null: 0
};

Result<Tensor> pad(const Tensor& data, const PadArgs& args) {
  const std::size_t rank = data.rank();
  if (args.pads.size() != 2 * rank) {
    return invalid_argument("pads must have a begin and an end for each of the " + std::to_string(rank) +
                            " dimensions; found " + shape_text(args.pads));
  }
  // The whole shape is checked before anything of its size is made.
  Shape shape;
  InlineVector<PadRequest, 8> requests;
  for (std::size_t i = 0; i < rank; ++i) {
    requests.push_back(
        {.axis = i, .size = data.dim(i), .begin = args.pads[i], .end = args.pads[i + rank], .mode = args.mode});
    ASSAY_ASSIGN(const Index size, padded_size(requests.back()));
    shape.push_back(size);
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(data.dtype(), shape));
  if (out.size() == 0) {
    return out;
  }
  ASSAY_TRY(
      check_memory(static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), Index{0})) * sizeof(Index)));
  BlockVector<PaddedDim> dims(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const Index kept_end = shape[i] - std::max<Index>(0, requests[i].end);
    const Index kept_begin = std::min(std::max<Index>(0, requests[i].begin), kept_end);
    dims[i] = {.source = sources(requests[i], shape[i]),
               .stride = dims_product(data.shape(), i + 1, rank),
               .first = kept_begin,
               .last = kept_end};
  }
  with_element_size(dtype_size_bytes(data.dtype()), [&]<typename T>() {
    T fill{};
    if (args.value != nullptr) {
      std::memcpy(&fill, args.value, sizeof(T));
    }
    Padder<T>(dims, reinterpret_cast<const T*>(data.bytes()), fill, reinterpret_cast<T*>(out.mutable_bytes()))
        .copy(0, 0);
  });
  return out;
}

// Pads of the named axes, spread over all dimensions.
Result<IndexList> spread(const IndexList& pads, const IndexList& axes, std::size_t rank) {
  ASSAY_ASSIGN(const IndexList normal, normalize_axes(axes, rank));
  if (pads.size() != 2 * axes.size()) {
    return invalid_argument("pads must have a begin and an end for each of the " + std::to_string(axes.size()) +
                            " axes; found " + shape_text(pads));
  }
  IndexList out(2 * rank, 0);
  for (std::size_t i = 0; i < normal.size(); ++i) {
    const auto axis = static_cast<std::size_t>(normal[i]);
    out[axis] = pads[i];
    out[axis + rank] = pads[i + normal.size()];
  }
  return out;
}

Result<Tensor> pad_by_inputs(const RunContext& run, PadMode mode) {
  const Tensor& data = run.input(0);
  PadArgs args{.pads = {}, .mode = mode, .value = nullptr};
  ASSAY_ASSIGN(args.pads, index_list(run.input(1), "pads"));
  if (const Tensor& value = run.input(2); !value.empty()) {
    if (value.dtype() != data.dtype() || value.size() != 1) {
      return invalid_argument("constant_value must be one element of data's type " +
                              std::string(dtype_name(data.dtype())) + "; found " +
                              std::string(dtype_name(value.dtype())) + " " + shape_text(value.shape()));
    }
    args.value = value.bytes();
  }
  if (const Tensor& axes_input = run.input(3); !axes_input.empty()) {
    ASSAY_ASSIGN(const IndexList axes, index_list(axes_input, "axes"));
    ASSAY_ASSIGN(args.pads, spread(args.pads, axes, data.rank()));
  }
  return pad(data, args);
}

}  // namespace

OperatorResult prepare_pad(const PrepareContext& context) {
  ASSAY_ASSIGN(const PadMode mode, read_mode(context.node));
  if (context.opset() >= 11) {
    ASSAY_TRY(check_arity(context, 2, context.opset() >= 18 ? 4 : 3));
    return make_operator([mode](const RunContext& run) { return pad_by_inputs(run, mode); }, "move");
  }
  ASSAY_TRY(check_arity(context, 1, 1));
  const IndexList pads = context.node.ints_attribute("pads");
  const float value = context.node.float_attribute("value", 0);
  return make_operator(
      [mode, pads, value](const RunContext& run) -> Result<Tensor> {
        const Tensor& data = run.input(0);
        ASSAY_TRY(check_type(data, "data", {DType::kFloat32, DType::kFloat16, DType::kBfloat16}));
        Tensor fill = Tensor::scalar(value);
        if (is_half(data.dtype())) {
          ASSAY_ASSIGN(fill, narrow_to_half(fill, data.dtype()));
        }
        return pad(data, {.pads = pads, .mode = mode, .value = fill.bytes()});
      },
      "move");
}

}  // namespace assay::runtime
