// SPDX-License-Identifier: Apache-2.0
// What every renderer is: it is fed the results case by case, so that one reading of them serves every report of a run.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "reports/record.h"
#include "reports/sink.h"

namespace assay::reports {

class Renderer {
 public:
  Renderer() = default;
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;
  virtual ~Renderer() = default;
  // Each case once, in order of first appearance. The group is gone after the call.
  virtual void take(const CaseGroup& group) = 0;
  // Once, after the last case.
  virtual void finish() {}
};

// Begins a report of the run, which outlives it: what is known without reading the results may be written at once.
using StartRenderer = std::unique_ptr<Renderer> (*)(const RunRecord& run, const Sink& sink);

// Feeds the results to the renderers and finishes them, in their order.
void feed(const ResultList& results, std::span<const std::unique_ptr<Renderer>> renderers);

// One report.
void render(StartRenderer start, const RunRecord& run, const Sink& sink);
std::string report_text(StartRenderer start, const RunRecord& run);

}  // namespace assay::reports
