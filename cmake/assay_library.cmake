# SPDX-License-Identifier: Apache-2.0
if(ASSAY_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(ASSAY_PRECOMPILE_OPTIONS -fpch-preprocess)  # ccache reads the preprocessed text
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND ASSAY_PRECOMPILE_OPTIONS -Wno-array-bounds -Wno-stringop-overflow)  # false alarms on std::string once its header is precompiled
endif()

# assay_library(NAME DEPENDS ...): a static library of every .cpp in the current folder and the sub-folders given.
# PRECOMPILE names the headers of other projects that most of its files include, where these take longer than the rest.
function(assay_library name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;DEPENDS;PRIVATE_DEPENDS;PRECOMPILE" ${ARGN})
  set(patterns "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  foreach(folder IN LISTS ARG_FOLDERS)
    list(APPEND patterns "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
    if(ARG_PRECOMPILE)
      target_precompile_headers(${name} PRIVATE ${ARG_PRECOMPILE})
      target_compile_options(${name} PRIVATE ${ASSAY_PRECOMPILE_OPTIONS})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()

# Tests name the arguments they care about and leave the others at their defaults; -O1 compiles them a quarter faster.
set(ASSAY_TEST_OPTIONS -Wno-missing-field-initializers -O1 ${ASSAY_PRECOMPILE_OPTIONS})

# assay_test(NAME DEPENDS ...): one GoogleTest program of every *_test.cpp in the current folder and FOLDERS.
function(assay_test name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;DEPENDS" ${ARGN})
  set(patterns "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp")
  foreach(folder IN LISTS ARG_FOLDERS)
    list(APPEND patterns "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cpp")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(sources)
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} assay_test_support GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_options(${name} PRIVATE ${ASSAY_TEST_OPTIONS})
    target_precompile_headers(${name} REUSE_FROM assay_test_headers)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS unit)
  endif()
endfunction()
