# What every target of ours is compiled with. Third-party headers come in as system headers, so the
# warnings below are about our own code alone.

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# One linker for everything, so that what is tested is what ships. lld links the test programs about
# three times faster than ld. gcc's sanitizers go with it, too.
set(MAYFLY_LINKER lld CACHE STRING "Linker, as for -fuse-ld=; empty: the compiler's own")
if(MAYFLY_LINKER)
  find_program(MAYFLY_LINKER_PATH ld.${MAYFLY_LINKER})
  if(NOT MAYFLY_LINKER_PATH)
    message(FATAL_ERROR "ld.${MAYFLY_LINKER} is not installed. Install the package ${MAYFLY_LINKER}, or "
      "give -DMAYFLY_LINKER= to link with the compiler's own, which the tests then run with, too.")
  endif()
  add_link_options(-fuse-ld=${MAYFLY_LINKER})
endif()

add_library(mayfly_compiler INTERFACE)
target_compile_options(mayfly_compiler INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast> -Wimplicit-fallthrough)
# gcc loses track of which alternative a std::variant holds, once it is instrumented or optimised,
# and calls it uninitialised. The dev preset keeps the warning.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND (MAYFLY_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL Release))
  target_compile_options(mayfly_compiler INTERFACE -Wno-maybe-uninitialized)
endif()
if(MAYFLY_WERROR)
  target_compile_options(mayfly_compiler INTERFACE -Werror)
endif()
target_include_directories(mayfly_compiler INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)

if(MAYFLY_SANITIZE)
  add_compile_options(-fsanitize=${MAYFLY_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MAYFLY_SANITIZE})
  if(MAYFLY_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

# What tests are compiled with besides, and their precompiled header. See mayfly_test(). UBSan doubles
# a test's compilation, and is there for the code that is tested.
if(MAYFLY_SHARED_TESTS)
  set(MAYFLY_TEST_OPTIONS $<$<COMPILE_LANGUAGE:CXX>:-Og>)
elseif(MAYFLY_SANITIZE MATCHES undefined)
  set(MAYFLY_TEST_OPTIONS -fno-sanitize=undefined)
endif()
