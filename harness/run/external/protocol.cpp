// SPDX-License-Identifier: Apache-2.0
#include "harness/run/external/protocol.h"

namespace assay::run {

Json hello_request() { return {{"request", "hello"}, {"protocol", kProtocolVersion}}; }

Json load_request(const std::string& model, const LoadOptions& options) {
  return {
      {"request", "load"},
      {"model", model},
      {"options", {{"optimization", options.optimization}, {"threads", options.threads}, {"config", options.config}}}};
}

Json run_request(const std::string& handle, const RunFiles& files) {
  return {{"request", "run"},         {"handle", handle},         {"inputs", files.inputs},
          {"outputs", files.outputs}, {"warm_up", files.warm_up}, {"repetitions", files.repetitions}};
}

Json unload_request(const std::string& handle) { return {{"request", "unload"}, {"handle", handle}}; }

}  // namespace assay::run
