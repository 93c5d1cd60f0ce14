// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/requantize/requantize.h"

#include <algorithm>

#include "engine/kernels/choose_kernel.h"
#include "engine/kernels/transpose/transpose_bytes.h"

namespace assay::kernels {

void requantize_scalar(const RequantizeArgs& args);
#if ASSAY_HAVE_X86
void requantize_avx2(const RequantizeArgs& args);
void requantize_avx512(const RequantizeArgs& args);
#endif
#if ASSAY_HAVE_AARCH64
void requantize_neon(const RequantizeArgs& args);
#endif

namespace {

constexpr RequantizeKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"requantize_avx512", Isa::kAvx512, requantize_avx512},
    {"requantize_avx2", Isa::kAvx2, requantize_avx2},
#endif
#if ASSAY_HAVE_AARCH64
    {"requantize_neon", Isa::kNeon, requantize_neon},
#endif
    {"requantize_scalar", Isa::kScalar, requantize_scalar},
};

constexpr Index kBlockColumns = 256;
constexpr Index kBlockRows = 64;  // rows of a block that is transposed on its way out: a cache line of y

// The part of `args` with rows [i, i + rows) and columns [j, j + columns), its y yet to be set.
RequantizeArgs part(const RequantizeArgs& args, Index i, Index rows, Index j, Index columns) {
  RequantizeArgs out = args;
  out.rows = rows;
  out.columns = columns;
  out.acc = args.acc + i * args.acc_stride + j;
  out.column_offset = args.column_offset + j;
  out.row_sum = args.row_sum == nullptr ? nullptr : args.row_sum + i;
  out.b_zero_point = args.b_zero_point == nullptr ? nullptr : args.b_zero_point + j;
  out.scale = args.scale + j;
  return out;
}

// A single column of neighbouring accumulators is converted as one long row.
bool is_plane(const RequantizeArgs& args) {
  return args.columns == 1 && args.acc_stride == 1 && args.y_row_stride_bytes == 1 && args.b_zero_point == nullptr;
}

void requantize_plane(const RequantizeKernel& kernel, const RequantizeArgs& args) {
  std::int32_t offset[kBlockColumns];
  float scale[kBlockColumns];
  std::fill_n(offset, kBlockColumns, args.column_offset[0]);
  std::fill_n(scale, kBlockColumns, args.scale[0]);
  RequantizeArgs run = args;
  run.rows = 1;
  run.column_offset = offset;
  run.scale = scale;
  run.y_column_stride_bytes = 1;
  for (Index i = 0; i < args.rows; i += kBlockColumns) {
    run.acc = args.acc + i;
    run.y = static_cast<std::uint8_t*>(args.y) + i;
    run.columns = std::min(kBlockColumns, args.rows - i);
    kernel.rows(run);
  }
}

// The transposition that goes with the profile of the kernel.
const TransposeKernel& transposition(const RequantizeKernel& kernel) {
  return *std::ranges::find_if(transpose_kernels(), [&](const TransposeKernel& row) { return row.isa <= kernel.isa; });
}

// Rows whose elements are not neighbours in y go through a block of bytes.
void requantize_scattered(const RequantizeKernel& kernel, const RequantizeArgs& args) {
  alignas(64) std::uint8_t block[kBlockRows * kBlockColumns];
  const TransposeKernel& transpose = transposition(kernel);
  const Index block_columns = std::min(args.columns, kBlockColumns);
  for (Index i0 = 0; i0 < args.rows; i0 += kBlockRows) {
    const Index rows = std::min(kBlockRows, args.rows - i0);
    for (Index j0 = 0; j0 < args.columns; j0 += block_columns) {
      const Index columns = std::min(block_columns, args.columns - j0);
      RequantizeArgs run = part(args, i0, rows, j0, columns);
      run.y = block;
      run.y_row_stride_bytes = columns;
      run.y_column_stride_bytes = 1;
      kernel.rows(run);
      std::uint8_t* out =
          static_cast<std::uint8_t*>(args.y) + i0 * args.y_row_stride_bytes + j0 * args.y_column_stride_bytes;
      if (args.y_row_stride_bytes == 1) {
        transpose.run({.from = block,
                       .rows = rows,
                       .columns = columns,
                       .from_stride = columns,
                       .to = out,
                       .to_stride = args.y_column_stride_bytes});
        continue;
      }
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
          out[i * args.y_row_stride_bytes + j * args.y_column_stride_bytes] = block[i * columns + j];
        }
      }
    }
  }
}

}  // namespace

std::span<const RequantizeKernel> requantize_kernels() { return kKernels; }

const RequantizeKernel& choose_requantize(const Profile& profile, const CpuFeatures& features) {
  return *choose_kernel(requantize_kernels(), profile, features).kernel;
}

void requantize(const RequantizeKernel& kernel, const RequantizeArgs& args) {
  if (is_plane(args)) {
    requantize_plane(kernel, args);
  } else if (args.y_column_stride_bytes == 1) {
    kernel.rows(args);
  } else {
    requantize_scattered(kernel, args);
  }
}

}  // namespace assay::kernels
