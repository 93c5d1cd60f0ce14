// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/float_product.h"

#include "engine/runtime/ops/simple_operator.h"
#include "engine/runtime/threads.h"

namespace assay::runtime {
namespace {

// Primitives kept; a session that sees more shapes than this builds them again.
constexpr std::size_t kMaxPrimitives = 16;

dnnl::memory::desc strided(const MatrixOperand& operand) {
  return {operand.dims, dnnl::memory::data_type::f32, operand.strides};
}

dnnl::matmul::primitive_desc describe(const FloatProductArgs& args, float alpha, bool free_b) {
  dnnl::primitive_attr attributes = onednn::own_scratchpad();
  if (alpha != 1.0F) {
    attributes.set_output_scales(0, {alpha});
  }
  const auto b = free_b ? onednn::any_layout(args.b.dims) : strided(args.b);
  return {dnnl::matmul::desc(strided(args.a), b, onednn::dense(args.y_dims)), attributes, onednn::engine()};
}

}  // namespace

class FloatProduct::Primitive {
 public:
  Primitive(const FloatProductArgs& args, const dnnl::matmul::primitive_desc& chosen)
      : a_(strided(args.a)),
        b_(strided(args.b)),
        y_(onednn::dense(args.y_dims)),
        primitive_(chosen),
        b_change_(onednn::LayoutChange::before(b_, chosen.weights_desc())),
        scratchpad_(chosen.scratchpad_desc()),
        implementation_(chosen.impl_info_str()) {}

  void run(dnnl::stream& stream, const FloatProductArgs& args, bool keep_b) {
    if (!keep_b || !weights_) {
      weights_ = b_change_.convert(stream, onednn::wrap(b_, args.b.data));
    }
    primitive_.execute(stream, {{DNNL_ARG_SRC, onednn::wrap(a_, args.a.data)},
                                {DNNL_ARG_WEIGHTS, *weights_},
                                {DNNL_ARG_DST, onednn::wrap(y_, args.y)},
                                {DNNL_ARG_SCRATCHPAD, onednn::scratchpad(scratchpad_)}});
    stream.wait();
  }

  const std::string& implementation() const { return implementation_; }

 private:
  dnnl::memory::desc a_;
  dnnl::memory::desc b_;
  dnnl::memory::desc y_;
  dnnl::matmul primitive_;
  onednn::LayoutChange b_change_;
  std::optional<dnnl::memory> weights_;
  dnnl::memory::desc scratchpad_;
  std::string implementation_;
};

MatrixOperand matrix_operand(const Shape& shape, bool transposed, const float* data) {
  MatrixOperand operand{.dims = shape, .strides = dnnl::memory::dims(shape.size(), 1), .data = data};
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
    : alpha_(alpha), b_constant_(b_constant), stream_(onednn::engine()), info_(onednn::undecided_kernel_info()) {}

FloatProduct::~FloatProduct() = default;

FloatProduct::Primitive& FloatProduct::primitive(const FloatProductArgs& args) {
  dnnl::memory::dims key = args.a.dims;
  key.insert(key.end(), args.b.dims.begin(), args.b.dims.end());
  auto found = primitives_.find(key);
  if (found == primitives_.end()) {
    if (primitives_.size() >= kMaxPrimitives) {
      primitives_.clear();
    }
    const auto chosen = describe(args, alpha_, b_constant_);
    found = primitives_.emplace(key, std::make_unique<Primitive>(args, chosen)).first;
  }
  return *found->second;
}

Status FloatProduct::run(const FloatProductArgs& args) {
  const Index sums = dims_product(args.y_dims, 0, args.y_dims.size());
  const ThreadScope threads(threads_worth(sums * args.a.dims.back(), max_threads()));  // a primitive keeps its number
  return onednn::call([&]() -> Status {
    Primitive& chosen = primitive(args);
    chosen.run(stream_, args, b_constant_);
    info_ = onednn::kernel_info(chosen.implementation());
    return {};
  });
}

}  // namespace assay::runtime
