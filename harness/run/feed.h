// SPDX-License-Identifier: Apache-2.0
// Feeding inputs to a session, whole or N samples of the first axis at a time, and joining the outputs again.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "engine/api/session.h"
#include "harness/run/runtime_session.h"

namespace assay::run {

// Samples of a data set fed at a time where neither runtime.batch nor the model says how many.
inline constexpr Index kDatasetBatch = 32;

struct FeedPlan {
  Index samples = 0;  // length of the first axis; 0: fed whole, as given
  Index batch = 0;    // samples per call
  // The model's first dimension is fixed: a short last batch repeats its last sample, and what those give is dropped.
  bool padded = false;
};

// `batch`: runtime.batch, if it is a number. `dataset`: the inputs are samples of a data set.
// Errors: inputs without a first axis, first axes of different length, or a batch that is not the model's fixed one.
Result<FeedPlan> plan_feed(const Graph& graph, const api::NamedTensors& inputs, std::optional<Index> batch,
                           bool dataset);

// The samples that a run of the plan feeds: those of its first axis; of inputs that are fed whole, the length of the
// first axis that they share, and 1 where they share none.
Index samples_fed(const api::NamedTensors& inputs, const FeedPlan& plan);

// Rows [begin, begin + count) of the first axis. With `padded_to` > count the last row is repeated up to that.
Result<Tensor> slice_rows(const Tensor& tensor, Index begin, Index count, Index padded_to = 0);

// The inputs of the first call.
Result<api::NamedTensors> first_batch(const api::NamedTensors& inputs, const FeedPlan& plan);

// Runs all samples, or the first `limit` of them, and joins outputs and saturation counts.
// Errors: those of the session's run; an output whose first axis is not the batch.
Result<api::RunResult> feed(RuntimeSession& session, const api::NamedTensors& inputs, const FeedPlan& plan,
                            const api::RunOptions& options = {}, Index limit = 0);

}  // namespace assay::run
