# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, sanitizers and ccache for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Bytes must not depend on contraction: an FMA is used only where a formula says so. Assertions stay on.
add_compile_options(-Wall -Wextra -Wconversion -Wundef -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # false alarms on std::string in GCC 12 (its bug 105329)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
# For kernels and other loops that are to be vectorised. Under the sanitizers it would double the time to compile them.
set(ASSAY_LOOP_OPTIONS -O3)
if(ASSAY_SANITIZE)
  set(ASSAY_LOOP_OPTIONS -O1)
endif()

if(ASSAY_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)  # false alarms inside std::regex under the sanitizers
  endif()
endif()

find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE)
  # Paths relative to the tree: a second clone finds what the first compiled. The rest lets precompiled headers be cached.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${ASSAY_CCACHE}")
endif()
