#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check/isa_symbols.py finds what it is there to find, in objects of the compiler given: isa_symbols_test.py COMPILER."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check" / "isa_symbols.py"
COMPILER = sys.argv.pop()
WEAK = "template <typename T> __attribute__((noinline)) T f(T x) { return x * 3; }\nint g(int x) { return f(x); }\n"
PLAIN = "int g(int x) { return x * 3; }\n"
FLOAT = "float g(float a, float b, float c) { return a * b + c; }\n"
AVX = "#include <immintrin.h>\nvoid g(int* p) { _mm256_storeu_si256((__m256i*)p, _mm256_set1_epi32(p[0])); }\n"
XMM = "#include <immintrin.h>\nvoid g(int* p) { _mm_storeu_si128((__m128i*)p, _mm_set1_epi32(p[0])); }\n"
ZMM = "#include <immintrin.h>\nvoid g(int* p) { _mm512_storeu_si512(p, _mm512_set1_epi32(p[0])); }\n"
TERNARY = """#include <immintrin.h>
void g(__m256i* p) { p[0] = _mm256_ternarylogic_epi32(p[0], p[1], p[2], 0x1b); }
"""
VNNI = "#include <immintrin.h>\nvoid g(__m256i* p) { p[0] = _mm256_dpbusd_epi32(p[0], p[1], p[2]); }\n"
VEX_VNNI = "#include <immintrin.h>\nvoid g(__m256i* p) { p[0] = _mm256_dpbusd_avx_epi32(p[0], p[1], p[2]); }\n"
PERMUTED = "#include <immintrin.h>\nvoid g(__m512i* p) { p[0] = _mm512_permutexvar_epi8(p[1], p[2]); }\n"
SHUFFLED = "#include <immintrin.h>\nvoid g(__m128i* p) { p[0] = _mm_shuffle_epi8(p[1], p[2]); }\n"
TILE = "#include <immintrin.h>\nvoid g() { _tile_release(); }\n"
SHIFTED = "unsigned long g(unsigned long a, unsigned long b) { return a >> (b & 63); }\n"
AVX512 = ["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"]
DOT = "#include <arm_neon.h>\nint32x4_t g(int32x4_t c, int8x16_t a, int8x16_t b) { return vdotq_s32(c, a, b); }\n"
I8MM = "#include <arm_neon.h>\nint32x4_t g(int32x4_t c, int8x16_t a, int8x16_t b) { return vmmlaq_s32(c, a, b); }\n"
SVE = "#include <arm_sve.h>\nsvint32_t g(svint32_t a) { return svadd_z(svptrue_b32(), a, a); }\n"

