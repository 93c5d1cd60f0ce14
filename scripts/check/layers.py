#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes point one way: a part may include only the parts that its row of ALLOWED names. A file of one instruction set
includes of the project only its family's arguments, so that no inline code of others is compiled with its flags."""

import pathlib
import re
import sys

# Longest prefix wins. The harness sees the engine through its api, base (errors, profiles, types) and the tensors and
# graphs that the api hands out.
ALLOWED = {
    "engine/base": [],
    "engine/ir": ["engine/base"],
    "engine/kernels": ["engine/base"],
    "engine/onnx": ["engine/base", "engine/ir"],
    "engine/passes": ["engine/base", "engine/ir"],
    "engine/quantizer": ["engine/base", "engine/ir", "engine/kernels"],
    "engine/runtime": ["engine/base", "engine/ir", "engine/kernels"],
    "engine/api": ["engine/base", "engine/ir", "engine/onnx", "engine/passes", "engine/quantizer", "engine/runtime"],
    "harness/spec": ["engine/base", "engine/ir", "engine/api", "engine/quantizer/options.h", "reports/printable.h"],
    "harness/compare": ["engine/base", "engine/ir"],
    "harness/measure": ["engine/base"],
    # Benchmarks reach what they time: the kernels themselves.
    "harness/bench": ["engine/base", "engine/ir", "engine/kernels", "engine/api", "engine/quantizer/options.h"],
    "harness/run": ["engine/base", "engine/ir", "engine/api", "engine/quantizer/options.h", "harness/spec",
                    "harness/compare", "harness/measure", "reports"],
    "harness/diff": ["engine/base", "engine/ir", "engine/api", "harness/compare", "reports"],
    "harness/tune": ["engine/base", "engine/ir", "engine/api", "engine/quantizer/options.h", "harness/spec",
                     "harness/compare", "harness/run", "reports"],
    "harness/cli": ["engine/base", "engine/ir", "engine/api", "engine/quantizer/options.h", "harness/spec",
                    "harness/compare", "harness/measure", "harness/bench", "harness/run", "harness/diff", "harness/tune", "reports"],
    "reports": [],
    # The oracle is independent: it shares no line with what it checks.
    "tests/support": ["engine/base", "engine/ir"],
}
ONE_ISA = re.compile(r"^engine/kernels/\w+/\w+_(?:sse|avx|amx|neon)\w*\.cpp$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def part_of(path):
    """The longest key of ALLOWED that contains the path, or None."""
    fits = [part for part in ALLOWED if path == part or path.startswith(part + "/")]
    return max(fits, key=len, default=None)


def findings(root):
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        part = part_of(name)
        if part is None or path.suffix not in (".h", ".cpp"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match is None:
                continue
            target = match.group(1)
            if ONE_ISA.match(name) and not target.endswith("_args.h"):
                yield f"{name}:{number}: a file of one instruction set may not include {target}; it may include its family's *_args.h"
            allowed = [part] + ALLOWED[part]
            if not any(target == a or target.startswith(a + "/") for a in allowed):
                yield f"{name}:{number}: {part} may not include {target}; it may include {', '.join(allowed)}"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
