# Builds the console's page in a copy, so that the source tree stays as it is.
#   cmake -DFROM=console -DTO=folder -DNPM=npm -P BuildConsole.cmake      -> TO/dist
# The packages are those of the lock file, and installed again only when it has changed. What npm has in
# its cache is not asked for again, and no script of a package runs.
file(GLOB entries RELATIVE ${FROM} ${FROM}/* ${FROM}/.*)
list(FILTER entries EXCLUDE REGEX "^(node_modules|dist|[.]+)$")
file(MAKE_DIRECTORY ${TO})
file(READ ${FROM}/package-lock.json lock)
set(installed "")
if(EXISTS ${TO}/installed-lock.json)
  file(READ ${TO}/installed-lock.json installed)
endif()
file(GLOB former RELATIVE ${TO} ${TO}/*)
list(REMOVE_ITEM former node_modules installed-lock.json)
foreach(entry IN LISTS former)
  file(REMOVE_RECURSE ${TO}/${entry})
endforeach()
foreach(entry IN LISTS entries)
  file(COPY ${FROM}/${entry} DESTINATION ${TO})
endforeach()

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${TO} RESULT_VARIABLE code
    OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${said}\nThe console's page could not be built. -DMAYFLY_CONSOLE=OFF builds mayfly without it.")
  endif()
endfunction()

if(NOT installed STREQUAL lock OR NOT EXISTS ${TO}/node_modules)
  run(${NPM} ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error)
  file(WRITE ${TO}/installed-lock.json "${lock}")
endif()
run(${NPM} run --silent build)
