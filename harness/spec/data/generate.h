// SPDX-License-Identifier: Apache-2.0
// Data sources that make their values: constant, random, ramp and the adversarial fills.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/spec/data_source.h"

namespace assay::spec {

// Whether the source is one of these.
bool is_generated(const DataSource& source);

// The seed that a random source uses for sample `sample`: its own or the hash of seed_name, plus the sample's number.
std::optional<std::uint64_t> seed_for(const DataSource& source, const std::string& seed_name, Index sample);

Result<SourceTensor> generate(const DataSource& source, const Target& target, Index sample);

}  // namespace assay::spec
