// SPDX-License-Identifier: Apache-2.0
// Rows of A in the form that a tile wants. Nothing but `count` elements of each row is read.
//
//   copied:      the bytes
//   flipped:     each byte xor 0x80: u8 - 128 as s8, s8 + 128 as u8; the packed B has starts that undo it
//   unsigned 16: u8 widened to int16
//   signed 16:   s8 widened to int16
#pragma once

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {

void form_copied(const GemmFormArgs& args);
#if ASSAY_HAVE_X86
void form_flipped_avx2(const GemmFormArgs& args);
void form_flipped_avx512(const GemmFormArgs& args);
void form_unsigned16_avx2(const GemmFormArgs& args);
void form_unsigned16_avx512(const GemmFormArgs& args);
void form_signed16_avx2(const GemmFormArgs& args);
void form_signed16_avx512(const GemmFormArgs& args);
#endif
#if ASSAY_HAVE_AARCH64
void form_flipped_neon(const GemmFormArgs& args);
void form_unsigned16_neon(const GemmFormArgs& args);
void form_signed16_neon(const GemmFormArgs& args);
#endif

}  // namespace assay::kernels
