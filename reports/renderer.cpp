// SPDX-License-Identifier: Apache-2.0
#include "reports/renderer.h"

namespace assay::reports {

void feed(const ResultList& results, std::span<const std::unique_ptr<Renderer>> renderers) {
  for_each_case(results, [&](const CaseGroup& group) {
    for (const auto& renderer : renderers) {
      renderer->take(group);
    }
  });
  for (const auto& renderer : renderers) {
    renderer->finish();
  }
}

void render(StartRenderer start, const RunRecord& run, const Sink& sink) {
  const std::unique_ptr<Renderer> renderer = start(run, sink);
  feed(run.results, {&renderer, 1});
}

std::string report_text(StartRenderer start, const RunRecord& run) {
  return rendered([&](const Sink& sink) { render(start, run, sink); });
}

}  // namespace assay::reports
