// SPDX-License-Identifier: Apache-2.0
// How numbers are written: for people with a unit and few digits, in JSON with infinities and NaN as strings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "reports/record.h"

namespace assay::reports {

// Six significant digits; "inf", "-inf", "nan".
std::string number_text(double value);
// 0.8921 -> "89.21 %", with `digits` decimals.
std::string percent_text(double share, int digits = 2);
// "1.234 ms": three decimals in ns, us, ms or s.
std::string time_text(double nanoseconds);
// "640 B", "1.5 KiB", "12.3 MiB".
std::string bytes_text(std::size_t bytes);

// A number, or "inf", "-inf", "nan" where JSON has none.
Json number_json(double value);
// The reverse; nothing if `json` is neither.
std::optional<double> number_from_json(const Json& json);

// "max_abs_error(y) = 127 exceeds at_most 0.5": a failed check in one line.
std::string check_text(const Check& check);
// "at_most 0.5", "at_least 30 and at_most 40".
std::string limit_text(const Check& check);

}  // namespace assay::reports
