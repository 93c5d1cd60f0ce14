// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/parallel.h"

// Declared here, because OpenMP's header belongs to one compiler and is not there for others that read this file
// (clang-tidy); the function is the same.
extern "C" {
int omp_get_thread_num(void);
}

namespace assay::runtime {

int worker_slot() { return omp_get_thread_num(); }

}  // namespace assay::runtime
