# What this binary is, in generated/ergode_version.hpp. The header is written again only when a value in it changed, and by
# the build, not by the configure step: a new commit rebuilds the one source that includes it and nothing else.
find_package(Git QUIET)
string(TOUPPER "${CMAKE_BUILD_TYPE}" _type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${_type}} -ffp-contract=off" _flags)
if(ERGODE_SANITIZE)
  string(APPEND _flags " -fsanitize=${ERGODE_SANITIZE}")
endif()
set(_cuda "")
if(ERGODE_HAVE_CUDA)
  set(_cuda "${CMAKE_CUDA_COMPILER_VERSION}")
endif()
set(_write_version
  ${CMAKE_COMMAND}
  "-DINPUT=${CMAKE_CURRENT_LIST_DIR}/ergode_version.hpp.in" "-DOUTPUT=${PROJECT_BINARY_DIR}/generated/ergode_version.hpp"
  "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" "-DGIT=${GIT_EXECUTABLE}" "-DVERSION=${PROJECT_VERSION}"
  "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "-DFLAGS=${_flags}" "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}"
  "-DCUDA_COMPILER=${_cuda}" -P "${CMAKE_CURRENT_LIST_DIR}/WriteVersion.cmake")
execute_process(COMMAND ${_write_version} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(ergode_version COMMAND ${_write_version} BYPRODUCTS "${PROJECT_BINARY_DIR}/generated/ergode_version.hpp"
                  COMMENT "Looking at the commit" VERBATIM)
