#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No left-over marks, bare test skips or paths of one machine in the tree."""

import pathlib
import re
import sys

FOLDERS = ("engine", "harness", "reports", "scripts", "tests", "cmake", "docs", "cases", "schema", ".ci")
TEXT = (".h", ".cpp", ".py", ".sh", ".cmake", ".md", ".txt", ".json", "")
# Written in pieces, so that this file does not find itself.
MARKS = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b|GTEST_SK" + r"IP\(\)|(^|[^A-Za-z0-9_.])/(work|ro" + r"ot|home)/")


def findings(root):
    paths = [p for folder in FOLDERS for p in (root / folder).rglob("*")] + [p for p in root.glob("*.*") if p.name != ".git"]
    for path in sorted(paths):
        if not path.is_file() or path.suffix not in TEXT or "__pycache__" in path.parts:
            continue
        try:
            lines = path.read_text().splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            match = MARKS.search(line)
            if match:
                yield f"{path.relative_to(root)}:{number}: left over: {match.group(0).strip()}"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
