# mayfly_module(NAME USES module... LINKS library... SOURCES file... TESTS file... FUZZ file...)
#
# A module is a folder that names its files and what it uses; nothing is globbed. It becomes
# - the static library mayfly_NAME, linked with what it USES and the third-party libraries it LINKS;
# - a part of libmayfly;
# - a shared library linked alone with just that and no undefined symbol left, so that a dependency it
#   forgot to name fails the build;
# - one test program per file of TESTS and one fuzzer per file of FUZZ.
# tests/layers reads every #include line against the same USES.

define_property(GLOBAL PROPERTY MAYFLY_MODULES)
define_property(GLOBAL PROPERTY MAYFLY_MODULE_LINES)

function(mayfly_module name)
  cmake_parse_arguments(ARG "" "" "USES;LINKS;SOURCES;TESTS;FUZZ" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND mayfly_ OUTPUT_VARIABLE uses)

  add_library(mayfly_${name}_objects OBJECT ${ARG_SOURCES})
  target_link_libraries(mayfly_${name}_objects PUBLIC ${uses} ${ARG_LINKS} PRIVATE mayfly_compiler)
  add_library(mayfly_${name} STATIC $<TARGET_OBJECTS:mayfly_${name}_objects>)
  target_link_libraries(mayfly_${name} PUBLIC ${uses} ${ARG_LINKS})
  set_property(GLOBAL APPEND PROPERTY MAYFLY_MODULES ${name})

  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  list(JOIN ARG_USES "," uses_line)
  set_property(GLOBAL APPEND PROPERTY MAYFLY_MODULE_LINES "${name} ${folder} ${uses_line}")

  # clang leaves the sanitizers' own symbols to the executable, so a library alone cannot be whole.
  if(MAYFLY_LINK_TESTS AND NOT MAYFLY_SANITIZE AND NOT MAYFLY_FUZZ)
    add_library(link_${name} SHARED $<TARGET_OBJECTS:mayfly_${name}_objects>)
    target_link_libraries(link_${name} PRIVATE ${uses} ${ARG_LINKS})
    target_link_options(link_${name} PRIVATE -Wl,-z,defs)
    set_target_properties(link_${name} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/link_tests LINKER_LANGUAGE CXX)
  endif()

  foreach(file IN LISTS ARG_TESTS)
    get_filename_component(test ${file} NAME_WE)
    mayfly_test(${test} SOURCES ${file} LINKS mayfly_${name})
  endforeach()

  if(MAYFLY_FUZZ)
    foreach(file IN LISTS ARG_FUZZ)
      get_filename_component(fuzzer ${file} NAME_WE)
      add_executable(${fuzzer} ${file})
      target_link_libraries(${fuzzer} PRIVATE mayfly_${name} mayfly_compiler)
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      add_test(NAME ${fuzzer}
        COMMAND ${fuzzer} -runs=200000 -max_total_time=20 -timeout=5 -print_final_stats=1)
      set_tests_properties(${fuzzer} PROPERTIES LABELS fuzz)
    endforeach()
  endif()
endfunction()

# mayfly_test(NAME SOURCES file... LINKS library... [ARGS argument...])
# One program, run by ctest as one test: starting it per case would cost more than the cases.
function(mayfly_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;ARGS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} mayfly_compiler GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endfunction()

# libmayfly.so and libmayfly.a, from all modules declared so far.
function(mayfly_library)
  get_property(modules GLOBAL PROPERTY MAYFLY_MODULES)
  foreach(kind SHARED STATIC)
    string(TOLOWER ${kind} suffix)
    add_library(mayfly_${suffix} ${kind})
    foreach(module IN LISTS modules)
      target_sources(mayfly_${suffix} PRIVATE $<TARGET_OBJECTS:mayfly_${module}_objects>)
      get_target_property(links mayfly_${module} INTERFACE_LINK_LIBRARIES)
      list(FILTER links EXCLUDE REGEX "^mayfly_")
      target_link_libraries(mayfly_${suffix} PUBLIC ${links})
    endforeach()
    target_include_directories(mayfly_${suffix} INTERFACE ${PROJECT_SOURCE_DIR}/include)
    set_target_properties(mayfly_${suffix} PROPERTIES OUTPUT_NAME mayfly LINKER_LANGUAGE CXX)
  endforeach()
  set_target_properties(mayfly_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)

  # Every public header must compile alone; the target is part of the build.
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/mayfly/*.h)
  target_sources(mayfly_static PUBLIC FILE_SET HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
  set_target_properties(mayfly_static PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# The layer test, as a part of the build: an #include against the direction stops it.
function(mayfly_check_layers)
  get_property(lines GLOBAL PROPERTY MAYFLY_MODULE_LINES)
  list(JOIN lines "\n" text)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/modules.txt CONTENT "${text}\n")
  add_custom_target(layers ALL
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/layers/check_layers.py
            --root ${PROJECT_SOURCE_DIR} --modules ${CMAKE_BINARY_DIR}/modules.txt
    COMMENT "Checking #include directions" VERBATIM)
endfunction()
