// SPDX-License-Identifier: Apache-2.0
// When a number counts as changed.
#pragma once

namespace assay::diff {

// How far `after` lies from `before`, with its sign: 0 where they are the same number, the same infinity or both NaN;
// infinite where only one of them is NaN or infinite. Never NaN.
double change_of(double before, double after);

// Whether a change is within tolerance * magnitude. An infinite or undefined magnitude allows nothing but no change.
bool is_within(double change, double tolerance, double magnitude);

// change / magnitude, the sorting weight of a change; infinite where the magnitude is 0, infinite or NaN.
double relative_change(double change, double magnitude);

}  // namespace assay::diff
