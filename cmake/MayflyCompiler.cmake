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
# gcc loses track of which alternative a std::variant holds, once it is instrumented or inlines at -O3,
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
