// SPDX-License-Identifier: Apache-2.0
// The requests to an adapter. docs/external-runtimes.md states the protocol for people who write one.
#pragma once

#include <map>
#include <string>

#include "harness/run/channel.h"

namespace assay::run {

inline constexpr int kProtocolVersion = 1;

struct LoadOptions {
  std::string optimization = "all";  // none, basic, extended, all
  int threads = 1;
  Json config = Json::object();  // runtime.options: the runtime's own settings, passed on as they are
};

struct RunFiles {
  std::map<std::string, std::string> inputs;   // name -> path of an .npy file that is there
  std::map<std::string, std::string> outputs;  // name -> path of an .npy file to be written
  int warm_up = 0;
  int repetitions = 1;
};

Json hello_request();
Json load_request(const std::string& model, const LoadOptions& options);
Json run_request(const std::string& handle, const RunFiles& files);
Json unload_request(const std::string& handle);

}  // namespace assay::run
