#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests mirror the source tree: every folder with sources in engine, harness and reports has tests at its path, and every
test file lies in a folder that exists in the sources. The kernels' test program knows every kernel table, so that it notices a
row that never ran."""

import pathlib
import re
import sys

PARTS = ("engine", "harness", "reports")
# Folders whose sources are tested through their parent.
THROUGH_PARENT = ("harness/cli/main", "engine/onnx/ops", "harness/spec/recipes", "harness/spec/data",
                  "harness/bench/families")
KERNEL_TABLE = re.compile(r"^std::span<const \w+Kernel> (\w+_kernels)\(\);", re.MULTILINE)


def missing_tables(root):
    main = root / "tests" / "engine" / "kernels" / "main.cpp"
    known = main.read_text() if main.is_file() else ""
    for header in sorted((root / "engine" / "kernels").rglob("*.h")):
        for table in KERNEL_TABLE.findall(header.read_text()):
            if f"add_rows({table}()," not in known:
                yield f"{header.relative_to(root)}: {main.relative_to(root)} does not add the rows of {table}()"


def findings(root):
    yield from missing_tables(root)
    for part in PARTS:
        folders = {p.parent for p in (root / part).rglob("*.cpp")}
        for folder in sorted(folders):
            name = folder.relative_to(root)
            if name.as_posix() in THROUGH_PARENT:
                continue
            if not list((root / "tests" / name).glob("*_test.cpp")):
                yield f"{name}: no tests/{name}/*_test.cpp"
        for test in sorted((root / "tests" / part).rglob("*_test.cpp")):
            folder = test.parent.relative_to(root / "tests")
            if not (root / folder).is_dir():
                yield f"{test.relative_to(root)}: mirrors no folder of the sources"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
