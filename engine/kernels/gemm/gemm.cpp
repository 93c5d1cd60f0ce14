// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/gemm/gemm.h"

#include "engine/kernels/gemm/gemm_pack.h"

namespace assay::kernels {

// One per ISA file and arithmetic. `signed` and `unsigned` are the type of A, where B's was settled by the packing.
void gemm_signed_exact_scalar(const GemmArgs& args);
void gemm_unsigned_exact_scalar(const GemmArgs& args);
void gemm_u8s8_sat16_pairs_scalar(const GemmArgs& args);
#if ASSAY_HAVE_X86
void gemm_signed_exact_avx2(const GemmArgs& args);
void gemm_unsigned_exact_avx2(const GemmArgs& args);
void gemm_u8s8_sat16_pairs_avx2(const GemmArgs& args);
void gemm_signed_exact_avx512(const GemmArgs& args);
void gemm_unsigned_exact_avx512(const GemmArgs& args);
void gemm_u8s8_sat16_pairs_avx512(const GemmArgs& args);
void gemm_u8s8_exact_avx_vnni(const GemmArgs& args);
void gemm_s8u8_exact_avx_vnni(const GemmArgs& args);
void gemm_u8s8_exact_avx512_vnni(const GemmArgs& args);
void gemm_s8u8_exact_avx512_vnni(const GemmArgs& args);
#endif

namespace {

constexpr auto kS = ByteSign::kSigned;
constexpr auto kU = ByteSign::kUnsigned;
constexpr auto kExact = Arithmetic::kExact;
constexpr auto kSat = Arithmetic::kSat16Pairs;

// clang-format off
constexpr GemmKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"gemm_u8s8_exact_avx512_vnni", Isa::kAvx512Vnni, Operands::kU8S8, kExact, packed_bytes_quads<16>, pack_quads<16>, gemm_u8s8_exact_avx512_vnni},
    {"gemm_s8u8_exact_avx512_vnni", Isa::kAvx512Vnni, Operands::kS8U8, kExact, packed_bytes_quads<16>, pack_quads<16>, gemm_s8u8_exact_avx512_vnni},
    {"gemm_u8s8_exact_avx_vnni", Isa::kAvxVnni, Operands::kU8S8, kExact, packed_bytes_quads<8>, pack_quads<8>, gemm_u8s8_exact_avx_vnni},
    {"gemm_s8u8_exact_avx_vnni", Isa::kAvxVnni, Operands::kS8U8, kExact, packed_bytes_quads<8>, pack_quads<8>, gemm_s8u8_exact_avx_vnni},
    {"gemm_u8s8_sat16_pairs_avx512", Isa::kAvx512, Operands::kU8S8, kSat, packed_bytes_quads<16>, pack_quads<16>, gemm_u8s8_sat16_pairs_avx512},
    {"gemm_u8s8_exact_avx512", Isa::kAvx512, Operands::kU8S8, kExact, packed_bytes_pairs<16>, pack_pairs<16, kS>, gemm_unsigned_exact_avx512},
    {"gemm_u8u8_exact_avx512", Isa::kAvx512, Operands::kU8U8, kExact, packed_bytes_pairs<16>, pack_pairs<16, kU>, gemm_unsigned_exact_avx512},
    {"gemm_s8s8_exact_avx512", Isa::kAvx512, Operands::kS8S8, kExact, packed_bytes_pairs<16>, pack_pairs<16, kS>, gemm_signed_exact_avx512},
    {"gemm_s8u8_exact_avx512", Isa::kAvx512, Operands::kS8U8, kExact, packed_bytes_pairs<16>, pack_pairs<16, kU>, gemm_signed_exact_avx512},
    {"gemm_u8s8_sat16_pairs_avx2", Isa::kAvx2, Operands::kU8S8, kSat, packed_bytes_quads<8>, pack_quads<8>, gemm_u8s8_sat16_pairs_avx2},
    {"gemm_u8s8_exact_avx2", Isa::kAvx2, Operands::kU8S8, kExact, packed_bytes_pairs<8>, pack_pairs<8, kS>, gemm_unsigned_exact_avx2},
    {"gemm_u8u8_exact_avx2", Isa::kAvx2, Operands::kU8U8, kExact, packed_bytes_pairs<8>, pack_pairs<8, kU>, gemm_unsigned_exact_avx2},
    {"gemm_s8s8_exact_avx2", Isa::kAvx2, Operands::kS8S8, kExact, packed_bytes_pairs<8>, pack_pairs<8, kS>, gemm_signed_exact_avx2},
    {"gemm_s8u8_exact_avx2", Isa::kAvx2, Operands::kS8U8, kExact, packed_bytes_pairs<8>, pack_pairs<8, kU>, gemm_signed_exact_avx2},
#endif
    {"gemm_u8s8_sat16_pairs_scalar", Isa::kScalar, Operands::kU8S8, kSat, packed_bytes_split, pack_split, gemm_u8s8_sat16_pairs_scalar},
    {"gemm_u8s8_exact_scalar", Isa::kScalar, Operands::kU8S8, kExact, packed_bytes_columns, pack_columns<kS>, gemm_unsigned_exact_scalar},
    {"gemm_u8u8_exact_scalar", Isa::kScalar, Operands::kU8U8, kExact, packed_bytes_columns, pack_columns<kU>, gemm_unsigned_exact_scalar},
    {"gemm_s8s8_exact_scalar", Isa::kScalar, Operands::kS8S8, kExact, packed_bytes_columns, pack_columns<kS>, gemm_signed_exact_scalar},
    {"gemm_s8u8_exact_scalar", Isa::kScalar, Operands::kS8U8, kExact, packed_bytes_columns, pack_columns<kU>, gemm_signed_exact_scalar},
};
// clang-format on

}  // namespace

std::span<const GemmKernel> gemm_kernels() { return kKernels; }

GemmChoice choose_gemm(const Profile& profile, Operands operands, const CpuFeatures& features) {
  const Arithmetic arithmetic = operands == Operands::kU8S8 ? u8s8_arithmetic(profile) : Arithmetic::kExact;
  GemmChoice choice;
  choice.native = can_run(features, profile.isa);
  const CpuFeatures usable = choice.native ? capped(features, profile.isa) : features;
  for (const GemmKernel& kernel : kKernels) {
    if (kernel.operands == operands && kernel.arithmetic == arithmetic && can_run(usable, kernel.isa)) {
      choice.kernel = &kernel;
      break;
    }
  }
  return choice;
}

}  // namespace assay::kernels
