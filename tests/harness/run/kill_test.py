#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills the coordinator, guards and workers of runs at random with SIGKILL, one at a time or the coordinator together
with another. Whatever is killed and whenever: what was in the journal stays there, nothing of a killed run is left
alive, and the report of the resumed run equals that of an uninterrupted one but for times.

kill_test.py ASSAY [--kills N] [--seed S]"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

CASES = 6
PATIENCE_S = 30  # for processes to be gone; they are on an idle machine within milliseconds

GRAPH = {"opset": 13,
         "inputs": {"x": {"type": "float32", "shape": [1, 1, 2, 2]}},
         "initializers": {"w": {"type": "float32", "shape": [1, 1, 1, 1], "data": [127]}},
         "nodes": [{"op": "Conv", "name": "conv", "inputs": ["x", "w"], "outputs": ["c"]},
                   {"op": "Relu", "name": "relu", "inputs": ["c"], "outputs": ["y"]}],
         "outputs": {"y": {"type": "float32", "shape": [1, 1, 2, 2]}}}


def write_cases(folder):
    for i in range(CASES):
        case = {"name": f"case{i}", "model": {"graph": GRAPH}, "inputs": {"x": {"values": [-127, 127, 64, -3]}},
                "calibration": {"x": [{"constant": -127}, {"constant": 127}]},
                "matrix": {"quantizer.relu": ["safe", "keep", "drop"], "runtime.isa": ["scalar", "avx2"],
                           "quantizer.per_channel": [False, True]},
                "expect": [{"metric": "max_abs_error", "at_most": 130}]}
        (folder / f"case{i}.json").write_text(json.dumps(case))


def name(case, relu, isa, per_channel):
    return f"case{case}[quantizer.relu={relu},runtime.isa={isa},quantizer.per_channel={per_channel}]"


FAULTS = {"ASSAY_TEST_CRASH": [name(0, "keep", "avx2", "true"), name(3, "safe", "scalar", "false")],
          "ASSAY_TEST_HANG": [name(1, "safe", "avx2", "false"), name(4, "drop", "scalar", "true")],
          "ASSAY_TEST_STRAY": [name(1, "safe", "avx2", "false"), name(2, "drop", "avx2", "true"),
                               name(0, "keep", "avx2", "true"), name(5, "safe", "scalar", "true")]}


class Failure(Exception):
    pass


class Runs:
    def __init__(self, assay, folder):
        self.assay = assay
        self.folder = folder
        self.mark = f"kill-test-{os.getpid()}-{time.time_ns()}"
        self.environment = dict(os.environ, ASSAY_KILL_TEST=self.mark,
                                **{variable: ";".join(names) for variable, names in FAULTS.items()})

    def start(self, out):
        return subprocess.Popen([self.assay, "run", "cases", "-o", out, "-j", "2", "--timeout", "1", "--resume",
                                 "--no-timing"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def alive(self):
        """The processes of these runs, told by their environment."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if self.mark.encode() in (entry / "environ").read_bytes():
                        if (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                            found.append(int(entry.name))
                except OSError:
                    pass
        return found

    def others(self, coordinator):
        """The guards, workers and what they have started."""
        return [pid for pid in self.alive() if pid != coordinator]

    def expect_none_alive(self, when):
        end = time.monotonic() + PATIENCE_S
        while self.alive():
            if time.monotonic() > end:
                raise Failure(f"{when}: still alive: {self.alive()}")
            time.sleep(0.005)


def without_times(report):
    for result in report["results"]:
        result.pop("duration_s")
    return report["results"]


def whole_lines(path):
    data = path.read_bytes() if path.exists() else b""
    return data[:data.rfind(b"\n") + 1]


def run(assay, kills, seed):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="assay_kill_") as text:
        folder = pathlib.Path(text)
        (folder / "cases").mkdir()
        write_cases(folder / "cases")
        runs = Runs(assay, folder)
        begin = time.monotonic()
        code = runs.start("whole").wait()
        whole_s = time.monotonic() - begin
        if code != 1:
            raise Failure(f"the uninterrupted run ended with {code}, expected 1")
        runs.expect_none_alive("after the uninterrupted run")
        expected = without_times(json.loads((folder / "whole/results.json").read_text()))
        outcomes = sorted({r["outcome"] for r in expected})
        if outcomes != ["crash", "pass", "timeout"]:
            raise Failure(f"the uninterrupted run has the outcomes {outcomes}")

        done = {"coordinator": 0, "other": 0, "both": 0}
        finished = 0
        while sum(done.values()) < kills or finished == 0:
            out = f"killed{finished}"
            while True:
                before = whole_lines(folder / out / "results.jsonl")
                process = runs.start(out)
                try:
                    killed_other = False
                    while process.poll() is None and sum(done.values()) < kills:
                        time.sleep(rng.uniform(0, 0.4 * whole_s))
                        if process.poll() is not None:
                            break
                        others = runs.others(process.pid)
                        choice = rng.random()
                        if choice < 0.4 and others and not killed_other:
                            # One in a run: a variant whose worker is killed twice has used up its second chance.
                            killed_other = True
                            os.kill(rng.choice(others), signal.SIGKILL)
                            done["other"] += 1
                        else:
                            both = choice > 0.7 and others
                            if both:  # the coordinator must not have the time to see the other's end
                                os.kill(process.pid, signal.SIGSTOP)
                                os.kill(rng.choice(others), signal.SIGKILL)
                            process.kill()
                            done["both" if both else "coordinator"] += 1
                            break
                    code = process.wait(timeout=600)
                finally:
                    process.kill()
                runs.expect_none_alive("after a run")
                if not whole_lines(folder / out / "results.jsonl").startswith(before):
                    raise Failure("lines that were in the journal are gone")
                if code >= 0:
                    break
            if code != 1:
                raise Failure(f"a resumed run ended with {code}, expected 1")
            found = without_times(json.loads((folder / out / "results.json").read_text()))
            if found != expected:
                different = [(a["name"], a["outcome"], a["reason"], b["outcome"], b["reason"])
                             for a, b in zip(expected, found) if a != b]
                raise Failure(f"the resumed report is another: {len(found)} results, different: {different[:3]}")
            finished += 1
        print(f"seed {seed}: {done['coordinator']} kills of coordinators, {done['other']} of their guards, workers and "
              f"strays, {done['both']} of both at once; "
              f"{finished} reports of {len(expected)} variants, all equal to the uninterrupted one "
              f"({whole_s:.1f} s)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("assay")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    try:
        run(os.path.abspath(arguments.assay), arguments.kills, seed)
    except Failure as failure:
        print(f"seed {seed}: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
