# gasnet_config.h is also read as text: awk and grep scripts expect exactly one line that names each version
# constant, and take the number at its end.
function(expect_line name number)
  file(STRINGS ${CONFIG} lines REGEX "${name}")
  list(LENGTH lines count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${count} lines name ${name}, not 1: ${lines}")
  endif()
  if(NOT lines STREQUAL "#define ${name} ${number}")
    message(FATAL_ERROR "expected '#define ${name} ${number}', found '${lines}'")
  endif()
endfunction()
expect_line(GASNET_RELEASE_VERSION_MAJOR 2025)
expect_line(GASNET_RELEASE_VERSION_MINOR 8)
expect_line(GASNET_RELEASE_VERSION_PATCH 0)
expect_line(GEX_SPEC_VERSION_MAJOR 0)
expect_line(GEX_SPEC_VERSION_MINOR 19)

# Nothing was left to configure.
file(STRINGS ${CONFIG} unconfigured REGEX "@[A-Z_]+@")
if(unconfigured)
  message(FATAL_ERROR "left unconfigured: ${unconfigured}")
endif()
