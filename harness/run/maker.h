// SPDX-License-Identifier: Apache-2.0
// What makes results: this build of the program on this CPU. Results of two of them are not mixed without a word.
#pragma once

#include <string>

#include "reports/record.h"

namespace assay::run {

// Of a maker: what the external runtimes of the result said of themselves, by name. Left out where it used none.
inline constexpr char kRuntimesKey[] = "runtimes";

// The facts of host.h that results depend on: "assay", "build", "cpu", "features", "best_isa".
reports::Json this_maker();

// The linker's build id of the running program: hexadecimal digits, the same for the same bytes. "" if it has none.
std::string build_id();

// "" where they are the same, else how they differ: "best_isa was scalar, now avx2". Makers that used external runtimes
// have "runtimes" (runtime_identities.h); those that `now` has are compared.
std::string changed_maker(const reports::Json& then, const reports::Json& now);

// "assay 1.0": the version of a host's facts.
std::string version_text(const reports::Json& host);
// "assay 1.0, build 0a1b": the program of a host's facts.
std::string program_text(const reports::Json& host);

}  // namespace assay::run
