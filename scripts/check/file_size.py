#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One thing, one file: no source file is longer than 500 lines."""

import pathlib
import sys

CEILING = 500
FOLDERS = ("engine", "harness", "reports", "scripts", "tests", "cmake", ".ci")
SUFFIXES = (".h", ".cpp", ".py", ".sh", ".cmake", "")


def findings(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if not path.is_file() or path.suffix not in SUFFIXES or "__pycache__" in path.parts:
                continue
            try:
                lines = path.read_text().count("\n")
            except UnicodeDecodeError:
                continue
            if lines > CEILING:
                yield f"{path.relative_to(root)}: {lines} lines, the ceiling is {CEILING}: split it"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
