// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/node_times.h"

#include <nlohmann/json.hpp>

namespace assay::cli {

api::RunOptions NodeTimes::options() {
  start_ = Clock::now();
  api::RunOptions options;
  options.after_node = [this](std::size_t node) {
    const double now = now_us();
    spans_.push_back({.node = node, .begin_us = last_us_, .end_us = now});
    last_us_ = now;
  };
  return options;
}

double NodeTimes::total_ns(std::size_t node) const {
  double sum = 0;
  for (const NodeSpan& span : spans_) {
    sum += span.node == node ? (span.end_us - span.begin_us) * 1e3 : 0;
  }
  return sum;
}

std::string chrome_trace(const std::vector<NodeSpan>& spans, const std::vector<api::KernelInfo>& kernels) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (const NodeSpan& span : spans) {
    const api::KernelInfo kernel = span.node < kernels.size() ? kernels[span.node] : api::KernelInfo();
    events.push_back({{"name", kernel.node.empty() ? kernel.op : kernel.node},
                      {"cat", kernel.op},
                      {"ph", "X"},
                      {"ts", span.begin_us},
                      {"dur", span.end_us - span.begin_us},
                      {"pid", 0},
                      {"tid", 0},
                      {"args",
                       {{"op", kernel.op},
                        {"kernel", kernel.kernel},
                        {"isa", kernel.isa},
                        {"arithmetic", kernel.arithmetic},
                        {"native", kernel.native}}}});
  }
  const nlohmann::ordered_json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  return trace.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace assay::cli
