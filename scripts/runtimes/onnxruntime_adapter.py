#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapter of ONNX Runtime (any version of its Python package). docs/external-runtimes.md states the protocol."""

import json
import os
import sys
import time


def answers_only():
    """A stream for answers; whatever else is printed on stdout, by libraries too, goes to stderr."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return stream


ANSWERS = answers_only()

import numpy as np  # noqa: E402  (after stdout has been taken out of reach)
import onnxruntime as ort  # noqa: E402

LEVELS = {
    "none": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
}


class Adapter:
    def __init__(self):
        self.sessions = {}
        self.loaded = 0

    def hello(self, request):
        return {
            "name": "onnxruntime",
            "version": ort.__version__,
            "protocol": 1,
            "capabilities": {"optimization": list(LEVELS), "threads": True, "config": "session configuration entries"},
        }

    def load(self, request):
        options = request.get("options", {})
        level = options.get("optimization", "all")
        if level not in LEVELS:
            raise ValueError(f"optimization '{level}' is none of {', '.join(LEVELS)}")
        settings = ort.SessionOptions()
        settings.graph_optimization_level = LEVELS[level]
        settings.intra_op_num_threads = int(options.get("threads", 1))
        settings.inter_op_num_threads = 1
        settings.log_severity_level = 3
        for key, value in options.get("config", {}).items():
            text = {True: "1", False: "0"}.get(value, str(value)) if isinstance(value, bool) else str(value)
            settings.add_session_config_entry(key, text)
        session = ort.InferenceSession(request["model"], settings, providers=["CPUExecutionProvider"])
        self.loaded += 1
        handle = str(self.loaded)
        self.sessions[handle] = session
        return {
            "handle": handle,
            "inputs": [value.name for value in session.get_inputs()],
            "outputs": [value.name for value in session.get_outputs()],
        }

    def run(self, request):
        session = self.session(request)
        inputs = {name: np.load(path, allow_pickle=False) for name, path in request["inputs"].items()}
        outputs = request.get("outputs", {})
        names = list(outputs) or None
        for _ in range(int(request.get("warm_up", 0))):
            session.run(names, inputs)
        times, cpu_times, results = [], [], []
        for _ in range(int(request.get("repetitions", 1))):
            cpu, start = time.process_time_ns(), time.perf_counter_ns()
            results = session.run(names, inputs)
            times.append(time.perf_counter_ns() - start)
            cpu_times.append(time.process_time_ns() - cpu)
        for name, result in zip(outputs, results):
            if not isinstance(result, np.ndarray):
                raise TypeError(f"output '{name}' is no tensor but a {type(result).__name__}")
            np.save(outputs[name], result, allow_pickle=False)
        return {"times_ns": times, "cpu_times_ns": cpu_times, "outputs": outputs}

    def unload(self, request):
        self.session(request)
        del self.sessions[request["handle"]]
        return {}

    def session(self, request):
        if request.get("handle") not in self.sessions:
            raise KeyError(f"no model is loaded under the handle {request.get('handle')!r}")
        return self.sessions[request["handle"]]


def main():
    adapter = Adapter()
    requests = {name: getattr(adapter, name) for name in ("hello", "load", "run", "unload")}
    for line in sys.stdin:
        request = {}
        try:
            request = json.loads(line)
            name = request.get("request")
            if name not in requests:
                raise ValueError(f"unknown request {name!r}; known are {', '.join(requests)}")
            answer = {"ok": True, **requests[name](request)}
        except Exception as error:  # every failure of the runtime is an answer
            answer = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        print(json.dumps({**answer, "id": request.get("id")}), file=ANSWERS, flush=True)


if __name__ == "__main__":
    main()
