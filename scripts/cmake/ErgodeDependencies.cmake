# Everything comes from the system's packages (scripts/install_dependencies.sh) or, where one of the small libraries is
# missing and the machine has the internet, from its pinned source. Target names differ between versions: here each library gets one name.
option(ERGODE_FETCH "Fetch the source of a small library (Catch2, CLI11, yaml-cpp, spdlog, fmt) that is not installed" ON)
include(FetchContent)
set(FETCHCONTENT_QUIET OFF)
# What is fetched is linked into the program and not installed beside it.
set(YAML_CPP_INSTALL OFF CACHE INTERNAL "")
set(CLI11_INSTALL OFF CACHE INTERNAL "")

# ergode_find(<package> <minimum version or ""> <git repository> <tag>): find_package first, then FetchContent.
macro(ergode_find package version repository tag)
  find_package(${package} ${version} QUIET)
  if(${package}_FOUND)
    message(STATUS "${package} ${${package}_VERSION}: ${${package}_DIR}")
  elseif(ERGODE_FETCH)
    message(STATUS "${package} ${version} is not installed: fetching ${tag} from ${repository}")
    FetchContent_Declare(${package} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON SYSTEM)
    FetchContent_MakeAvailable(${package})
  else()
    message(FATAL_ERROR "${package} ${version} is not installed: run scripts/install_dependencies.sh, or allow ERGODE_FETCH=ON")
  endif()
endmacro()

find_package(OpenMP REQUIRED COMPONENTS CXX)

# The serial library, also where Debian's parallel one is installed beside it. It is not fetched: it is too large for that.
set(HDF5_PREFER_PARALLEL OFF)
# No version is asked for: the config file of 1.14 says that it is not compatible with 1.10, but the API of 1.10 is in it.
find_package(HDF5 COMPONENTS C HL)
if(NOT HDF5_FOUND OR HDF5_VERSION VERSION_LESS 1.10)
  message(FATAL_ERROR "HDF5 1.10 or newer was not found: install libhdf5-dev, or set HDF5_ROOT to where it is")
endif()
if(HDF5_IS_PARALLEL)
  message(FATAL_ERROR "Only a parallel HDF5 was found, and Ergode needs the serial one: install libhdf5-dev, or set HDF5_ROOT")
endif()
add_library(ergode_hdf5 INTERFACE)
add_library(ergode::hdf5 ALIAS ergode_hdf5)
target_include_directories(ergode_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(ergode_hdf5 INTERFACE ${HDF5_C_LIBRARIES} ${HDF5_HL_LIBRARIES} ${HDF5_C_HL_LIBRARIES})
target_compile_definitions(ergode_hdf5 INTERFACE ${HDF5_DEFINITIONS})

set(YAML_CPP_BUILD_TOOLS OFF)
set(YAML_CPP_BUILD_TESTS OFF)
set(CMAKE_POLICY_VERSION_MINIMUM 3.5)  # yaml-cpp 0.8.0 asks for a CMake so old that CMake 4 refuses it
ergode_find(yaml-cpp "" https://github.com/jbeder/yaml-cpp.git 0.8.0)
unset(CMAKE_POLICY_VERSION_MINIMUM)
add_library(ergode_yaml INTERFACE)
add_library(ergode::yaml ALIAS ergode_yaml)
if(TARGET yaml-cpp::yaml-cpp)  # 0.8
  target_link_libraries(ergode_yaml INTERFACE yaml-cpp::yaml-cpp)
else()                         # 0.7
  target_link_libraries(ergode_yaml INTERFACE yaml-cpp)
endif()

# spdlog and our own code must share one fmt, so spdlog's bundled copy is never used.
set(SPDLOG_FMT_EXTERNAL ON)
ergode_find(fmt 9 https://github.com/fmtlib/fmt.git 10.2.1)
ergode_find(spdlog 1.10 https://github.com/gabime/spdlog.git v1.14.1)
add_library(ergode_log INTERFACE)
add_library(ergode::log ALIAS ergode_log)
target_link_libraries(ergode_log INTERFACE spdlog::spdlog fmt::fmt)

ergode_find(CLI11 2.1 https://github.com/CLIUtils/CLI11.git v2.4.2)
add_library(ergode_cli INTERFACE)
add_library(ergode::cli ALIAS ergode_cli)
target_link_libraries(ergode_cli INTERFACE CLI11::CLI11)

if(ERGODE_TESTS)
  ergode_find(Catch2 3.4 https://github.com/catchorg/Catch2.git v3.7.1)
endif()
