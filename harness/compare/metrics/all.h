// SPDX-License-Identifier: Apache-2.0
// The metrics, one per file. Notation as in metric.h: a actual, r reference, d = |a - r|, n elements; a row is the last
// axis.
#pragma once

#include "harness/compare/metric.h"

namespace assay::compare {

// max d
Result<MetricValue> max_abs_error(const MetricInput& input);
// (sum d) / n
Result<MetricValue> mean_abs_error(const MetricInput& input);
// sqrt((sum d^2) / n)
Result<MetricValue> rmse(const MetricInput& input);
// max d / |r|; where r = 0: 0 if d = 0, else +infinity
Result<MetricValue> max_rel_error(const MetricInput& input);
// max d / (atol + rtol |r|), so that at most 1 means numpy.allclose; rtol is at least two units in the last place of
// a float16 or bfloat16. Integers and bools must be equal: 0, or +infinity.
Result<MetricValue> tolerance_ratio(const MetricInput& input);
// The smallest d such that at least ceil(quantile * n) elements have an error of at most d.
Result<MetricValue> quantile_abs_error(const MetricInput& input);
// 10 log10((sum r^2) / (sum d^2)) in dB; +infinity where all d = 0, -infinity where all r = 0 and some d is not.
// Elements that are infinite on both sides are left out of both sums.
Result<MetricValue> sqnr_db(const MetricInput& input);
// (sum a r) / (sqrt(sum a^2) sqrt(sum r^2)); 1 where both tensors are all zero, 0 where one is. NaN with infinities.
Result<MetricValue> cosine(const MetricInput& input);
// max d / step. Integer outputs have the step 1.
Result<MetricValue> max_steps(const MetricInput& input);
// Share of the elements with d / step > beyond_steps; with beyond_steps = 0 of those with d > 0, and then no step is
// needed. A NaN on one side counts as a mismatch.
Result<MetricValue> mismatch_share(const MetricInput& input);
// Number of elements whose bytes differ: +0 and -0 do, equal NaN patterns do not.
Result<MetricValue> exact(const MetricInput& input);
// Share of rows whose largest element is at the same place; the first of equals counts. A row with a NaN agrees with
// none.
Result<MetricValue> top1_agreement(const MetricInput& input);
// Mean over rows of |top-k of a, and of r| / k: of the places of the k largest elements, how many are common. Of equal
// elements the first counts; k is cut to the row's length. A row with a NaN contributes 0.
Result<MetricValue> topk_agreement(const MetricInput& input);
// Share of rows whose largest element is at the label's place. Rows and labels are equally many.
Result<MetricValue> top1_accuracy(const MetricInput& input);
// accuracy of r - accuracy of a on the same labels, from -1 to 1; above 0 the actual output is worse. The interval is
// that of a difference of paired shares (R. G. Newcombe, Statistics in Medicine 17 (1998), 2635-2650, method 10).
Result<MetricValue> accuracy_drop(const MetricInput& input);
// McNemar's exact test of a and r on the same labels: of the rows that one alone has right, b are a's and c r's; under
// the hypothesis that both are equally good, b is binomial(b + c, 1/2). The value is the p-value: two-sided
// min(1, 2 P(B <= min(b, c))); with side below (is a worse?) P(B <= b); with side above (is it better?) P(B >= b).
// 1 where no row differs.
Result<MetricValue> mcnemar_p(const MetricInput& input);
// Mean over rows of sum p ln(p / q), in nats; p from r, q from a. Rows become distributions by softmax, unless every
// row of the reference is one already (no element below 0, sum within 1e-3 of 1): then negative elements of a count as
// 0 and its rows are divided by their sums. q is at least 1e-12. NaN where an element is not finite.
Result<MetricValue> kl_divergence(const MetricInput& input);

// What would have passed besides other limits (Metric::loosen): for quantile_abs_error the largest `quantile` at which
// at_most holds; for mismatch_share the smallest `beyond_steps` at which at_most holds.
void loosen_quantile(const MetricInput& input, const Limits& limits, WouldPass& would_pass);
void loosen_beyond_steps(const MetricInput& input, const Limits& limits, WouldPass& would_pass);

}  // namespace assay::compare
