// SPDX-License-Identifier: Apache-2.0
// An adapter that doubles the .npy input x into the output y, or misbehaves as its argument says.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "engine/base/output_file.h"
#include "harness/run/external/registry.h"

namespace assay::run::test {

inline constexpr const char* kFakeAdapter = R"python(
import json, os, signal, sys, time
import numpy as np
mode = sys.argv[1] if len(sys.argv) > 1 else ""
for line in sys.stdin:
    request = json.loads(line)
    kind = request["request"]
    if mode == "die-" + kind:
        print("about to die\nfor good", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "leave-" + kind:
        sys.exit(7)
    if mode == "hang-" + kind:
        time.sleep(1000)
    if mode == "babble-" + kind:
        print("hello there", flush=True)
        continue
    answer = {"ok": True}
    if mode == "refuse-" + kind:
        answer = {"ok": False, "error": "no " + kind + " today"}
    elif kind == "hello":
        answer.update(name="fake", version="1.2", protocol=1)
    elif kind == "load":
        answer.update(handle=json.dumps(request["options"], sort_keys=True))
    elif kind == "run":
        x = np.load(request["inputs"]["x"])
        for path in request["outputs"].values():
            if mode != "forget":
                np.save(path, np.maximum(2 * x, 0).astype(np.float32))
        answer["times_ns"] = [5e6] * request["repetitions"] if mode != "untimed" else []
        answer["cpu_times_ns"] = [4e6] * request["repetitions"]
    print(json.dumps(answer), flush=True)
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

}  // namespace assay::run::test
