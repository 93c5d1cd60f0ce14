#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code built for one instruction set stays in its own object.

An object of an ISA file (*_avx*, *_amx*, *_neon*) must not define weak symbols (inline functions, templates): the linker could
pick that copy for the baseline and crash older CPUs. Objects of all other kernels must not use what the baseline lacks: ymm or
zmm registers on x86-64; dot products, matrix products or SVE on AArch64, where *_neon lacks these too and *_neon_dot the second.
AArch64's baseline has fused multiply-add, which rounds once less: it stands only where a formula asks for it.
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

# By the machine in the ELF header: prefix of the tools, ISA files, then what no object may contain but those whose name fits.
ARCHITECTURES = {
    62: ("x86_64-linux-gnu-", r"_(avx|amx)", [
        ("ymm or zmm registers", r"%[yz]mm", r"_(avx|amx)")]),
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
            code = run(tool(prefix, "objdump"), "-d", "--no-show-raw-insn", str(path))
            for what, pattern, allowed in rules:
                if not re.search(allowed, path.name) and (match := re.search(pattern, code)):
                    yield f"{name}: uses {what} ({match.group().strip()})"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
