# What every target of ours is compiled with. Third-party headers come in as system headers, so the
# warnings below are about our own code alone.

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# lld links the test programs about three times faster than ld. gcc's sanitizers go with it, too.
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()

add_library(mayfly_compiler INTERFACE)
target_compile_options(mayfly_compiler INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast> -Wimplicit-fallthrough)
if(MAYFLY_WERROR)
  target_compile_options(mayfly_compiler INTERFACE -Werror)
endif()
target_include_directories(mayfly_compiler INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)

if(MAYFLY_SANITIZE)
  add_compile_options(-fsanitize=${MAYFLY_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MAYFLY_SANITIZE})
  # gcc loses track of which alternative a std::variant holds once it is instrumented, and calls it
  # uninitialised; the uninstrumented builds keep the warning.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  if(MAYFLY_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
