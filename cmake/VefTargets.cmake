# How this project declares its libraries, programs and tests: warnings, sanitizers and C++ level in one place.

add_library(vef_build_flags INTERFACE)
target_compile_features(vef_build_flags INTERFACE cxx_std_20)
target_compile_options(vef_build_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wno-sign-conversion)
if(VEF_WERROR)
  target_compile_options(vef_build_flags INTERFACE -Werror)
endif()
if(VEF_SANITIZE)
  target_compile_options(vef_build_flags INTERFACE -fsanitize=${VEF_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(vef_build_flags INTERFACE -fsanitize=${VEF_SANITIZE})
endif()

if(VEF_LIBFUZZER)
  target_compile_options(vef_build_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(vef_build_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# vef_library(NAME ROOM SOURCES... ) declares the static library vef_<room>, alias vef::<room>, whose public
# headers live in <room>/include.
function(vef_library room)
  add_library(vef_${room} STATIC ${ARGN})
  add_library(vef::${room} ALIAS vef_${room})
  target_include_directories(vef_${room}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
           $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(vef_${room} PRIVATE $<BUILD_INTERFACE:vef_build_flags>)
  target_compile_features(vef_${room} PUBLIC cxx_std_20)
  set_target_properties(vef_${room} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${room})
endfunction()

# All unit test programs: what a sanitizer build needs.
add_custom_target(vef_unit_tests)

# vef_test(NAME LIBRARY SOURCES...) declares one GoogleTest program of a room, label "unit"; extra labels in
# VEF_TEST_LABELS.
function(vef_test name library)
  if(NOT (VEF_BUILD_TESTS AND VEF_UNIT_TESTS))
    return()
  endif()
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${library} vef_build_flags GTest::gtest GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}
                                             ${PROJECT_SOURCE_DIR}/tests/support)
  # The code under test is optimised as its library is; to optimise the tests takes longer than to run them.
  target_compile_options(${name} PRIVATE -O0)
  add_dependencies(vef_unit_tests ${name})
  target_compile_definitions(${name} PRIVATE VEF_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300 LABELS "unit;${VEF_TEST_LABELS}")
endfunction()
