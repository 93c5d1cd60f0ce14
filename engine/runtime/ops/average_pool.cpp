// SPDX-License-Identifier: Apache-2.0
// AveragePool on float32: the sum of a window's elements, accumulated in double, over their number. The number counts
// padding with count_include_pad, but never what lies beyond the end pad (where ceil_mode lets a window reach). A
// window with nothing to count gives 0.
#include <algorithm>

#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/window.h"

namespace assay::runtime {
namespace {

// Taps of window `o` that count.
Index counted_taps(const WindowAxis& axis, Index o, bool include_pad) {
  if (!include_pad) {
    const TapRange taps = taps_inside(axis, o);
    return taps.end - taps.begin;
  }
  const Index start = o * axis.stride - axis.pad_begin;
  const Index room = axis.input + axis.pad_end - 1 - start;
  return room < 0 ? 0 : std::min(axis.kernel, room / axis.dilation + 1);
}

// Window by window: for windows wider than the image, most of whose taps lie beside it.
void add_wide_windows(const WindowAxis& axis, const float* row, BlockVector<double>& sums) {
  for (std::size_t ox = 0; ox < sums.size(); ++ox) {
    const TapRange taps = taps_inside(axis, static_cast<Index>(ox));
    for (Index kx = 0; kx < taps.end - taps.begin; ++kx) {
      sums[ox] += static_cast<double>(row[taps.first_input + kx * axis.dilation]);
    }
  }
}

void add_row(const Window& window, const float* row, BlockVector<double>& sums) {
  if (window.w.kernel > window.w.input) {
    return add_wide_windows(window.w, row, sums);
  }
  for (Index kx = 0; kx < window.w.kernel; ++kx) {
    const OutputRange columns = outputs_reading(window.w, kx);
    const float* in = row + columns.first_input;
    double* out = sums.data() + columns.begin;
    for (Index i = 0; i < columns.end - columns.begin; ++i) {
      out[i] += static_cast<double>(in[i * window.w.stride]);
    }
  }
}

struct Counts {
  BlockVector<Index> rows;
  BlockVector<Index> columns;
};

Counts count_taps(const Window& window, bool include_pad) {
  Counts counts;
  counts.rows.reserve(static_cast<std::size_t>(window.h.output));
  counts.columns.reserve(static_cast<std::size_t>(window.w.output));
  for (Index oy = 0; oy < window.h.output; ++oy) {
    counts.rows.push_back(counted_taps(window.h, oy, include_pad));
  }
  for (Index ox = 0; ox < window.w.output; ++ox) {
    counts.columns.push_back(counted_taps(window.w, ox, include_pad));
  }
  return counts;
}

// `sums`: room for a row of the output.
void pool_plane(const Window& window, const Counts& counts, const float* plane, BlockVector<double>& sums, float* out) {
  for (Index oy = 0; oy < window.h.output; ++oy) {
    std::fill(sums.begin(), sums.end(), 0.0);
    const TapRange rows = taps_inside(window.h, oy);
    for (Index ky = rows.begin; ky < rows.end; ++ky) {
      add_row(window, plane + (rows.first_input + (ky - rows.begin) * window.h.dilation) * window.w.input, sums);
    }
    for (std::size_t ox = 0; ox < sums.size(); ++ox) {
      const Index count = counts.rows[static_cast<std::size_t>(oy)] * counts.columns[ox];
      *out++ = count == 0 ? 0.0F : static_cast<float>(sums[ox] / static_cast<double>(count));
    }
  }
}

Result<Tensor> average_pool(const Tensor& x, const WindowSpec& spec, bool include_pad) {
  ASSAY_TRY(check_type(x, "X", {DType::kFloat32}));
  ASSAY_ASSIGN(const Window window, resolve_window(spec, x.shape(), spec.kernel));
  ASSAY_TRY(check_pool_window(window));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, window.output_shape({x.dim(0), x.dim(1)})));
  if (y.size() == 0) {
    return y;
  }
  const Counts counts = count_taps(window, include_pad);
  const float* in = x.data<float>().data();
  float* out = y.mutable_data<float>().data();
  BlockVector<double> sums(static_cast<std::size_t>(window.w.output));
  for (Index plane = 0; plane < x.dim(0) * x.dim(1); ++plane) {
    pool_plane(window, counts, in + plane * window.h.input * window.w.input, sums,
               out + plane * window.h.output * window.w.output);
  }
  return y;
}

// A plane of as many channels as there are sums. Each sum takes its elements in the order of pool_plane.
void pool_block(const Window& window, const Counts& counts, const float* plane, std::span<double> sums, float* out) {
  const auto block = static_cast<Index>(sums.size());
  for (Index oy = 0; oy < window.h.output; ++oy) {
    const TapRange rows = taps_inside(window.h, oy);
    for (Index ox = 0; ox < window.w.output; ++ox) {
      const TapRange columns = taps_inside(window.w, ox);
      std::fill(sums.begin(), sums.end(), 0.0);
      for (Index ky = 0; ky < rows.end - rows.begin; ++ky) {
        const float* row = plane + (rows.first_input + ky * window.h.dilation) * window.w.input * block;
        for (Index kx = 0; kx < columns.end - columns.begin; ++kx) {
          const float* tap = row + (columns.first_input + kx * window.w.dilation) * block;
          for (std::size_t lane = 0; lane < sums.size(); ++lane) {
            sums[lane] += static_cast<double>(tap[lane]);
          }
        }
      }
      const Index count = counts.rows[static_cast<std::size_t>(oy)] * counts.columns[static_cast<std::size_t>(ox)];
      for (const double sum : sums) {
        *out++ = count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
      }
    }
  }
}

class AveragePool final : public Operator {
 public:
  AveragePool(WindowSpec spec, bool include_pad) : spec_(std::move(spec)), include_pad_(include_pad) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(Tensor y, average_pool(context.input(0), spec_, include_pad_));
    outputs.push_back(std::move(y));
    return {};
  }

  bool takes_blocks() const override { return true; }

  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const ChannelBlocks& x = context.blocks[0];
    ASSAY_ASSIGN(const Window window, resolve_window(spec_, x.shape, spec_.kernel));
    ASSAY_TRY(check_pool_window(window));
    ASSAY_ASSIGN(ChannelBlocks y, allocate_blocks(window.output_shape({x.shape[0], x.shape[1]}), x.block()));
    const Counts counts = count_taps(window, include_pad_);
    const float* in = x.data.data<float>().data();
    float* out = y.data.mutable_data<float>().data();
    const auto block = static_cast<std::size_t>(x.block());
    BlockVector<double> sums(block * static_cast<std::size_t>(context.threads));
    for_each_task(x.data.dim(0) * x.data.dim(1), context.threads, [&](Index plane, int slot) {
      pool_block(window, counts, in + plane * x.pixels() * x.block(),
                 std::span<double>(sums).subspan(static_cast<std::size_t>(slot) * block, block),
                 out + plane * y.pixels() * y.block());
    });
    return y;
  }

  KernelInfo kernel() const override { return plain_kernel("float32"); }

 private:
  WindowSpec spec_;
  bool include_pad_;
};

}  // namespace

OperatorResult prepare_average_pool(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  ASSAY_ASSIGN(const WindowSpec spec, read_pool_spec(context.node));
  const bool include_pad = context.node.int_attribute("count_include_pad", 0) != 0;
  return OperatorResult(std::make_unique<AveragePool>(spec, include_pad));
}

}  // namespace assay::runtime
