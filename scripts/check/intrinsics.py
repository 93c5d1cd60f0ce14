#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No intrinsic that the compiler's header expands into signed additions or products: their overflow is undefined, where
the instruction itself wraps. The sums of bytes packed into one number, and int32 sums by contract, do overflow."""

import pathlib
import re
import sys

SIGNED = re.compile(r"_mm(?:256|512)?(?:_mask)?_reduce_(?:add|mul)_epi\d+")


def findings(root):
    for path in sorted((root / "engine").rglob("*.cpp")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = SIGNED.search(line)
            if found:
                yield f"{path.relative_to(root)}:{number}: {found.group()} adds signed numbers; store the lanes and add them unsigned"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
