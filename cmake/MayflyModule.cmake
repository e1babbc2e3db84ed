# mayfly_module(NAME [TEST_SUPPORT] USES module... LINKS library...
#               SOURCES file... TESTS file... FUZZ file...)
#
# A module is a folder that names its files and what it uses; nothing is globbed. It becomes
# - the static library mayfly_NAME, linked with what it USES and the third-party libraries it LINKS;
# - a part of libmayfly, unless it is TEST_SUPPORT, which may consist of headers alone;
# - a shared library linked alone with just that and no undefined symbol left, so that a dependency it
#   forgot to name fails the build;
# - one test program NAME_tests of the files of TESTS, and one fuzzer per file of FUZZ.
# tests/layers reads every #include line against the same USES.

# Seconds after which a test hangs. With sanitizers tests take up to fifteen times as long.
set(MAYFLY_TEST_TIMEOUT 600)
if(MAYFLY_SANITIZE)
  set(MAYFLY_TEST_TIMEOUT 1800)
endif()

define_property(GLOBAL PROPERTY MAYFLY_MODULES)
define_property(GLOBAL PROPERTY MAYFLY_MODULE_LINES)

if(MAYFLY_FUZZ)
  add_custom_target(fuzzers)
endif()

function(mayfly_module name)
  cmake_parse_arguments(ARG "TEST_SUPPORT" "" "USES;LINKS;SOURCES;TESTS;FUZZ" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND mayfly_ OUTPUT_VARIABLE uses)

  if(ARG_TEST_SUPPORT AND NOT ARG_SOURCES)
    add_library(mayfly_${name} INTERFACE)
    target_link_libraries(mayfly_${name} INTERFACE ${uses} ${ARG_LINKS})
    mayfly_layer(${name} test_support "${ARG_USES}")
    return()
  endif()

  add_library(mayfly_${name}_objects OBJECT ${ARG_SOURCES})
  target_link_libraries(mayfly_${name}_objects PUBLIC ${uses} ${ARG_LINKS} PRIVATE mayfly_compiler)
  if(TARGET source_headers)  # Not in the projects that test this file.
    target_precompile_headers(mayfly_${name}_objects REUSE_FROM source_headers)
  endif()
  add_library(mayfly_${name} STATIC $<TARGET_OBJECTS:mayfly_${name}_objects>)
  target_link_libraries(mayfly_${name} PUBLIC ${uses} ${ARG_LINKS})
  if(ARG_TEST_SUPPORT)
    mayfly_layer(${name} test_support "${ARG_USES}")
  else()
    mayfly_layer(${name} library "${ARG_USES}")
    set_property(GLOBAL APPEND PROPERTY MAYFLY_MODULES ${name})
  endif()

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
    if(file MATCHES "[.]c$")
      mayfly_test(${test} SOURCES ${file} LINKS mayfly_${name})
    else()
      mayfly_test(${test} PROGRAM ${name}_tests SOURCES ${file} LINKS mayfly_${name})
    endif()
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
      add_dependencies(fuzzers ${fuzzer})
    endforeach()
  endif()
endfunction()

# mayfly_test(NAME [PROGRAM program | STATIC] SOURCES file... LINKS library... [ARGS argument...])
# One test of ctest: starting a program per case would cost more than the cases.
#
# With PROGRAM, SOURCES is one file, and all tests of that name are linked as one program, compiled in
# batches as modules are: a file in a batch takes 60% of the time. Files of a program cannot define
# the same name. ctest runs the program once per file (tests/test_main.cc), and a target NAME builds it.
#
# With MAYFLY_SHARED_TESTS the modules' code comes from one shared library, of the objects that ship.
# It calls its own copies of inline functions, never those of a test. So a test need not be optimised
# to run what ships, which is two thirds of its compilation, and no test is linked again when a
# module changes. STATIC is for tests that put a function of theirs in the place of a module's.
function(mayfly_test name)
  cmake_parse_arguments(ARG "STATIC" "PROGRAM" "SOURCES;LINKS;ARGS" ${ARGN})
  if(ARG_PROGRAM)
    get_filename_component(from ${ARG_SOURCES} NAME_WE)
    if(TARGET ${ARG_PROGRAM})
      target_sources(${ARG_PROGRAM} PRIVATE ${ARG_SOURCES})
      target_link_libraries(${ARG_PROGRAM} PRIVATE ${ARG_LINKS})
    else()
      mayfly_test_program(${ARG_PROGRAM} GTest::gtest "${ARG_STATIC}" "${ARG_LINKS}"
        ${ARG_SOURCES} $<TARGET_OBJECTS:test_main>)
    endif()
    add_custom_target(${name} DEPENDS ${ARG_PROGRAM})
    add_test(NAME ${name} COMMAND ${ARG_PROGRAM} --from=${from} ${ARG_ARGS})
  else()
    mayfly_test_program(${name} GTest::gtest_main "${ARG_STATIC}" "${ARG_LINKS}" ${ARG_SOURCES})
    add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS})
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${MAYFLY_TEST_TIMEOUT})
endfunction()

# The program PROGRAM of the named sources, with GoogleTest as GTEST names it.
function(mayfly_test_program program gtest static links)
  add_executable(${program} ${ARGN})
  target_compile_options(${program} PRIVATE ${MAYFLY_TEST_OPTIONS})
  if(MAYFLY_SHARED_TESTS AND NOT static)
    target_link_libraries(${program} PRIVATE mayfly_modules)
    set_target_properties(${program} PROPERTIES LINK_DEPENDS_NO_SHARED ON)
  endif()
  target_link_libraries(${program} PRIVATE ${links} mayfly_compiler ${gtest})
  if(NOT ARGN MATCHES "[.]c(;|$)")
    target_precompile_headers(${program} REUSE_FROM test_headers)
    # gcc forgets which of those headers are the system's, and then warns of the standard library's
    # own strings where it has inlined them.
    target_compile_options(${program} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>)
  endif()
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endfunction()

