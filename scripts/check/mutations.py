#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every fault of tests/mutations fits its file at one place: the tables of scripts/mutation-test follow the code."""

import json
import pathlib
import sys


def misfits(root, faults):
    for fault in faults:
        path = root / fault["file"]
        places = path.read_text().count(fault["find"]) if path.is_file() else 0
        if places != 1:
            yield f"{fault['what']!r} has {places} places in {fault['file']}: {fault['find']!r}"


def findings(root):
    for table in sorted((root / "tests" / "mutations").glob("*.json")):
        faults = [fault for group in json.loads(table.read_text()) for fault in group["faults"]]
        yield from (f"{table.relative_to(root)}: {misfit}" for misfit in misfits(root, faults))


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
