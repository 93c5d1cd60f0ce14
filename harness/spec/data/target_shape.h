// SPDX-License-Identifier: Apache-2.0
// Which shape a data source's tensor takes.
#pragma once

#include <optional>
#include <string>

#include "harness/spec/data_source.h"

namespace assay::spec {

// "[N,1,28,?]"
std::string dims_text(const std::vector<Dim>& dims);

// "shape" of a source, if it has one.
std::optional<Shape> stated_shape(const DataSource& source);

// "" if the shape fits the target, else the reason with both shapes.
std::string misfit(const Shape& shape, const Target& target);

// For generated values: the stated shape, else the target's, which must be known.
Result<Shape> generated_shape(const DataSource& source, const Target& target);
// For `count` values without a shape of their own: the stated shape, else the target's, of which one dimension may be
// open and follows from the count.
Result<Shape> counted_shape(const DataSource& source, const Target& target, Index count);
// For values that have a shape: it must fit. A stated shape reshapes them where `may_reshape`, else it must be the
// same.
Result<Shape> natural_shape(const DataSource& source, const Target& target, const Shape& natural, bool may_reshape);

}  // namespace assay::spec
