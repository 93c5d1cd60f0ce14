// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/threads.h"

// Two functions of the OpenMP standard. Its header belongs to one compiler and is not there for others that read this
// file (clang-tidy); the functions are the same.
extern "C" {
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);
}

namespace assay::runtime {

int max_threads() { return omp_get_max_threads(); }

ThreadScope::ThreadScope(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }

ThreadScope::~ThreadScope() { omp_set_num_threads(before_); }

}  // namespace assay::runtime
