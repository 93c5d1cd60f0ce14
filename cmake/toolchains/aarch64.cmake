# SPDX-License-Identifier: Apache-2.0
# Debian's cross compiler for 64-bit Arm; built programs run under QEMU's user-mode emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)  # GoogleTest's project names both languages
# The CPU that is emulated: `max` has every extension, cortex-a57 neither dot products nor matrix products.
set(ASSAY_EMULATED_CPU max CACHE STRING "qemu-aarch64's -cpu for tests")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu ${ASSAY_EMULATED_CPU} -L /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
