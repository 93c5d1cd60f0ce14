#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code built for one instruction set stays in its own object.

An object of a *_avx*.cpp or *_amx*.cpp file must not define weak symbols (inline functions, templates): the linker could pick that copy for
the baseline and crash older CPUs. Objects of all other files must not use ymm or zmm registers.
Arguments: the build folder.
"""

import pathlib
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def findings(build):
    objects = sorted((build / "engine").rglob("*.cpp.o"))
    if not objects:
        yield f"{build}: no objects below engine; build first"
    for path in objects:
        name = path.relative_to(build)
        if "_avx" in path.name or "_amx" in path.name:
            for line in run("nm", "-C", "--defined-only", str(path)).splitlines():
                parts = line.split(maxsplit=2)
                if len(parts) == 3 and parts[1] in "WwVu":
                    yield f"{name}: weak symbol {parts[2]}: keep inline and template code out of ISA files"
        elif "kernels" in path.parts:
            code = run("objdump", "-d", "--no-show-raw-insn", str(path))
            if "%ymm" in code or "%zmm" in code:
                yield f"{name}: uses ymm or zmm registers, but is built for every x86-64"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
