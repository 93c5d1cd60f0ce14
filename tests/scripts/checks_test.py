#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of scripts/check passes a good tree and finds what it is there to find."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKS = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check"
HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


class CheckTest(unittest.TestCase):
    def run_rule(self, rule, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, str(CHECKS / f"{rule}.py"), folder], capture_output=True, text=True)
        return done.returncode, done.stdout

    def assert_clean(self, rule, files):
        code, text = self.run_rule(rule, files)
        self.assertEqual((code, text.strip()), (0, ""))

    def assert_finds(self, rule, files, finding):
        code, text = self.run_rule(rule, files)
        self.assertEqual(code, 1, text)
        self.assertIn(finding, text)

    def test_layers(self):
        self.assert_clean("layers", {"engine/ir/a.h": '#include "engine/base/b.h"\n#include <vector>\n'})
        self.assert_finds("layers", {"engine/ir/a.h": '#include "engine/runtime/plan.h"\n'},
                          "engine/ir/a.h:1: engine/ir may not include engine/runtime/plan.h")
        self.assert_finds("layers", {"engine/kernels/gemm/a.cpp": '\n  #  include "engine/ir/graph.h"\n'}, "a.cpp:2")
        self.assert_finds("layers", {"tests/support/oracle/a.h": '#include "engine/kernels/gemm/gemm.h"\n'}, "oracle/a.h:1")
        self.assert_clean("layers", {"engine/kernels/gemm/a_avx2.cpp": '#include "engine/kernels/gemm/gemm_args.h"\n'})
        self.assert_finds("layers", {"engine/kernels/gemm/a_avx2_int16.cpp": '#include "engine/kernels/gemm/tile.h"\n'},
                          "a_avx2_int16.cpp:1: a file of one instruction set")
        self.assert_finds("layers", {"reports/a.h": '#include "engine/base/dtype.h"\n'}, "reports/a.h:1")

    def test_file_size(self):
        self.assert_clean("file_size", {"engine/a.cpp": "\n" * 500})
        self.assert_finds("file_size", {"engine/a.cpp": "\n" * 501}, "engine/a.cpp: 501 lines")

    def test_source_head(self):
        self.assert_clean("source_head", {"engine/a.h": HEAD + "// What it is.\n#pragma once\n"})
        self.assert_finds("source_head", {"engine/a.cpp": "int x;\n"}, "engine/a.cpp:1: no line")
        self.assert_finds("source_head", {"engine/a.h": HEAD + "// What it is.\n"}, "without #pragma once")
        self.assert_finds("source_head", {"engine/a.h": HEAD + "#pragma once\n"}, "says what it holds")

    def test_leftovers(self):
        self.assert_clean("leftovers", {"engine/a.cpp": "// see docs/work/plan\n"})
        self.assert_finds("leftovers", {"engine/a.cpp": "\n// TO" "DO: later\n"}, "engine/a.cpp:2")
        self.assert_finds("leftovers", {"docs/a.md": "in /ro" "ot/x\n"}, "docs/a.md:1")
        self.assert_finds("leftovers", {"tests/a.cpp": "GTEST_SK" "IP();\n"}, "tests/a.cpp:1")

    def test_mutations(self):
        table = '[{"target": "t", "tests": "*", "faults": [{"file": "engine/a.cpp", "what": "w", "find": "x", "replace": "y"}]}]'
        self.assert_clean("mutations", {"tests/mutations/a.json": table, "engine/a.cpp": "x"})
        self.assert_finds("mutations", {"tests/mutations/a.json": table, "engine/a.cpp": "x x"}, "2 places in engine/a.cpp")
        self.assert_finds("mutations", {"tests/mutations/a.json": table}, "0 places")

    def test_mirror(self):
        self.assert_clean("mirror", {"engine/ir/a.cpp": "", "tests/engine/ir/a_test.cpp": ""})
        self.assert_finds("mirror", {"engine/ir/a.cpp": ""}, "no tests/engine/ir/*_test.cpp")
        self.assert_finds("mirror", {"tests/engine/gone/a_test.cpp": ""}, "mirrors no folder")
        table = {"engine/kernels/pool/pool.h": "std::span<const PoolKernel> pool_kernels();\n"}
        main = "tests/engine/kernels/main.cpp"
        self.assert_clean("mirror", {**table, main: "  add_rows(pool_kernels(), built);\n"})
        self.assert_finds("mirror", {**table, main: "  add_rows(im2col_kernels(), built);\n"}, "does not add the rows of pool_kernels()")


if __name__ == "__main__":
    unittest.main()