# mayfly_tests_on_disk()
# The tests of the current folder keep their files on the disk, as a user's database is, though
# scripts/run_tests gives the others memory.
function(mayfly_tests_on_disk)
  get_property(tests DIRECTORY PROPERTY TESTS)
  set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT_MODIFICATION "TMPDIR=unset:")
endfunction()

# mayfly_python_test(NAME file [argument...])
# A test written with unittest. No bytecode is left in the source tree.
function(mayfly_python_test name file)
  add_test(NAME ${name}
    COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1
            ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${MAYFLY_TEST_TIMEOUT})
endfunction()

# mayfly_long_tests(NAME...)
# Tests that take tens of seconds begin first, so that the other cores do not wait for them at the end.
function(mayfly_long_tests)
  set_tests_properties(${ARGN} PROPERTIES COST 100)
endfunction()

# mayfly_app(NAME USES module... LINKS library... SOURCES file...)
# The executable bin/NAME. It is checked for the direction of its includes as a module is, under the
# name app_NAME; nothing can use it.
function(mayfly_app name)
  cmake_parse_arguments(ARG "" "" "USES;LINKS;SOURCES" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND mayfly_ OUTPUT_VARIABLE uses)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${uses} ${ARG_LINKS} mayfly_compiler)
  mayfly_layer(app_${name} app "${ARG_USES}")
  mayfly_check_unwind(${name})
endfunction()

# Fails the link of TARGET when an exception could find no handler in it. Sanitizers add functions of
# their own, so what ships is what is checked.
function(mayfly_check_unwind target)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/unwind/check_unwind.py
              $<TARGET_FILE:${target}>
      VERBATIM)
  endif()
endfunction()

# Tells the layer test that the current folder is module NAME and may include what USES names. KIND
# is library, test_support or app.
function(mayfly_layer name kind uses)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  list(JOIN uses "," uses_line)
  set_property(GLOBAL APPEND PROPERTY MAYFLY_MODULE_LINES "${name} ${kind} ${folder} ${uses_line}")
endfunction()

# The modules declared so far, for the tests to link with. It comes before the modules' own static
# libraries on the link line, which are then left with nothing to add. Modules that use Lua stay
# static: what ships has a Lua archive that cannot be a part of a shared library.
function(mayfly_shared_modules)
  get_property(modules GLOBAL PROPERTY MAYFLY_MODULES)
  add_library(mayfly_modules SHARED)
  set(static mayfly_lua)
  foreach(module IN LISTS modules)
    get_target_property(links mayfly_${module} INTERFACE_LINK_LIBRARIES)
    set(libraries)
    foreach(link IN LISTS links)
      if(link IN_LIST static)
        list(APPEND static mayfly_${module})
      elseif(NOT TARGET ${link}_objects)
        list(APPEND libraries ${link})
      endif()
    endforeach()
    if(NOT mayfly_${module} IN_LIST static)
      target_sources(mayfly_modules PRIVATE $<TARGET_OBJECTS:mayfly_${module}_objects>)
      target_link_libraries(mayfly_modules PRIVATE ${libraries})
    endif()
  endforeach()
  target_link_options(mayfly_modules PRIVATE -Wl,-Bsymbolic-functions -Wl,-z,defs)
  set_target_properties(mayfly_modules PROPERTIES LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endfunction()

# libmayfly.so and libmayfly.a, from all modules declared so far. What they are linked with is their own
# affair: no public header names it.
function(mayfly_library)
  get_property(modules GLOBAL PROPERTY MAYFLY_MODULES)
  foreach(kind SHARED STATIC)
    string(TOLOWER ${kind} suffix)
    add_library(mayfly_${suffix} ${kind})
    foreach(module IN LISTS modules)
      target_sources(mayfly_${suffix} PRIVATE $<TARGET_OBJECTS:mayfly_${module}_objects>)
      get_target_property(links mayfly_${module} INTERFACE_LINK_LIBRARIES)
      list(FILTER links EXCLUDE REGEX "^mayfly_|^Boost::headers$")
      target_link_libraries(mayfly_${suffix} PRIVATE ${links})
    endforeach()
    target_include_directories(mayfly_${suffix} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
    target_compile_features(mayfly_${suffix} INTERFACE cxx_std_20)
    set_target_properties(mayfly_${suffix} PROPERTIES OUTPUT_NAME mayfly LINKER_LANGUAGE CXX)
  endforeach()
  set(exports ${PROJECT_SOURCE_DIR}/cmake/libmayfly.map)
  target_link_options(mayfly_shared PRIVATE -Wl,--version-script=${exports})
  set_target_properties(mayfly_shared PROPERTIES LINK_DEPENDS ${exports}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  mayfly_check_unwind(mayfly_shared)

  mayfly_check_public_headers()
endfunction()

# Every public header must compile alone, with include/ as the only folder to look in. CMake's own
# VERIFY_INTERFACE_HEADER_SETS does the same in a target that nobody builds unless asked.
function(mayfly_check_public_headers)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
    ${PROJECT_SOURCE_DIR}/include/mayfly/*.h)
  foreach(header IN LISTS headers)
    set(source ${CMAKE_BINARY_DIR}/public_headers/${header}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  add_library(public_headers OBJECT ${sources})
  target_include_directories(public_headers PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(public_headers PRIVATE
    $<TARGET_PROPERTY:mayfly_compiler,INTERFACE_COMPILE_OPTIONS>)
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
