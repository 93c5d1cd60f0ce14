// SPDX-License-Identifier: Apache-2.0
// Internal to api/: a model run over calibration samples with an eye on its values.
//
// Each worker has one session, planned once, and one sample at a time: beside the model there are never more samples
// than workers, each with the values that its run still needs. Errors are those of the sample with the lowest number,
// whatever the threads.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/api/quantize.h"

namespace assay::api {

// Sessions at optimization none, profile scalar and exact.
Result<std::vector<Session>> observing_sessions(const Model& model, int workers);

// Shows every value of a sample to `observe`: inputs, then what the model computes of them; float16 as float32.
// `in_any_order`: their elements may come in another order, which is faster.
Status observe_sample(const Session& session, const NamedTensors& inputs,
                      const std::function<void(const std::string& value, const Tensor& tensor)>& observe,
                      bool in_any_order = false);

// max |x| over all samples of each index along the last axis; NaN and infinity are passed over. `lengths`: the values
// with the length of that axis. Values that no sample computes with that length and float32 elements are left out.
Result<std::map<std::string, std::vector<double>>> last_axis_magnitudes(const Model& model,
                                                                        const CalibrationSource& source, int workers,
                                                                        const std::map<std::string, Index>& lengths);

struct ChannelMean {
  bool last_axis = false;  // the channels lie along the last axis instead of the second
  std::vector<double> mean;
};

// The mean of each channel of the values named, over the positions of a sample and then over the samples, in double and
// in the order of the samples. Values that are never computed, or not as float32, keep an empty mean.
Status channel_means(const Model& model, const CalibrationSource& source, int workers,
                     std::map<std::string, ChannelMean>& values);

}  // namespace assay::api
