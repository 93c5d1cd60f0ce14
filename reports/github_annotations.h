// SPDX-License-Identifier: Apache-2.0
// Workflow commands that make a GitHub Actions step show what failed beside the case files.
#pragma once

#include <cstddef>

#include "reports/renderer.h"

namespace assay::reports {

// What GitHub shows of one step, and takes in one message.
inline constexpr std::size_t kMostAnnotations = 10;  // of each level
inline constexpr std::size_t kMostAnnotationBytes = 64 * 1024;

// An error per kind of failure; a warning per kind of weak pass and of inconclusive variant; a notice per kind of skip.
// Where there are more kinds than GitHub shows, the last one says how many variants are not shown.
std::unique_ptr<Renderer> start_github_annotations(const RunRecord& run, const Sink& sink);

}  // namespace assay::reports
