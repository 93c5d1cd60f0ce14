// SPDX-License-Identifier: Apache-2.0
// Resident memory of this process, in KiB; 0 where the kernel does not tell (/proc/self/status).
#pragma once

namespace assay::measure {

long resident_kib();
long peak_resident_kib();  // since the process began

}  // namespace assay::measure
