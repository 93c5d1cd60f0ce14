// SPDX-License-Identifier: Apache-2.0
// What ends a verb from outside: SIGINT, SIGTERM, SIGHUP.
#pragma once

namespace assay::cli {

// From here on these signals remove the files that are being written, say so on stderr and end the process with exit
// code 130; what was written before stays as it was. SIGHUP only where it is not ignored (nohup). `run` catches them in
// its own way (harness/run/interrupt.h) while it runs.
void end_cleanly_on_signals();

}  // namespace assay::cli
