// SPDX-License-Identifier: Apache-2.0
// An adapter that doubles the .npy input x into the output y, or misbehaves as its argument says.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "engine/base/output_file.h"
#include "harness/run/external/registry.h"
#include "harness/spec/document.h"

namespace assay::run::test {

inline constexpr const char* kFakeAdapter = R"python(
import json, os, shutil, signal, subprocess, sys, time
import numpy as np
mode = sys.argv[1] if len(sys.argv) > 1 else ""
seen = False
handles = set()
died = os.path.join(os.path.dirname(os.path.abspath(__file__)), "died")
for line in sys.stdin:
    request = json.loads(line)
    kind = request["request"]
    if mode == "die-" + kind:
        print("about to die\nfor good", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "orphan-" + kind:  # its child keeps the pipes
        subprocess.Popen(["sleep", "60"])
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "leave-" + kind:
        sys.exit(7)
    if mode == "hang-" + kind:
        time.sleep(1000)
    if mode == "babble-" + kind:
        print("hello there", flush=True)
        continue
    answer = {"ok": True} if mode == "no-id" else {"ok": True, "id": request["id"]}
    if mode == "refuse-" + kind:
        answer.update(ok=False, error="no " + kind + " today")
    elif mode == "long-" + kind:
        answer.update(ok=False, error="long " * 100000)
    elif kind == "hello":
        answer.update(name="fake", version="1.2", protocol=1)
        if mode.startswith("protocol="):
            answer["protocol"] = json.loads(mode[9:])
    elif kind == "load":
        answer.update(handle=json.dumps(request["options"], sort_keys=True))
        handles.add(answer["handle"])
    elif kind == "run" and request["handle"] not in handles:
        answer.update(ok=False, error="no such handle")
    elif kind == "run":
        x = np.load(request["inputs"]["x"])
        for path in request["outputs"].values():
            if mode != "forget" and not (mode == "once" and seen):
                y = np.maximum(2 * x, 0) if not mode.startswith("answer=") else json.loads(mode[7:])
                np.save(path, np.array(y, np.float32))
            if mode == "garbage":
                open(path, "w").write("no tensor")
        answer["times_ns"] = [5e6] * request["repetitions"]
        answer["cpu_times_ns"] = [4e6] * request["repetitions"]
        if mode.startswith("times="):
            answer["times_ns"] = json.loads(mode[6:])
        if mode.startswith("cpu="):
            answer["cpu_times_ns"] = json.loads(mode[4:])
        if mode == "once":
            seen = seen or answer.update(ok=False, error="too late") is None
        if mode == "remove-folder":
            shutil.rmtree(os.path.dirname(request["inputs"]["x"]))
        if mode == "die-timed" and '"die": true' in request["handle"] and request["warm_up"]:
            os.kill(os.getpid(), signal.SIGSEGV)
        if mode == "die-once" and not os.path.exists(died):
            open(died, "w").close()
            os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "no-handle" and kind == "load":
        del answer["handle"]
    if mode == "other-id-" + kind:
        answer["id"] += 1
    if mode == "lose-id-" + kind:
        del answer["id"]
    line = json.dumps(answer) + "\n"
    print(line * 2 if mode == "twice-" + kind else line, end="", flush=True)
    if mode == "late-" + kind:
        time.sleep(0.2)
        print(line, end="", flush=True)
    if mode == "leave-after-" + kind:
        sys.exit(0)
)python";

// A new folder for one test.
inline std::string test_folder(const std::string& name) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("external_" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder.string();
}

inline RuntimeEntry fake_entry(const std::string& folder, const std::string& mode = "") {
  EXPECT_TRUE(replace_file(folder + "/fake.py", kFakeAdapter).ok());
  RuntimeEntry entry;
  entry.name = "fake";
  entry.command = {"/usr/bin/python3", folder + "/fake.py", mode};
  return entry;
}

// A registry with the one runtime "fake", for as long as it lives.
class FakeRegistry {
 public:
  explicit FakeRegistry(const std::string& mode) : folder_(test_folder("session_" + mode.substr(0, mode.find('=')))) {
    const RuntimeEntry entry = fake_entry(folder_);
    const spec::Json json = {
        {"runtimes", {{"fake", {{"command", {"/usr/bin/python3", "./fake.py", mode}}, {"isa", "any"}}}}}};
    EXPECT_TRUE(replace_file(folder_ + "/registry.json", json.dump()).ok());
    ::setenv("ASSAY_RUNTIMES", (folder_ + "/registry.json").c_str(), 1);
  }
  ~FakeRegistry() { ::unsetenv("ASSAY_RUNTIMES"); }
  FakeRegistry(const FakeRegistry&) = delete;
  FakeRegistry& operator=(const FakeRegistry&) = delete;

 private:
  std::string folder_;
};

}  // namespace assay::run::test
