// SPDX-License-Identifier: Apache-2.0
// MaxPool on float32, int8 and uint8 (kernels/pool). Padding never wins: a window that lies wholly in it gives the
// type's lowest value
// (-infinity for floats). NaN in a window gives NaN.
#include <algorithm>
#include <array>
#include <limits>

#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/ops/pool_planes.h"
#include "engine/runtime/parallel.h"

namespace assay::runtime {
namespace {

// Maximum that keeps a NaN on either side, without a branch, which would hold up vectors.
float larger(float best, float value) {
  const bool is_nan = value != value;
  return static_cast<int>(value > best) | static_cast<int>(is_nan) ? value : best;
}

// The larger of `out` and a row's elements, window by window: for windows wider than the image, most of whose taps lie
// beside it.
void add_wide_windows(const WindowAxis& axis, const float* row, float* out) {
  for (Index ox = 0; ox < axis.output; ++ox) {
    const TapRange taps = taps_inside(axis, ox);
    for (Index kx = 0; kx < taps.end - taps.begin; ++kx) {
      out[ox] = larger(out[ox], row[taps.first_input + kx * axis.dilation]);
    }
  }
}

// One output row: taps outermost, so that the inner loop runs over outputs.
void pool_row(const Window& window, Index oy, const float* plane, float* out) {
  std::fill(out, out + window.w.output, -std::numeric_limits<float>::infinity());
  const TapRange rows = taps_inside(window.h, oy);
  for (Index ky = rows.begin; ky < rows.end; ++ky) {
    const float* row = plane + (rows.first_input + (ky - rows.begin) * window.h.dilation) * window.w.input;
    if (window.w.kernel > window.w.input) {
      add_wide_windows(window.w, row, out);
      continue;
    }
    for (Index kx = 0; kx < window.w.kernel; ++kx) {
      const OutputRange columns = outputs_reading(window.w, kx);
      const float* in = row + columns.first_input;
      for (Index i = 0; i < columns.end - columns.begin; ++i) {
        out[columns.begin + i] = larger(out[columns.begin + i], in[i * window.w.stride]);
      }
    }
  }
}

void pool_floats(const Tensor& x, const Window& window, Tensor& y) {
  const float* in = x.data<float>().data();
  float* out = y.mutable_data<float>().data();
  for (Index plane = 0; plane < x.dim(0) * x.dim(1); ++plane) {
    for (Index oy = 0; oy < window.h.output; ++oy) {
      pool_row(window, oy, in + plane * window.h.input * window.w.input, out);
      out += window.w.output;
    }
  }
}

// kLanes channels of one output pixel, out of blocks of `block`.
template <Index kLanes>
void pool_lanes(const TapRange& rows, const TapRange& columns, const Window& window, const float* in, Index block,
                float* out) {
  std::array<float, kLanes> best;
  best.fill(-std::numeric_limits<float>::infinity());
  for (Index ky = 0; ky < rows.end - rows.begin; ++ky) {
    const float* row = in + (rows.first_input + ky * window.h.dilation) * window.w.input * block;
    for (Index kx = 0; kx < columns.end - columns.begin; ++kx) {
      const float* tap = row + (columns.first_input + kx * window.w.dilation) * block;
#pragma GCC unroll 1  // or the lanes are taken apart before they can become vectors
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        best[lane] = larger(best[lane], tap[lane]);
      }
    }
  }
  std::copy(best.begin(), best.end(), out);
}

// One output pixel of `block` channels.
void pool_pixel(const TapRange& rows, const TapRange& columns, const Window& window, const float* in, Index block,
                float* out) {
  constexpr Index kLanes = 8;  // in registers
  Index lane = 0;
  for (; lane + kLanes <= block; lane += kLanes) {
    pool_lanes<kLanes>(rows, columns, window, in + lane, block, out + lane);
  }
  for (; lane < block; ++lane) {
    pool_lanes<1>(rows, columns, window, in + lane, block, out + lane);
  }
}

void pool_in_blocks(const ChannelBlocks& x, const Window& window, int threads, ChannelBlocks& y) {
  const Index block = x.block();
  const float* in = x.data.data<float>().data();
  float* out = y.data.mutable_data<float>().data();
  for_each_task(x.data.dim(0) * x.data.dim(1), threads, [&](Index plane, int) {
    const float* from = in + plane * x.pixels() * block;
    float* to = out + plane * y.pixels() * block;
    for (Index oy = 0; oy < window.h.output; ++oy) {
      const TapRange rows = taps_inside(window.h, oy);
      for (Index ox = 0; ox < window.w.output; ++ox, to += block) {
        pool_pixel(rows, taps_inside(window.w, ox), window, from, block, to);
      }
    }
  });
}

class MaxPool final : public Operator {
 public:
  MaxPool(const PrepareContext& context, WindowSpec spec)
      : spec_(std::move(spec)),
        profile_(context.profile),
        choice_(kernels::choose_pool(context.profile, context.features)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(0);
    ASSAY_TRY(check_type(x, "X", {DType::kFloat32, DType::kInt8, DType::kUint8}));
    ASSAY_ASSIGN(const Window window, resolve_window(spec_, x.shape(), spec_.kernel));
    ASSAY_TRY(check_pool_window(window));
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), window.output_shape({x.dim(0), x.dim(1)})));
    on_bytes_ = is_8bit(x.dtype());
    if (y.size() > 0 && on_bytes_) {
      pool_bytes(x, window, context.threads, y);
    } else if (y.size() > 0) {
      pool_floats(x, window, y);
    }
    outputs.push_back(std::move(y));
    return {};
  }

  bool takes_blocks() const override { return true; }

  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const ChannelBlocks& x = context.blocks[0];
    ASSAY_ASSIGN(const Window window, resolve_window(spec_, x.shape, spec_.kernel));
    ASSAY_TRY(check_pool_window(window));
    ASSAY_ASSIGN(ChannelBlocks y, allocate_blocks(window.output_shape({x.shape[0], x.shape[1]}), x.block()));
    pool_in_blocks(x, window, context.threads, y);
    clear_padding(y);  // a window that lies wholly in the pads
    on_bytes_ = false;
    return y;
  }

  // As of the last run: plain loops on floats, a kernel on bytes.
  KernelInfo kernel() const override {
    return on_bytes_ ? kernel_info(choice_, profile_, "exact") : plain_kernel("float32");
  }

 private:
  void pool_bytes(const Tensor& x, const Window& window, int threads, Tensor& y) const {
    const std::byte* in = x.bytes();
    std::byte* out = y.mutable_bytes();
    for_each_plane_group(x.dim(0) * x.dim(1), window, threads, [&](Index first, Index planes) {
      kernels::MaxPoolArgs args{.x = in + first * window.h.input * window.w.input,
                                .y = out + first * window.h.output * window.w.output,
                                .geometry = pool_geometry(window),
                                .is_signed = x.dtype() == DType::kInt8};
      args.geometry.planes = planes;
      choice_.kernel->max(args);
    });
  }

  WindowSpec spec_;
  Profile profile_;
  kernels::PoolChoice choice_;
  bool on_bytes_ = false;
};

}  // namespace

OperatorResult prepare_max_pool(const PrepareContext& context) {
  if (context.node.outputs.size() > 1 && !context.node.outputs[1].empty()) {
    return unsupported("the output Indices ('" + context.node.outputs[1] + "') is not computed");
  }
  ASSAY_TRY(check_arity(context, 1, 1));
  ASSAY_ASSIGN(WindowSpec spec, read_pool_spec(context.node));
  return OperatorResult(std::make_unique<MaxPool>(context, std::move(spec)));
}

}  // namespace assay::runtime
