#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reports of a real run against the validators of those who read them: JUnit by Jenkins' schema, CTRF by its own, TAP by
a TAP consumer, benchmark.json by Google Benchmark's compare.py, results.json by the schema that the program prints.

formats_test.py ASSAY          exit 77: skipped, with the reason"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCHEMAS = ROOT / "build/peers/schemas"
COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")  # of Debian's libbenchmark-tools


def skip(reason):
    print(f"skipped: {reason} (scripts/setup-peers fetches it)")
    sys.exit(77)


try:
    import jsonschema
    import lxml.etree
    import scipy  # noqa: F401  for compare.py
    import tap.parser
    import yaml  # noqa: F401  without it the YAML blocks are not parsed
except ImportError as error:
    skip(f"peer missing: {error}")

GRAPH = {"opset": 13,
         "inputs": {"x": {"type": "float32", "shape": [1, 1, 2, 2]}},
         "initializers": {"w": {"type": "float32", "shape": [1, 1, 1, 1], "data": [127]}},
         "nodes": [{"op": "Conv", "name": "conv", "inputs": ["x", "w"], "outputs": ["c"]},
                   {"op": "Relu", "name": "relu", "inputs": ["c"], "outputs": ["y"]}],
         "outputs": {"y": {"type": "float32", "shape": [1, 1, 2, 2]}}}


def write_cases(folder):
    def write(name, **more):
        case = {"name": f"group/{name}", "model": {"graph": GRAPH}, "inputs": {"x": {"values": [-127, 127, 64, -3]}},
                "calibration": {"x": [{"constant": -127}, {"constant": 127}]},
                "matrix": {"quantizer.relu": ["safe", "keep"], "runtime.isa": ["scalar", "sse41"]}}
        (folder / f"{name}.json").write_text(json.dumps(dict(case, **more)))

    loose, strict = {"metric": "max_abs_error", "at_most": 130}, {"metric": "max_abs_error", "at_most": -1}
    write("pass", expect=[loose], timing={"compare": "runtime.isa", "baseline": "scalar"})
    write("fail", expect=[strict])
    write("xfail", expect=[strict, {"outcome": "xfail", "reason": "it # is <known> \\ & \"declared\"", "cause": "other"}])
    write("xpass", expect=[loose, {"outcome": "xfail", "reason": "no longer", "cause": "other"}])
    write("weak", expect=[loose], inputs={"x": {"constant": 0}})
    write("invalid", expect=[dict(loose, output="nowhere")])


def must(holds, text):
    if not holds:
        sys.exit(f"formats_test: {text}")


def check_schema(document, schema, what):
    errors = [f"{list(e.absolute_path)}: {e.message[:300]}" for e in jsonschema.Draft7Validator(schema).iter_errors(document)]
    must(not errors, f"{what}: {errors[:3]}")


def main():
    assay = os.path.abspath(sys.argv[1])
    xsd = SCHEMAS / "junit/junit-10.xsd"
    ctrf_schemas = sorted((SCHEMAS / "ctrf").rglob("ctrf-schema*.json"))
    if not xsd.exists() or not ctrf_schemas or not COMPARE.exists():
        skip("peer missing: schemas of JUnit and CTRF, compare.py")
    with tempfile.TemporaryDirectory(prefix="assay_formats_") as text:
        folder = pathlib.Path(text)
        (folder / "cases").mkdir()
        write_cases(folder / "cases")
        environment = dict(os.environ, ASSAY_TEST_CRASH="group/pass[quantizer.relu=keep,runtime.isa=sse41]",
                           ASSAY_TEST_HANG="group/fail[quantizer.relu=keep,runtime.isa=sse41]")

        def run(*arguments, code, **more):
            done = subprocess.run([assay, *arguments], cwd=folder, capture_output=True, text=True, **more)
            must(done.returncode == code, f"{arguments} ended with {done.returncode}, expected {code}: {done.stderr}")
            return done.stdout

        run("run", "cases", "-o", "out", "--timeout", "5", "--min-time", "0.001", "--repetitions", "5", code=1, env=environment)
        out = folder / "out"
        results = json.loads((out / "results.json").read_text())
        outcomes = {r["outcome"] for r in results["results"]}
        must(outcomes >= {"pass", "fail", "xfail", "xpass", "weak", "invalid", "crash", "timeout"}, f"outcomes: {outcomes}")
        total = len(results["results"])

        check_schema(results, json.loads(run("schema", "results", code=0)), "results.json")

        schema = lxml.etree.XMLSchema(lxml.etree.parse(str(xsd)))
        junit = lxml.etree.parse(str(out / "junit.xml"))
        must(schema.validate(junit), f"junit.xml: {schema.error_log}")
        must(len(junit.findall(".//testcase")) == total, "junit.xml has another number of test cases")

        ctrf = json.loads((out / "ctrf.json").read_text())
        check_schema(ctrf, json.loads(ctrf_schemas[0].read_text()), "ctrf.json")
        must(ctrf["results"]["summary"]["tests"] == total, "ctrf.json has another number of tests")

        lines = list(tap.parser.Parser().parse_file(str(out / "results.tap")))
        tests = [line for line in lines if line.category == "test"]
        must(not [line for line in lines if line.category == "unknown"], "results.tap has lines that are no TAP")
        must(len(tests) == total and [line.number for line in tests] == list(range(1, total + 1)), "results.tap: numbers")
        bad = [line for line in tests if not line.ok and not line.todo]
        failing = {"fail", "xpass", "invalid", "crash", "timeout", "not-run"}
        must(len(bad) == sum(r["outcome"] in failing for r in results["results"]), "results.tap: failures")
        must(all(line.yaml_block and "outcome" in line.yaml_block for line in bad), "results.tap: YAML blocks")

        # Rendering again from results.json gives the same text.
        for name, file in (("junit", "junit.xml"), ("ctrf", "ctrf.json"), ("tap", "results.tap"), ("json", "results.json"),
                           ("benchmark", "benchmark.json"), ("markdown", "summary.md"), ("html", "report.html")):
            must(run("report", "out", "--format", name, code=1) == (out / file).read_text(), f"--format {name} is not {file}")

        run("run", "cases", "-o", "second", "--filter", "group/pass*", "--min-time", "0.001", "--repetitions", "5", code=0)
        done = subprocess.run(["/usr/bin/python3", str(COMPARE), "--no-color", "benchmarks", str(out / "benchmark.json"),
                               str(folder / "second/benchmark.json")], capture_output=True, text=True)
        must(done.returncode == 0 and done.stdout.count("group/pass[") > 10, f"compare.py: {done.stdout}{done.stderr}")
        print(f"{total} results valid as results.json, JUnit, CTRF and TAP; compare.py took two benchmark.json")


if __name__ == "__main__":
    main()
