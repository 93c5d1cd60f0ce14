// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/float_product.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "engine/runtime/ops/simple_operator.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/shared_layout.h"
#include "engine/runtime/threads.h"

namespace assay::runtime {
namespace {

// Primitives kept; a session that sees more shapes than this builds them again.
constexpr std::size_t kMaxPrimitives = 16;
// Multiply-accumulates that are worth a task, and the most tasks.
constexpr Index kPieceMacs = 1'000'000;
constexpr Index kMostPieces = 8;
// Rows or columns of a piece are a multiple of this, but for the last: whole tiles of oneDNN's kernels.
constexpr Index kUnit = 48;

dnnl::memory::desc strided(const MatrixOperand& operand) { return onednn::strided(operand.dims, operand.strides); }

dnnl::matmul::primitive_desc describe(const FloatProductArgs& args, const MatrixOperand& y, float alpha, bool free_b) {
  dnnl::primitive_attr attributes = onednn::own_scratchpad();
  if (alpha != 1.0F) {
    attributes.set_output_scales(0, {alpha});
  }
  const auto b = free_b ? onednn::any_layout(args.b.dims) : strided(args.b);
  return {dnnl::matmul::desc(strided(args.a), b, strided(y)), attributes, onednn::engine()};
}

// Along which dimension of Y a product is cut, and into how many pieces. The shape alone decides, so that results do
// not depend on the number of threads: oneDNN may sum in another order in a piece than in the whole.
struct Cut {
  std::size_t axis = 0;
  Index unit = 1;
  Index pieces = 1;
};

Cut choose_cut(const FloatProductArgs& args) {
  const Shape& y = args.y_dims;
  const std::size_t rank = y.size();
  const Index macs = dims_product(y, 0, rank) * args.a.dims.back();
  const auto most = static_cast<Index>(
      std::bit_floor(static_cast<std::uint64_t>(std::clamp<Index>(macs / kPieceMacs, 1, kMostPieces))));
  const auto batch =
      static_cast<std::size_t>(std::find_if(y.begin(), y.end() - 2, [](Index n) { return n > 1; }) - y.begin());
  Cut best;
  for (const Cut& cut :
       {Cut{.axis = batch, .unit = 1}, Cut{.axis = rank - 2, .unit = kUnit}, Cut{.axis = rank - 1, .unit = kUnit}}) {
    const bool is_dimension = cut.axis != batch || batch < rank - 2;
    const Index pieces = std::min(most, y[cut.axis] / cut.unit);
    if (is_dimension && pieces > best.pieces) {
      best = {.axis = cut.axis, .unit = cut.unit, .pieces = pieces};
    }
  }
  return best;
}

MatrixOperand narrowed(MatrixOperand operand, std::size_t axis, Index first, Index count) {
  if (operand.dims[axis] > 1) {  // else it is broadcast
    operand.data += first * operand.strides[axis];
    operand.dims[axis] = count;
  }
  return operand;
}

}  // namespace

// One product, or one piece, by one thread.
class FloatProduct::Piece {
 public:
  Piece(const FloatProductArgs& args, const MatrixOperand& y, const dnnl::matmul::primitive_desc& chosen)
      : primitive_(chosen),
        b_rows_(onednn::unbound(strided(args.b))),
        b_desc_(chosen.weights_desc()),
        scratchpad_(chosen.scratchpad_desc()),
        stream_(onednn::engine()),
        implementation_(chosen.impl_info_str()) {
    arguments_.set(DNNL_ARG_SRC, onednn::unbound(strided(args.a)));
    arguments_.set(DNNL_ARG_DST, onednn::unbound(strided(y)));
  }

  // `constant_b`: the tensor that b lies in, where it is the same in every run.
  void run(const float* a, const float* b, float* y, const Tensor* constant_b) {
    if (constant_b == nullptr || !has_b_) {
      take_b(b, constant_b);
    }
    onednn::bind(arguments_.at(DNNL_ARG_SRC), a);
    onednn::bind(arguments_.at(DNNL_ARG_DST), y);
    arguments_.set(DNNL_ARG_SCRATCHPAD, scratchpad_.bound());
    arguments_.execute(primitive_, stream_);
    stream_.wait();
  }

  const std::string& implementation() const { return implementation_; }

 private:
  void take_b(const float* b, const Tensor* constant_b) {
    const dnnl::memory::desc at_hand = b_rows_.get_desc();
    if (constant_b != nullptr && at_hand != b_desc_) {
      shared_b_ = onednn::SharedLayout(stream_, {.source = *constant_b, .data = b, .at_hand = at_hand}, b_desc_);
      arguments_.set(DNNL_ARG_WEIGHTS, shared_b_.memory());
    } else {
      if (!b_change_) {
        b_change_ = onednn::LayoutChange::before(at_hand, b_desc_);
      }
      onednn::bind(b_rows_, b);
      arguments_.set(DNNL_ARG_WEIGHTS, b_change_->convert(stream_, b_rows_));
    }
    has_b_ = true;
  }

