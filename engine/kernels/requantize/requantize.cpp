// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/requantize/requantize.h"

#include <algorithm>
#include <bit>

#include "engine/kernels/transpose/transpose_bytes.h"

namespace assay::kernels {
namespace {

constexpr Index kBlockColumns = 256;
constexpr Index kBlockRows = 16;  // rows of a block that is transposed on its way out

// float32 has no fraction at 1.5 * 2^23: adding it rounds an |x| below 2^22 half to even, and leaves the integer in the
// low bits. (Vectorises, unlike std::nearbyint.)
constexpr float kRounder = 12582912.0F;

// One run of columns of one row.
struct Run {
  const std::int32_t* acc;
  const std::int32_t* offset;
  const std::int32_t* b_zero_point;  // or null
  std::uint32_t row_sum;
  const float* scale;
  float low;  // clamp_min - y_zero_point
  float high;
  std::int32_t zero_point;
  Index count;
};

std::uint8_t quantized(std::uint32_t v, float scale, const Run& run) {
  const float product = static_cast<float>(static_cast<std::int32_t>(v)) * scale;
  const float raised = product > run.low ? product : run.low;  // NaN: low
  const float clamped = raised < run.high ? raised : run.high;
  // The low byte of kRounder's bits is 0, so the low byte of the sum is the result's.
  return static_cast<std::uint8_t>(std::bit_cast<std::int32_t>(clamped + kRounder) + run.zero_point);
}
static_assert((std::bit_cast<std::uint32_t>(kRounder) & 0xFFU) == 0);

void convert(const Run& run, std::uint8_t* __restrict y) {
  if (run.b_zero_point == nullptr) {
    for (Index j = 0; j < run.count; ++j) {
      const std::uint32_t v = static_cast<std::uint32_t>(run.acc[j]) + static_cast<std::uint32_t>(run.offset[j]);
      y[j] = quantized(v, run.scale[j], run);
    }
    return;
  }
  for (Index j = 0; j < run.count; ++j) {
    const std::uint32_t v = static_cast<std::uint32_t>(run.acc[j]) + static_cast<std::uint32_t>(run.offset[j]) -
                            static_cast<std::uint32_t>(run.b_zero_point[j]) * run.row_sum;
    y[j] = quantized(v, run.scale[j], run);
  }
}

Run make_run(const RequantizeArgs& args, Index i, Index j, Index count) {
  return {.acc = args.acc + i * args.acc_stride + j,
          .offset = args.column_offset + j,
          .b_zero_point = args.b_zero_point == nullptr ? nullptr : args.b_zero_point + j,
          .row_sum = args.row_sum == nullptr ? 0 : static_cast<std::uint32_t>(args.row_sum[i]),
          .scale = args.scale + j,
          .low = static_cast<float>(args.clamp_min - args.y_zero_point),
          .high = static_cast<float>(args.clamp_max - args.y_zero_point),
          .zero_point = args.y_zero_point,
          .count = count};
}

// A single column of neighbouring accumulators (one plane of a depthwise convolution) is converted as one long row.
bool is_plane(const RequantizeArgs& args) {
  return args.columns == 1 && args.acc_stride == 1 && args.y_row_stride_bytes == 1 && args.b_zero_point == nullptr;
}

void requantize_plane(const RequantizeArgs& args) {
  std::int32_t offset[kBlockColumns];
  float scale[kBlockColumns];
  std::fill_n(offset, kBlockColumns, args.column_offset[0]);
  std::fill_n(scale, kBlockColumns, args.scale[0]);
  auto* y = static_cast<std::uint8_t*>(args.y);
  Run run = make_run(args, 0, 0, 0);
  run.offset = offset;
  run.scale = scale;
  for (Index i = 0; i < args.rows; i += kBlockColumns) {
    run.acc = args.acc + i;
    run.count = std::min(kBlockColumns, args.rows - i);
    convert(run, y + i);
  }
}

// Rows whose elements are not neighbours in y go through a block of bytes.
void requantize_scattered(const RequantizeArgs& args) {
  std::uint8_t block[kBlockRows * kBlockColumns];
  auto* y = static_cast<std::uint8_t*>(args.y);
  for (Index i0 = 0; i0 < args.rows; i0 += kBlockRows) {
    const Index rows = std::min(kBlockRows, args.rows - i0);
    for (Index j0 = 0; j0 < args.columns; j0 += kBlockColumns) {
      const Index columns = std::min(kBlockColumns, args.columns - j0);
      for (Index i = 0; i < rows; ++i) {
        convert(make_run(args, i0 + i, j0, columns), block + i * kBlockColumns);
      }
      std::uint8_t* out = y + i0 * args.y_row_stride_bytes + j0 * args.y_column_stride_bytes;
      if (args.y_row_stride_bytes == 1) {
        transpose_bytes({.from = block,
                         .rows = rows,
                         .columns = columns,
                         .from_stride = kBlockColumns,
                         .to = out,
                         .to_stride = args.y_column_stride_bytes});
        continue;
      }
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
          out[i * args.y_row_stride_bytes + j * args.y_column_stride_bytes] = block[i * kBlockColumns + j];
        }
      }
    }
  }
}

}  // namespace

void requantize(const RequantizeArgs& args) {
  if (is_plane(args)) {
    requantize_plane(args);
  } else if (args.y_column_stride_bytes == 1) {
    auto* y = static_cast<std::uint8_t*>(args.y);
    for (Index i = 0; i < args.rows; ++i) {
      convert(make_run(args, i, 0, args.columns), y + i * args.y_row_stride_bytes);
    }
  } else {
    requantize_scattered(args);
  }
}

}  // namespace assay::kernels
