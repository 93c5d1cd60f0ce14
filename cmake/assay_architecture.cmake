# SPDX-License-Identifier: Apache-2.0
# What is built for: ASSAY_HAVE_X86 (x86-64) and ASSAY_HAVE_AARCH64, 0 or 1. Other processors have the portable code alone.
set(ASSAY_HAVE_X86 0)
set(ASSAY_HAVE_AARCH64 0)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(ASSAY_HAVE_X86 1)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(ASSAY_HAVE_AARCH64 1)
endif()
# Linux tells AArch64's processes what they may execute.
set(ASSAY_USE_CPUINFO 1)
if(ASSAY_HAVE_AARCH64)
  set(ASSAY_USE_CPUINFO 0)
endif()

# file_where(CONDITION FILE FLAGS...): compiles FILE with FLAGS, or leaves it out where the variable CONDITION is false.
function(file_where condition file)
  if(${condition})
    set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ARGN}")
  else()
    set_source_files_properties(${file} PROPERTIES HEADER_FILE_ONLY ON)
  endif()
endfunction()
