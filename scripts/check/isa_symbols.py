#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code built for one instruction set stays in its own object.

An object of an ISA file (*_avx*, *_amx*, *_neon*) must not define weak symbols (inline functions, templates): the linker could
pick that copy for the baseline and crash older CPUs. No object of a kernel may use what its level lacks. On x86-64 the baseline
is SSE2: no SSSE3 or SSE4, no VEX or EVEX encoding, no tiles. EVEX (zmm, masks, registers from 16 on, AVX-512's instructions) is for
*_avx512*, vpdp* for *_vnni, its VEX form for *_avx_vnni alone, and *_avx512 has F, BW, DQ and VL. On AArch64 dot products, matrix
products and SVE are beyond the baseline, *_neon lacks these too and *_neon_dot the second. Fused multiply-add, which AArch64's
baseline has, rounds once less: it stands only where a formula asks for it.
Arguments: the build folder.
"""

import pathlib
import re
import shutil
import subprocess
import sys

DOT = r"\t(sdot|udot)\t"
I8MM = r"\t(smmla|ummla|usmmla|usdot|sudot)\t"
SVE = r"[\t ,{](z[0-9]+\.|p[0-9]+/)"
FUSED = r"\t(fmadd|fmsub|fnmadd|fnmsub|fmla|fmls)\t"

# objdump -w: address, bytes, mnemonic. Encodings are told by the first byte behind prefixes, which in 64-bit code says for sure.
PREFIXES = r":\t(?:(?:2e|36|3e|26|64|65|67) )*"
VEX = PREFIXES + r"(?:c4|c5|62) [0-9a-f ]+\t(?!ldtilecfg|sttilecfg|tile|tdp)(\S+(?: v\S+)?)"  # but tiles, which have a rule
EVEX = PREFIXES + r"62 [0-9a-f ]+\t(\S+(?: v\S+)?)"
SSSE3_SSE4 = (r"\t(pmaddubsw|pshufb|palignr|phadd\w+|phsub\w+|pabs[bwd]|psign[bwd]|pmulhrsw|pmulld|pmuldq|pminu[wd]|pmins[bd]|pmaxu[wd]|"
              r"pmaxs[bd]|pmov[sz]x\w+|packusdw|pblend\w+|blendv?p[sd]|round[ps][sd]|ptest|pextr[bdq]|pinsr[bdq]|insertps|extractps|"
              r"dpp[sd]|mpsadbw|pcmpeqq|pcmpgtq|movntdqa|popcnt|crc32\w*|pcmp[ei]str\w)\s")
TILES = r"\t(ldtilecfg|sttilecfg|tile\w+|tdp\w+)"
BIT_MANIPULATION = r"\t(andn|bextr|bls\w+|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|adcx|adox)\s"
VNNI = r"\t(?:\{\w+\}\s+)?(vpdp\w+)"
VEX_VNNI = r"\t\{vex\}\s+(vpdp\w+)"
VEX_FUSED = r"\t(vfn?m(?:add|sub)\w+)"
# CD, VBMI, VBMI2, IFMA, BITALG, VPOPCNTDQ, BF16, FP16, GFNI, VAES and what else no level has.
FURTHER_AVX512 = (r"\t(vpconflict\w+|vplzcnt\w+|vperm(?:i2|t2)?b|vpmultishiftqb|vpcompress[bw]|vpexpand[bw]|vpsh[lr]dv?[wdq]|vpopcnt\w+|"
                  r"vpshufbitqmb|vpmadd52\w+|vgf2p8\w+|vaes\w+|vpclmul\w+|vdpbf16ps|vcvtne\w*|v\w+[ps]h)\s")

# By the machine in the ELF header: prefix of the tools, ISA files, then what no object may contain but those whose name fits.
ARCHITECTURES = {
    62: ("x86_64-linux-gnu-", r"_(avx|amx)", [
        ("instructions of VEX or EVEX encoding", VEX, r"_avx"),
        ("instructions of EVEX encoding", EVEX, r"_avx512"),
        ("SSSE3 or SSE4", SSSE3_SSE4, r"^$"),
        ("tile instructions", TILES, r"_amx"),
        ("bit manipulation", BIT_MANIPULATION, r"^$"),
        ("dot products", VNNI, r"_vnni"),
        ("VEX-encoded dot products", VEX_VNNI, r"_avx_vnni"),
        ("AVX-512 beyond F, BW, DQ and VL", FURTHER_AVX512, r"^$"),
        ("fused multiply-add, which no formula of it has", VEX_FUSED, r"^binary_avx")]),
    183: ("aarch64-linux-gnu-", r"_neon", [
        ("dot products", DOT, r"_neon_(dot|i8mm)"),
        ("8-bit matrix products", I8MM, r"_neon_i8mm"),
        ("SVE registers", SVE, r"^$"),
        ("fused multiply-add, which no formula of it has", FUSED, r"^binary_(scalar|neon)\.|^elementwise\.")]),
}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def tool(prefix, name):
    return prefix + name if shutil.which(prefix + name) else name


def findings(build):
    objects = sorted((build / "engine").rglob("*.cpp.o"))
    if not objects:
        yield f"{build}: no objects below engine; build first"
    # The oracle must round as its formulas say, too.
    for path in objects + sorted((build / "tests" / "support").rglob("oracle/*.cpp.o")):
        machine = int.from_bytes(path.read_bytes()[18:20], "little")
        if machine not in ARCHITECTURES:
            continue
        prefix, isa_files, rules = ARCHITECTURES[machine]
        name = path.relative_to(build)
        if re.search(isa_files, path.name):
            for line in run(tool(prefix, "nm"), "-C", "--defined-only", str(path)).splitlines():
                parts = line.split(maxsplit=2)
                if len(parts) == 3 and parts[1] in "WwVu":
                    yield f"{name}: weak symbol {parts[2]}: keep inline and template code out of ISA files"
        if "kernels" in path.parts or "oracle" in path.parts:
            code = run(tool(prefix, "objdump"), "-dw", str(path))
            for what, pattern, allowed in rules:
                if not re.search(allowed, path.name) and (match := re.search(pattern, code)):
                    yield f"{name}: uses {what} ({match[match.lastindex or 0].strip()})"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