  dnnl::matmul primitive_;
  dnnl::memory b_rows_;
  dnnl::memory::desc b_desc_;
  std::optional<onednn::LayoutChange> b_change_;
  onednn::SharedLayout shared_b_;  // where b is constant and had to be laid out
  onednn::Scratchpad scratchpad_;
  dnnl::stream stream_;
  std::string implementation_;
  onednn::Arguments arguments_;
  bool has_b_ = false;
};

class FloatProduct::Primitive {
 public:
  Primitive(const FloatProductArgs& args, float alpha, bool free_b) {
    const ThreadScope one(1);  // a primitive keeps its number
    const Cut cut = choose_cut(args);
    const MatrixOperand y = matrix_operand(args.y_dims, false, args.y);
    const Index units = args.y_dims[cut.axis] / cut.unit;
    for (Index i = 0; i < cut.pieces; ++i) {
      const Index first = i * units / cut.pieces * cut.unit;
      const Index last = i + 1 == cut.pieces ? args.y_dims[cut.axis] : (i + 1) * units / cut.pieces * cut.unit;
      add(args, y, {.axis = cut.axis, .first = first, .count = last - first}, {.alpha = alpha, .free_b = free_b});
    }
  }

  void run(const FloatProductArgs& args, const Tensor* constant_b, int threads) {
    for_each_task(static_cast<Index>(places_.size()), threads, [&](Index task, int) {
      const ThreadScope one(1);  // whichever thread this is
      const Place& place = places_[static_cast<std::size_t>(task)];
      place.piece->run(args.a.data + place.a, args.b.data + place.b, args.y + place.y, constant_b);
    });
  }

  const std::string& implementation() const { return places_.front().piece->implementation(); }

 private:
  struct Share {
    std::size_t axis = 0;
    Index first = 0;
    Index count = 0;
  };
  struct Options {
    float alpha = 1;
    bool free_b = false;
  };
  struct Place {
    std::unique_ptr<Piece> piece;
    Index a = 0;  // offsets in elements
    Index b = 0;
    Index y = 0;
  };

  void add(const FloatProductArgs& args, const MatrixOperand& y, const Share& share, const Options& options) {
    const std::size_t rank = args.y_dims.size();
    FloatProductArgs part = args;
    if (share.axis != rank - 1) {  // not Y's columns
      part.a = narrowed(args.a, share.axis, share.first, share.count);
    }
    if (share.axis != rank - 2) {  // not Y's rows
      part.b = narrowed(args.b, share.axis, share.first, share.count);
    }
    const MatrixOperand result = narrowed(y, share.axis, share.first, share.count);
    const auto chosen = describe(part, result, options.alpha, options.free_b);
    places_.push_back({.piece = std::make_unique<Piece>(part, result, chosen),
                       .a = part.a.data - args.a.data,
                       .b = part.b.data - args.b.data,
                       .y = result.data - y.data});
  }

  std::vector<Place> places_;
};

MatrixOperand matrix_operand(const Shape& shape, bool transposed, const float* data) {
  MatrixOperand operand{.dims = shape, .strides = IndexList(shape.size(), 1), .data = data};
  for (std::size_t i = shape.size(); i-- > 1;) {
    operand.strides[i - 1] = operand.strides[i] * shape[i];
  }
  if (transposed) {
    const std::size_t last = shape.size() - 1;
    std::swap(operand.dims[last], operand.dims[last - 1]);
    std::swap(operand.strides[last], operand.strides[last - 1]);
  }
  return operand;
}

FloatProduct::FloatProduct(float alpha, bool b_constant)
    : alpha_(alpha), b_constant_(b_constant), info_(onednn::undecided_kernel_info()) {}

FloatProduct::~FloatProduct() = default;

FloatProduct::Primitive& FloatProduct::primitive(const FloatProductArgs& args) {
  IndexList key = args.a.dims;
  key.insert(key.end(), args.b.dims.begin(), args.b.dims.end());
  auto found = primitives_.find(key);
  if (found == primitives_.end()) {
    if (primitives_.size() >= kMaxPrimitives) {
      primitives_.clear();
      last_ = nullptr;
    }
    found = primitives_.emplace(key, std::make_unique<Primitive>(args, alpha_, b_constant_)).first;
  }
  return *found->second;
}

Status FloatProduct::run(const FloatProductArgs& args) {
  const Index sums = dims_product(args.y_dims, 0, args.y_dims.size());
  const int threads = threads_worth(sums * args.a.dims.back(), max_threads());
  return onednn::call([&]() -> Status {
    Primitive& chosen = primitive(args);
    chosen.run(args, b_constant_ ? args.b_tensor : nullptr, threads);
    if (last_ != &chosen) {
      info_ = onednn::kernel_info(chosen.implementation());
      last_ = &chosen;
    }
    return {};
  });
}

}  // namespace assay::runtime
