# What `cmake --install` puts where, by component:
#   library      libmayfly.so.VERSION, and the link by its soname
#   development  headers, libmayfly.so, libmayfly.a, the files of find_package and pkg-config
#   server       the executable
#   rados        the plugin for Ceph, where it is built; nothing else needs librados2
#   python       the Python package; only when it is asked for by name
# Nothing is compiled for it: these are the libraries and the program that the tests run with.
# docs/decisions/0049-packages.md has the reasons.

# Where Debian's compilers, pkg-config and CMake look, below /usr and below /usr/local.
if(CMAKE_LIBRARY_ARCHITECTURE AND NOT DEFINED CMAKE_INSTALL_LIBDIR)
  set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE} CACHE PATH "Libraries, below the prefix")
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(MAYFLY_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR}/mayfly)
set(MAYFLY_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mayfly)
set(MAYFLY_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

function(mayfly_install_library)
  set_target_properties(mayfly_shared PROPERTIES EXPORT_NAME mayfly)
  set_target_properties(mayfly_static PROPERTIES EXPORT_NAME static)
  install(TARGETS mayfly_shared EXPORT mayfly_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS mayfly_static EXPORT mayfly_static_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mayfly DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT development FILES_MATCHING PATTERN *.h)
  install(EXPORT mayfly_targets NAMESPACE mayfly:: FILE mayfly-targets.cmake
    DESTINATION ${MAYFLY_CMAKE_DIR} COMPONENT development)
  install(EXPORT mayfly_static_targets NAMESPACE mayfly:: FILE mayfly-static-targets.cmake
    DESTINATION ${MAYFLY_CMAKE_DIR} COMPONENT development)
  mayfly_install_config()
  mayfly_install_pkgconfig()
endfunction()

function(mayfly_install_config)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mayfly-config.cmake.in
    ${CMAKE_BINARY_DIR}/install/mayfly-config.cmake INSTALL_DESTINATION ${MAYFLY_CMAKE_DIR}
    NO_SET_AND_CHECK_MACRO)
  # Before 1.0 a minor version may change anything; the soname says the same.
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/mayfly-config-version.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/install/mayfly-config.cmake
    ${CMAKE_BINARY_DIR}/install/mayfly-config-version.cmake
    DESTINATION ${MAYFLY_CMAKE_DIR} COMPONENT development)
endfunction()

# What libmayfly.a is linked with, from the same list as the CMake target: a library of a target
# RocksDB::rocksdb-shared is -lrocksdb.
function(mayfly_install_pkgconfig)
  get_target_property(links mayfly_static LINK_LIBRARIES)
  list(REMOVE_DUPLICATES links)
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^.*::|-shared$" "" name ${link})
    string(TOLOWER ${name} name)
    list(APPEND libraries -l${name})
  endforeach()
  list(TRANSFORM libraries REPLACE "^-lthreads$" -pthread)
  list(APPEND libraries -lstdc++ -lm)
  list(JOIN libraries " " MAYFLY_LIBS_PRIVATE)
  file(RELATIVE_PATH MAYFLY_PREFIX_FROM_PC /${MAYFLY_PKGCONFIG_DIR} /)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/mayfly.pc.in ${CMAKE_BINARY_DIR}/install/mayfly.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/install/mayfly.pc DESTINATION ${MAYFLY_PKGCONFIG_DIR}
    COMPONENT development)
endfunction()
