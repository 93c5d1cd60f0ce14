# SPDX-License-Identifier: Apache-2.0
# Debian's packages. Some of their CMake files are broken; docs/dependencies.md says which and why each is found as it is.
if(ASSAY_BUILD_TESTS)
  include(assay_googletest)
endif()

if(ASSAY_USE_CPUINFO)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(CPUINFO REQUIRED IMPORTED_TARGET libcpuinfo)
endif()
if(ASSAY_KERNELS_ONLY)
  return()
endif()

find_package(Protobuf REQUIRED)  # before ONNX, whose targets need protobuf::libprotobuf
find_package(ONNX CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(valijson CONFIG REQUIRED)
find_package(benchmark CONFIG REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(TBB CONFIG REQUIRED)
find_package(Threads REQUIRED)

# dnnl's CMake package demands OpenCL, which the CPU library does not use.
find_library(ASSAY_DNNL_LIBRARY dnnl REQUIRED)
find_path(ASSAY_DNNL_INCLUDE oneapi/dnnl/dnnl.hpp REQUIRED)
add_library(assay_dnnl INTERFACE)
target_link_libraries(assay_dnnl INTERFACE "${ASSAY_DNNL_LIBRARY}" OpenMP::OpenMP_CXX)
target_include_directories(assay_dnnl SYSTEM INTERFACE "${ASSAY_DNNL_INCLUDE}")
