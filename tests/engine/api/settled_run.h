// SPDX-License-Identifier: Apache-2.0
// Runs that have settled: the allocator is asked for their results and for nothing else.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/api/session.h"
#include "engine/ir/graph.h"
#include "tests/support/heap_count.h"

namespace assay::test {

// The first run records its tensors, the second gets its arena; an operator may settle with the third.
inline constexpr int kWarmUpRuns = 3;
inline constexpr int kCountedRuns = 3;

// Each result is an entry of the map that the caller gets, and its memory, unless that is an earlier one's.
inline constexpr long kPerOutput = 2;

// By node, in a run.
class Watch {
 public:
  explicit Watch(std::size_t nodes) : by_node_(nodes) {}
  void begin() {
    heap_.emplace();
    before_ = 0;
  }
  void after(std::size_t node) {
    by_node_[node] = heap_->allocations() - before_;
    before_ = heap_->allocations();
  }
  long end() {
    const long total = heap_->allocations();
    heap_.reset();
    return total;
  }
  std::string text(const Graph& graph) const {
    std::string out;
    for (std::size_t node = 0; node < by_node_.size(); ++node) {
      if (by_node_[node] > 0) {
        out += "\n  " + std::to_string(by_node_[node]) + " in " + node_text(graph, graph.nodes[node]);
      }
    }
    return out;
  }

 private:
  std::vector<long> by_node_;
  std::optional<HeapCount> heap_;
  long before_ = 0;
};

inline void expect_settled(const api::Model& model, const api::NamedTensors& inputs,
                           const api::SessionOptions& options) {
  const auto session = api::Session::create(model, options);
  ASSERT_TRUE(session.ok()) << session.error().message;
  const Graph& graph = session.value().optimized_graph();
  Watch watch(graph.nodes.size());
  const api::RunOptions watched = {.after_node = [&watch](std::size_t node) { watch.after(node); }};
  for (int run = 0; run < kWarmUpRuns + kCountedRuns; ++run) {
    watch.begin();
    const auto result = session.value().run(inputs, watched);
    const long total = watch.end();
    ASSERT_TRUE(result.ok()) << result.error().message;
    if (run >= kWarmUpRuns) {
      EXPECT_LE(total, kPerOutput * static_cast<long>(graph.outputs.size())) << "run " << run << watch.text(graph);
    }
  }
}

}  // namespace assay::test
