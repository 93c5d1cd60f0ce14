// SPDX-License-Identifier: Apache-2.0
// From argv to an exit code.
#pragma once

namespace assay::cli {

// Exit codes: docs/command-line.md. Throws only what the standard library throws in a calamity (no memory).
int run_command_line(int argc, char** argv);

}  // namespace assay::cli
