# `cpack -G DEB` (make packages): one .deb per component of MayflyInstall.cmake. A component that is added
# needs its line in CPACK_COMPONENTS_ALL and its own CPACK_DEBIAN_NAME_... below, and nothing else.

set(debian ${PROJECT_SOURCE_DIR}/packaging/debian)
set(soname ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# A rule with EXCLUDE_FROM_ALL is a part of its component's package, and not of a plain `cmake --install`:
# what belongs to a machine's service manager and documentation is not put below /usr/local unasked.
install(FILES packaging/systemd/mayfly.service packaging/systemd/mayfly.socket
  packaging/systemd/mayfly-http.socket
  DESTINATION lib/systemd/system COMPONENT server EXCLUDE_FROM_ALL)
install(FILES packaging/systemd/mayfly.sysusers RENAME mayfly.conf
  DESTINATION lib/sysusers.d COMPONENT server EXCLUDE_FROM_ALL)
install(FILES packaging/mayfly.toml DESTINATION /etc/mayfly COMPONENT server EXCLUDE_FROM_ALL)
install(DIRECTORY packaging/monitoring DESTINATION share/mayfly COMPONENT server EXCLUDE_FROM_ALL)

set(CPACK_PACKAGE_CONTACT "The mayfly developers <mayfly@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)  # /etc is not below the prefix.
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_COMPONENTS_ALL library development server python)
if(TARGET mayfly_rados)
  list(APPEND CPACK_COMPONENTS_ALL rados)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")  # Within a soname.
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libmayfly${soname})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The library, for programs that embed a database.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmayfly-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libmayfly${soname} (= ${PROJECT_VERSION})")
# For libmayfly.a alone.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
  "librocksdb-dev, libspdlog-dev, libfmt-dev, libssl-dev, liblz4-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "C++ and C headers, the static library, and files of CMake and pkg-config.")

set(CPACK_DEBIAN_SERVER_PACKAGE_NAME mayfly-server)
set(CPACK_DEBIAN_SERVER_PACKAGE_SECTION database)
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS passwd)
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA
  ${CMAKE_BINARY_DIR}/debian/server/postinst ${CMAKE_BINARY_DIR}/debian/server/prerm
  ${CMAKE_BINARY_DIR}/debian/server/postrm ${CMAKE_BINARY_DIR}/debian/server/conffiles)
set(CPACK_COMPONENT_SERVER_DESCRIPTION
  "The program mayfly and a service that serves clients of Redis and of DynamoDB.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-mayfly)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11), python3 (<< 3.12)")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "The Python package mayfly, with the library inside.")

# The plugin and the program are of one build: it refuses any other.
set(CPACK_DEBIAN_RADOS_PACKAGE_NAME mayfly-rados)
set(CPACK_DEBIAN_RADOS_PACKAGE_SECTION database)
set(CPACK_DEBIAN_RADOS_PACKAGE_DEPENDS "mayfly-server (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_RADOS_DESCRIPTION "The plugin with which mayfly serves a database on Ceph.")

# Each package has its copyright; the files of dpkg have names without their component.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES LICENSE RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL
    DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  foreach(file IN LISTS CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA)
    get_filename_component(name ${file} NAME)
    configure_file(${debian}/${component}.${name} ${file} COPYONLY)
  endforeach()
endforeach()

include(CPack)