# File, its text, flags, and what is said of it; nothing for "".
CASES = {
    "x86_64": [
        ("a_avx2", AVX, ["-mavx2"], ""),
        ("a_scalar", PLAIN, [], ""),
        ("a_avx2", WEAK, ["-mavx2"], "weak symbol int f<int>"),
        ("a_amx_int8", WEAK, [], "weak symbol int f<int>"),
        ("a_avx512", ZMM, AVX512, ""),
        ("a_avx512", TERNARY, AVX512, ""),
        ("a_avx_vnni", VEX_VNNI, ["-mavx2", "-mavxvnni"], ""),
        ("a_avx512_vnni", VNNI, [*AVX512, "-mavx512vnni"], ""),
        ("a_amx_int8", TILE, ["-mamx-tile"], ""),
        ("a_scalar", XMM, [], ""),
        ("binary_avx2", FLOAT, ["-mavx2", "-mfma"], ""),
        ("a_scalar", AVX, ["-mavx2"], "uses instructions of VEX or EVEX encoding (v"),
        ("a_scalar", XMM, ["-mavx2"], "uses instructions of VEX or EVEX encoding"),
        ("a_scalar", XMM, AVX512, "uses instructions of VEX or EVEX encoding"),
        ("a_amx_int8", AVX, ["-mavx2"], "uses instructions of VEX or EVEX encoding"),
        ("a_avx2", ZMM, AVX512, "uses instructions of EVEX encoding"),
        ("a_avx_vnni", ZMM, AVX512, "uses instructions of EVEX encoding"),
        ("a_avx2", TERNARY, AVX512, "uses instructions of EVEX encoding (vpternlogd)"),
        ("a_avx_vnni", VNNI, [*AVX512, "-mavx512vnni"], "uses instructions of EVEX encoding (vpdpbusd)"),
        ("a_avx2", VEX_VNNI, ["-mavx2", "-mavxvnni"], "uses dot products (vpdpbusd)"),
        ("a_avx512", VNNI, [*AVX512, "-mavx512vnni"], "uses dot products (vpdpbusd)"),
        ("a_avx512_vnni", VEX_VNNI, ["-mavx2", "-mavxvnni"], "uses VEX-encoded dot products (vpdpbusd)"),
        ("a_avx512", PERMUTED, [*AVX512, "-mavx512vbmi"], "uses AVX-512 beyond F, BW, DQ and VL (vpermb)"),
        ("a_scalar", SHUFFLED, ["-mssse3"], "uses SSSE3 or SSE4 (pshufb)"),
        ("a_avx2", TILE, ["-mamx-tile"], "uses tile instructions (tilerelease)"),
        ("a_avx2", SHIFTED, ["-mavx2", "-mbmi2"], "uses bit manipulation (shrx)"),
        ("a_avx2", FLOAT, ["-mavx2", "-mfma", "-ffp-contract=fast"], "uses fused multiply-add"),
    ],
    "aarch64": [
        ("a_neon_dot", DOT, ["-march=armv8.2-a+dotprod"], ""),
        ("a_neon_i8mm", I8MM, ["-march=armv8.2-a+i8mm"], ""),
        ("a_scalar", FLOAT, ["-ffp-contract=off"], ""),
        ("binary_scalar", FLOAT, ["-ffp-contract=fast"], ""),
        ("a_neon", WEAK, [], "weak symbol int f<int>"),
        ("a_neon", DOT, ["-march=armv8.2-a+dotprod"], "uses dot products (sdot)"),
        ("a_scalar", DOT, ["-march=armv8.2-a+dotprod"], "uses dot products (sdot)"),
        ("a_neon_dot", I8MM, ["-march=armv8.2-a+i8mm"], "uses 8-bit matrix products (smmla)"),
        ("a_neon_i8mm", SVE, ["-march=armv8.2-a+sve"], "uses SVE registers"),
        ("a_scalar", FLOAT, ["-ffp-contract=fast"], "uses fused multiply-add"),
        ("a_neon", FLOAT, ["-ffp-contract=fast"], "uses fused multiply-add"),
    ],
}


class IsaSymbolsTest(unittest.TestCase):
    def findings(self, name, text, flags):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "engine" / "kernels" / f"{name}.cpp"
            source.parent.mkdir(parents=True)
            source.write_text(text)
            subprocess.run([COMPILER, "-O2", *flags, "-c", str(source), "-o", f"{source}.o"], check=True)
            done = subprocess.run([sys.executable, str(CHECK), folder], capture_output=True, text=True)
        return done.returncode, done.stdout.strip()

    def test_every_rule(self):
        machine = subprocess.run([COMPILER, "-dumpmachine"], check=True, capture_output=True, text=True).stdout
        cases = CASES[machine.split("-")[0]]
        for name, text, flags, finding in cases:
            with self.subTest(name=name, finding=finding):
                code, said = self.findings(name, text, flags)
                self.assertEqual(code, 1 if finding else 0, said)
                self.assertIn(finding, said)
                self.assertTrue(finding or not said, said)

    def test_a_build_without_objects(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, str(CHECK), folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("build first", done.stdout)


if __name__ == "__main__":
    unittest.main()
