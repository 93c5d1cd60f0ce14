# SPDX-License-Identifier: Apache-2.0
# GoogleTest for tests: Debian's library or, where we build for another processor, Debian's sources of it.
if(NOT CMAKE_CROSSCOMPILING)
  find_package(GTest CONFIG REQUIRED)
  return()
endif()
set(ASSAY_GOOGLETEST_SOURCES /usr/src/googletest CACHE PATH "GoogleTest's sources (Debian package googletest)")
if(NOT EXISTS "${ASSAY_GOOGLETEST_SOURCES}/CMakeLists.txt")
  message(FATAL_ERROR "no GoogleTest in ${ASSAY_GOOGLETEST_SOURCES}: install the Debian package googletest")
endif()
set(INSTALL_GTEST OFF)
add_subdirectory("${ASSAY_GOOGLETEST_SOURCES}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL)
foreach(target gtest gtest_main gmock gmock_main)
  target_compile_options(${target} PRIVATE -w)  # our warnings are not theirs
endforeach()
