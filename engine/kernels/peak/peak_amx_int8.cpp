// SPDX-License-Identifier: Apache-2.0
// AMX-INT8: tdpbusd on tiles of 16 rows. One step takes 64 products to each int32 of 6 tiles of sums.
#include <immintrin.h>

#include "engine/kernels/peak/peak_args.h"

namespace assay::kernels {
namespace {

constexpr int kTileBytes = 1024;
constexpr int kTiles = 8;
constexpr int kRows = 16;
constexpr int kRowBytes = 64;

struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

// The compiler's intrinsics do not say that they read and write memory.
__attribute__((always_inline)) inline void settle(void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

// Tiles 0 to 5 are sums, 6 is a and 7 is b.
void configure() {
  TileConfig config;
  for (int i = 0; i < kTiles; ++i) {
    config.row_bytes[i] = kRowBytes;
    config.rows[i] = kRows;
  }
  settle(&config);
  _tile_loadconfig(&config);
}

}  // namespace

void peak_tdpbusd_tile(const PeakArgs& args) {
  alignas(64) std::uint8_t a[kTileBytes];
  alignas(64) std::int8_t b[kTileBytes];
  for (int i = 0; i < kTileBytes; ++i) {
    a[i] = args.a;
    b[i] = args.b;
  }
  settle(a);
  settle(b);
  configure();
  _tile_loadd(6, a, kRowBytes);
  _tile_loadd(7, b, kRowBytes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  for (std::int64_t step = 0; step < args.steps; ++step) {
    _tile_dpbusd(0, 6, 7);
    _tile_dpbusd(1, 6, 7);
    _tile_dpbusd(2, 6, 7);
    _tile_dpbusd(3, 6, 7);
    _tile_dpbusd(4, 6, 7);
    _tile_dpbusd(5, 6, 7);
  }
  alignas(64) std::int32_t sums[6][kTileBytes / 4];
  _tile_stored(0, sums[0], kRowBytes);
  _tile_stored(1, sums[1], kRowBytes);
  _tile_stored(2, sums[2], kRowBytes);
  _tile_stored(3, sums[3], kRowBytes);
  _tile_stored(4, sums[4], kRowBytes);
  _tile_stored(5, sums[5], kRowBytes);
  settle(sums);
  _tile_release();
  std::uint32_t sum = 0;
  for (const auto& tile : sums) {
    sum += static_cast<std::uint32_t>(tile[0]);
  }
  *args.sum = static_cast<std::int32_t>(sum);
}

}  // namespace assay::kernels
