// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/gemm/gemm.h"

#include <type_traits>

#include "engine/kernels/gemm/gemm_blocked.h"
#include "engine/kernels/gemm/gemm_form.h"
#include "engine/kernels/gemm/gemm_pack.h"

namespace assay::kernels {

void gemm_signed_exact_scalar(const GemmArgs& args);
void gemm_unsigned_exact_scalar(const GemmArgs& args);
void gemm_u8s8_sat16_pairs_scalar(const GemmArgs& args);
#if ASSAY_HAVE_X86
void gemm_u8s8_exact_amx_int8(const GemmArgs& args);
void gemm_u8u8_exact_amx_int8(const GemmArgs& args);
void gemm_s8s8_exact_amx_int8(const GemmArgs& args);
void gemm_s8u8_exact_amx_int8(const GemmArgs& args);
void gemm_tile_signed_b_avx2(const GemmTile& tile);
void gemm_tile_unsigned_b_avx2(const GemmTile& tile);
void gemm_tile_sat16_pairs_avx2(const GemmTile& tile);
void gemm_tile_signed_b_avx512(const GemmTile& tile);
void gemm_tile_unsigned_b_avx512(const GemmTile& tile);
void gemm_tile_sat16_pairs_avx512(const GemmTile& tile);
void gemm_tile_unsigned_a_avx_vnni(const GemmTile& tile);
void gemm_tile_unsigned_b_avx_vnni(const GemmTile& tile);
void gemm_tile_unsigned_a_avx512_vnni(const GemmTile& tile);
void gemm_tile_unsigned_b_avx512_vnni(const GemmTile& tile);
#endif
#if ASSAY_HAVE_AARCH64
void gemm_tile_signed_neon_i8mm(const GemmTile& tile);
void gemm_tile_unsigned_neon_i8mm(const GemmTile& tile);
void gemm_tile_unsigned_a_neon_i8mm(const GemmTile& tile);
void gemm_tile_unsigned_b_neon_i8mm(const GemmTile& tile);
void gemm_tile_signed_neon_dot(const GemmTile& tile);
void gemm_tile_unsigned_neon_dot(const GemmTile& tile);
void gemm_tile_signed_b_neon(const GemmTile& tile);
void gemm_tile_unsigned_b_neon(const GemmTile& tile);
void gemm_tile_sat16_pairs_neon(const GemmTile& tile);
#endif

namespace {

using Form = void (*)(const GemmFormArgs&);

// Compared as types: with sanitizers, GCC 12 takes the addresses of two functions for no constants.
template <Form kForm>
using FormType = std::integral_constant<Form, kForm>;
template <Form kForm, Form... kOthers>
constexpr bool kIsOneOf = (std::is_same_v<FormType<kForm>, FormType<kOthers>> || ...);

#if ASSAY_HAVE_X86
// A slab's stretch of B is at most 16 KiB, 32 KiB for 512-bit pairs and 64 KiB for 512-bit vpdpbusd, whose time per
// byte of C would suffer more from a second pass over C than from reading B from the second-level cache.
enum class Level { kAvx2Sat, kAvx2Int16, kAvx512Sat, kAvx512Int16, kAvxVnni, kAvx512Vnni };

constexpr GemmTiling tiling_of(Level level) {
  switch (level) {
    case Level::kAvx2Sat:
      return {.columns = 8, .panels = 2, .rows = {0, 6, 4}, .k_block = 1280};
    case Level::kAvx2Int16:
      return {.element = 2, .columns = 8, .panels = 2, .rows = {0, 6, 6}, .k_block = 1024};
    case Level::kAvx512Sat:
      return {.columns = 16, .panels = 4, .rows = {0, 12, 12, 8, 6}, .k_block = 512};
    case Level::kAvx512Int16:
      return {.element = 2, .columns = 16, .panels = 2, .rows = {0, 12, 12}, .k_block = 512};
    case Level::kAvxVnni:
      return {.columns = 8, .panels = 2, .rows = {0, 12, 6}, .k_block = 1024};
    case Level::kAvx512Vnni:
      return {.columns = 16, .panels = 4, .rows = {0, 12, 12, 8, 6}, .k_block = 1024};
  }
  return {};
}

template <Level kLevel, void (*kTile)(const GemmTile&), Form kForm = nullptr>
void run_tiled(const GemmArgs& args) {
  static constexpr GemmTiling kTiling = [] {
    GemmTiling tiling = tiling_of(kLevel);
    tiling.tile = kTile;
    tiling.form = kForm;
    tiling.has_starts = kIsOneOf<kForm, form_flipped_avx2, form_flipped_avx512>;
    return tiling;
  }();
  run_blocked(kTiling, args);
}

constexpr auto kRunU8s8Avx512Vnni = run_tiled<Level::kAvx512Vnni, gemm_tile_unsigned_a_avx512_vnni>;
constexpr auto kRunS8u8Avx512Vnni = run_tiled<Level::kAvx512Vnni, gemm_tile_unsigned_b_avx512_vnni>;
constexpr auto kRunS8s8Avx512Vnni =
    run_tiled<Level::kAvx512Vnni, gemm_tile_unsigned_a_avx512_vnni, form_flipped_avx512>;
constexpr auto kRunU8u8Avx512Vnni =
    run_tiled<Level::kAvx512Vnni, gemm_tile_unsigned_b_avx512_vnni, form_flipped_avx512>;
constexpr auto kRunU8s8AvxVnni = run_tiled<Level::kAvxVnni, gemm_tile_unsigned_a_avx_vnni>;
constexpr auto kRunS8u8AvxVnni = run_tiled<Level::kAvxVnni, gemm_tile_unsigned_b_avx_vnni>;
constexpr auto kRunS8s8AvxVnni = run_tiled<Level::kAvxVnni, gemm_tile_unsigned_a_avx_vnni, form_flipped_avx2>;
constexpr auto kRunU8u8AvxVnni = run_tiled<Level::kAvxVnni, gemm_tile_unsigned_b_avx_vnni, form_flipped_avx2>;
constexpr auto kRunPairsAvx512 = run_tiled<Level::kAvx512Sat, gemm_tile_sat16_pairs_avx512>;
constexpr auto kRunU8s8Avx512 = run_tiled<Level::kAvx512Int16, gemm_tile_signed_b_avx512, form_unsigned16_avx512>;
constexpr auto kRunU8u8Avx512 = run_tiled<Level::kAvx512Int16, gemm_tile_unsigned_b_avx512, form_unsigned16_avx512>;
constexpr auto kRunS8s8Avx512 = run_tiled<Level::kAvx512Int16, gemm_tile_signed_b_avx512, form_signed16_avx512>;
constexpr auto kRunS8u8Avx512 = run_tiled<Level::kAvx512Int16, gemm_tile_unsigned_b_avx512, form_signed16_avx512>;
constexpr auto kRunPairsAvx2 = run_tiled<Level::kAvx2Sat, gemm_tile_sat16_pairs_avx2>;
constexpr auto kRunU8s8Avx2 = run_tiled<Level::kAvx2Int16, gemm_tile_signed_b_avx2, form_unsigned16_avx2>;
constexpr auto kRunU8u8Avx2 = run_tiled<Level::kAvx2Int16, gemm_tile_unsigned_b_avx2, form_unsigned16_avx2>;
constexpr auto kRunS8s8Avx2 = run_tiled<Level::kAvx2Int16, gemm_tile_signed_b_avx2, form_signed16_avx2>;
constexpr auto kRunS8u8Avx2 = run_tiled<Level::kAvx2Int16, gemm_tile_unsigned_b_avx2, form_signed16_avx2>;
#endif

#if ASSAY_HAVE_AARCH64
// Tiles of 16 registers of sums leave room for both operands; a slab's stretch of B is 16 KiB.
template <void (*kTile)(const GemmTile&), Index kGroup = 4, Form kForm = nullptr>
void run_tiled_neon(const GemmArgs& args) {
  static constexpr GemmTiling kTiling = {.tile = kTile,
                                         .form = kForm,
                                         .element = kIsOneOf<kForm, form_unsigned16_neon, form_signed16_neon> ? 2 : 1,
                                         .group = kGroup,
                                         .has_starts = kIsOneOf<kForm, form_flipped_neon>,
                                         .columns = 8,
                                         .panels = 2,
                                         .rows = {0, 8, 4},
                                         .k_block = 1024};
  run_blocked(kTiling, args);
}

constexpr auto kRunU8s8I8mm = run_tiled_neon<gemm_tile_unsigned_a_neon_i8mm, 8>;
constexpr auto kRunU8u8I8mm = run_tiled_neon<gemm_tile_unsigned_neon_i8mm, 8>;
constexpr auto kRunS8s8I8mm = run_tiled_neon<gemm_tile_signed_neon_i8mm, 8>;
constexpr auto kRunS8u8I8mm = run_tiled_neon<gemm_tile_unsigned_b_neon_i8mm, 8>;
constexpr auto kRunU8s8Dot = run_tiled_neon<gemm_tile_signed_neon_dot, 4, form_flipped_neon>;
constexpr auto kRunU8u8Dot = run_tiled_neon<gemm_tile_unsigned_neon_dot, 4>;
constexpr auto kRunS8s8Dot = run_tiled_neon<gemm_tile_signed_neon_dot, 4>;
constexpr auto kRunS8u8Dot = run_tiled_neon<gemm_tile_unsigned_neon_dot, 4, form_flipped_neon>;
constexpr auto kRunPairsNeon = run_tiled_neon<gemm_tile_sat16_pairs_neon, 2>;
constexpr auto kRunU8s8Neon = run_tiled_neon<gemm_tile_signed_b_neon, 4, form_unsigned16_neon>;
constexpr auto kRunU8u8Neon = run_tiled_neon<gemm_tile_unsigned_b_neon, 4, form_unsigned16_neon>;
constexpr auto kRunS8s8Neon = run_tiled_neon<gemm_tile_signed_b_neon, 4, form_signed16_neon>;
constexpr auto kRunS8u8Neon = run_tiled_neon<gemm_tile_unsigned_b_neon, 4, form_signed16_neon>;
#endif

constexpr auto kS = ByteSign::kSigned;
constexpr auto kU = ByteSign::kUnsigned;
constexpr auto kExact = Arithmetic::kExact;
constexpr auto kSat = Arithmetic::kSat16Pairs;

// clang-format off
constexpr GemmKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"gemm_u8s8_exact_amx_int8", Isa::kAmxInt8, Operands::kU8S8, kExact, false, packed_bytes_deep_quads, pack_deep_quads, gemm_u8s8_exact_amx_int8},
    {"gemm_u8u8_exact_amx_int8", Isa::kAmxInt8, Operands::kU8U8, kExact, false, packed_bytes_deep_quads, pack_deep_quads, gemm_u8u8_exact_amx_int8},
    {"gemm_s8s8_exact_amx_int8", Isa::kAmxInt8, Operands::kS8S8, kExact, false, packed_bytes_deep_quads, pack_deep_quads, gemm_s8s8_exact_amx_int8},
    {"gemm_s8u8_exact_amx_int8", Isa::kAmxInt8, Operands::kS8U8, kExact, false, packed_bytes_deep_quads, pack_deep_quads, gemm_s8u8_exact_amx_int8},
    {"gemm_u8s8_exact_avx512_vnni", Isa::kAvx512Vnni, Operands::kU8S8, kExact, true, packed_bytes_quads<16>, pack_quads<16>, kRunU8s8Avx512Vnni},
    {"gemm_s8u8_exact_avx512_vnni", Isa::kAvx512Vnni, Operands::kS8U8, kExact, true, packed_bytes_quads<16>, pack_quads<16>, kRunS8u8Avx512Vnni},
    {"gemm_s8s8_exact_avx512_vnni", Isa::kAvx512Vnni, Operands::kS8S8, kExact, true, packed_bytes_quads_with_starts<16>, pack_quads_with_starts<16, kS, kS>, kRunS8s8Avx512Vnni},
    {"gemm_u8u8_exact_avx512_vnni", Isa::kAvx512Vnni, Operands::kU8U8, kExact, true, packed_bytes_quads_with_starts<16>, pack_quads_with_starts<16, kU, kU>, kRunU8u8Avx512Vnni},
    {"gemm_u8s8_exact_avx_vnni", Isa::kAvxVnni, Operands::kU8S8, kExact, true, packed_bytes_quads<8>, pack_quads<8>, kRunU8s8AvxVnni},
    {"gemm_s8u8_exact_avx_vnni", Isa::kAvxVnni, Operands::kS8U8, kExact, true, packed_bytes_quads<8>, pack_quads<8>, kRunS8u8AvxVnni},
    {"gemm_s8s8_exact_avx_vnni", Isa::kAvxVnni, Operands::kS8S8, kExact, true, packed_bytes_quads_with_starts<8>, pack_quads_with_starts<8, kS, kS>, kRunS8s8AvxVnni},
    {"gemm_u8u8_exact_avx_vnni", Isa::kAvxVnni, Operands::kU8U8, kExact, true, packed_bytes_quads_with_starts<8>, pack_quads_with_starts<8, kU, kU>, kRunU8u8AvxVnni},
    {"gemm_u8s8_sat16_pairs_avx512", Isa::kAvx512, Operands::kU8S8, kSat, true, packed_bytes_quads<16>, pack_quads<16>, kRunPairsAvx512},
    {"gemm_u8s8_exact_avx512", Isa::kAvx512, Operands::kU8S8, kExact, true, packed_bytes_pairs<16>, pack_pairs<16>, kRunU8s8Avx512},
    {"gemm_u8u8_exact_avx512", Isa::kAvx512, Operands::kU8U8, kExact, true, packed_bytes_pairs<16>, pack_pairs<16>, kRunU8u8Avx512},
    {"gemm_s8s8_exact_avx512", Isa::kAvx512, Operands::kS8S8, kExact, true, packed_bytes_pairs<16>, pack_pairs<16>, kRunS8s8Avx512},
    {"gemm_s8u8_exact_avx512", Isa::kAvx512, Operands::kS8U8, kExact, true, packed_bytes_pairs<16>, pack_pairs<16>, kRunS8u8Avx512},
    {"gemm_u8s8_sat16_pairs_avx2", Isa::kAvx2, Operands::kU8S8, kSat, true, packed_bytes_quads<8>, pack_quads<8>, kRunPairsAvx2},
    {"gemm_u8s8_exact_avx2", Isa::kAvx2, Operands::kU8S8, kExact, true, packed_bytes_pairs<8>, pack_pairs<8>, kRunU8s8Avx2},
    {"gemm_u8u8_exact_avx2", Isa::kAvx2, Operands::kU8U8, kExact, true, packed_bytes_pairs<8>, pack_pairs<8>, kRunU8u8Avx2},
    {"gemm_s8s8_exact_avx2", Isa::kAvx2, Operands::kS8S8, kExact, true, packed_bytes_pairs<8>, pack_pairs<8>, kRunS8s8Avx2},
    {"gemm_s8u8_exact_avx2", Isa::kAvx2, Operands::kS8U8, kExact, true, packed_bytes_pairs<8>, pack_pairs<8>, kRunS8u8Avx2},
#endif
#if ASSAY_HAVE_AARCH64
    {"gemm_u8s8_exact_neon_i8mm", Isa::kNeonI8mm, Operands::kU8S8, kExact, false, packed_bytes_octets<8>, pack_octets<8>, kRunU8s8I8mm},
    {"gemm_u8u8_exact_neon_i8mm", Isa::kNeonI8mm, Operands::kU8U8, kExact, false, packed_bytes_octets<8>, pack_octets<8>, kRunU8u8I8mm},
    {"gemm_s8s8_exact_neon_i8mm", Isa::kNeonI8mm, Operands::kS8S8, kExact, false, packed_bytes_octets<8>, pack_octets<8>, kRunS8s8I8mm},
    {"gemm_s8u8_exact_neon_i8mm", Isa::kNeonI8mm, Operands::kS8U8, kExact, false, packed_bytes_octets<8>, pack_octets<8>, kRunS8u8I8mm},
    {"gemm_u8s8_exact_neon_dot", Isa::kNeonDot, Operands::kU8S8, kExact, false, packed_bytes_quads_with_starts<8>, pack_quads_with_starts<8, kU, kS>, kRunU8s8Dot},
    {"gemm_u8u8_exact_neon_dot", Isa::kNeonDot, Operands::kU8U8, kExact, false, packed_bytes_quads<8>, pack_quads<8>, kRunU8u8Dot},
    {"gemm_s8s8_exact_neon_dot", Isa::kNeonDot, Operands::kS8S8, kExact, false, packed_bytes_quads<8>, pack_quads<8>, kRunS8s8Dot},
    {"gemm_s8u8_exact_neon_dot", Isa::kNeonDot, Operands::kS8U8, kExact, false, packed_bytes_quads_with_starts<8>, pack_quads_with_starts<8, kS, kU>, kRunS8u8Dot},
    {"gemm_u8s8_sat16_pairs_neon", Isa::kNeon, Operands::kU8S8, kSat, false, packed_bytes_pairs<8>, pack_pairs<8>, kRunPairsNeon},
    {"gemm_u8s8_exact_neon", Isa::kNeon, Operands::kU8S8, kExact, false, packed_bytes_pairs<8>, pack_pairs<8>, kRunU8s8Neon},
    {"gemm_u8u8_exact_neon", Isa::kNeon, Operands::kU8U8, kExact, false, packed_bytes_pairs<8>, pack_pairs<8>, kRunU8u8Neon},
    {"gemm_s8s8_exact_neon", Isa::kNeon, Operands::kS8S8, kExact, false, packed_bytes_pairs<8>, pack_pairs<8>, kRunS8s8Neon},
    {"gemm_s8u8_exact_neon", Isa::kNeon, Operands::kS8U8, kExact, false, packed_bytes_pairs<8>, pack_pairs<8>, kRunS8u8Neon},
#endif
    {"gemm_u8s8_sat16_pairs_scalar", Isa::kScalar, Operands::kU8S8, kSat, false, packed_bytes_split, pack_split, gemm_u8s8_sat16_pairs_scalar},
    {"gemm_u8s8_exact_scalar", Isa::kScalar, Operands::kU8S8, kExact, false, packed_bytes_columns, pack_columns<kS>, gemm_unsigned_exact_scalar},
    {"gemm_u8u8_exact_scalar", Isa::kScalar, Operands::kU8U8, kExact, false, packed_bytes_columns, pack_columns<kU>, gemm_unsigned_exact_scalar},
    {"gemm_s8s8_exact_scalar", Isa::kScalar, Operands::kS8S8, kExact, false, packed_bytes_columns, pack_columns<kS>, gemm_signed_exact_scalar},
    {"gemm_s8u8_exact_scalar", Isa::kScalar, Operands::kS8U8, kExact, false, packed_bytes_columns, pack_columns<kU>, gemm_signed_exact_scalar},
};
// clang-format on

}  // namespace

std::span<const GemmKernel> gemm_kernels() { return kKernels; }

GemmChoice choose_gemm(const Profile& profile, Operands operands, const CpuFeatures& features) {
  const Arithmetic arithmetic = operands == Operands::kU8S8 ? u8s8_arithmetic(profile) : Arithmetic::kExact;
  return choose_kernel(gemm_kernels(), profile, features, [&](const GemmKernel& kernel) {
    return kernel.operands == operands && kernel.arithmetic == arithmetic;
  });
}

}  // namespace assay::kernels
