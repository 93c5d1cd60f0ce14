#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file states its licence in one SPDX line; headers are guarded by #pragma once and say what they are."""

import pathlib
import sys

FOLDERS = ("engine", "harness", "reports", "scripts", "tests", "cmake", ".ci")
SPDX = "SPDX-License-Identifier: Apache-2.0"


def findings(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".py", ".sh", ".cmake") and path.name != "CMakeLists.txt":
                continue
            name = path.relative_to(root)
            lines = path.read_text().splitlines()
            if SPDX not in "\n".join(lines[:2]):
                yield f"{name}:1: no line '{SPDX}'"
            if path.suffix == ".h":
                if "#pragma once" not in lines:
                    yield f"{name}: a header without #pragma once"
                if len(lines) < 2 or not lines[1].startswith("//"):
                    yield f"{name}:2: a header begins with a comment that says what it holds"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
