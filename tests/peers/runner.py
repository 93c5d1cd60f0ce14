# SPDX-License-Identifier: Apache-2.0
"""What the tests that go over many networks share: the arguments, the loop, exceptions with their reasons, the verdict."""

import json
import logging
import os
import pathlib
import sys
import tempfile

import onnx
import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent


SKIPPED = 77


def host_arithmetic():
    """What the runtimes take on this CPU; their float sums, and so which way ties go, differ from one to the next."""
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    flags = set(cpuinfo.read_text(encoding="utf-8").split()) if cpuinfo.exists() else set()
    for name, wanted in (("avx512_vnni", "avx512_vnni"), ("avx512", "avx512f"), ("avx_vnni", "avx_vnni"), ("avx2", "avx2")):
        if wanted in flags:
            return name
    return "other"


def verdict(failures, measured_on):
    """1 for failures where the exceptions were measured on such a CPU, else SKIPPED and why; 0 for none."""
    here = host_arithmetic()
    if not failures or here in measured_on:
        return 1 if failures else 0
    print(f"skipped: {failures} differences from exceptions that were measured on {', '.join(measured_on)}; this CPU is {here}")
    return SKIPPED


class Exceptions:
    """Known differences, from a file beside the tests, with the CPUs on which they were measured. `places(entry)` lists where an entry is needed; the first part of
    a place is the network."""

    def __init__(self, file, places):
        document = json.loads((HERE / file).read_text())
        self.entries, self.measured_on = document["exceptions"], document["measured_on"]
        self.places = [frozenset(places(entry)) for entry in self.entries]
        self.unused = [set(places) for places in self.places]

    def covers(self, place, allows):
        """Whether an entry for this place says `allows(entry)`."""
        for entry, places, unused in zip(self.entries, self.places, self.unused):
            if place in places and allows(entry):
                unused.discard(place)
                return True
        return False

    def report_unused(self, networks_run):
        return [f"exception '{entry['reason']}' is not needed for {' '.join(place)}"
                for entry, unused in zip(self.entries, self.unused) for place in sorted(unused) if place[0] in networks_run]


def run(check, networks, option_sets, unit, exceptions=None, fewest=1):
    """Exit code of a test whose arguments are the path of the assay program, then names of networks (all by default).

    `networks` yields (network, its model). check(network, model, folder, program) gives failures as texts and how many
    of `unit` were compared, or None and why nothing was. All networks together have to be at least `fewest`."""
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    logging.disable(logging.WARNING)
    onnxruntime.set_default_logger_severity(3)
    print(f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}, {len(option_sets)} option sets")
    failures, done = [], set()
    for network, model in networks:
        if names and network.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            found, count = check(network, model, pathlib.Path(folder), program)
        if found is None:
            print(f"not compared: {network.name}: {count}")
            continue
        done.add(network.name)
        failures += found
        print(f"{network.name}: {count} {unit}, {len(found)} failures", flush=True)
    if not names:
        failures += exceptions.report_unused(done) if exceptions else []
        if len(done) < fewest:
            failures.append(f"{len(done)} networks were compared; at least {fewest} are needed")
    for text in failures:
        print("FAIL", text)
    print(f"{len(done)} networks, {len(failures)} failures")
    if not done:
        return 1
    return verdict(len(failures), exceptions.measured_on if exceptions else [host_arithmetic()])
