// SPDX-License-Identifier: Apache-2.0
#include "tests/support/folders.h"

namespace assay::test {

std::filesystem::path source_folder() { return ASSAY_SOURCE_DIR; }

std::filesystem::path outside_probes_folder() { return ASSAY_PROBES_DIR; }

}  // namespace assay::test
