# Everything comes from the system's packages (scripts/install_dependencies.sh); target names differ between versions, so
# they are given one name here.
find_package(OpenMP REQUIRED COMPONENTS CXX)

find_package(HDF5 REQUIRED COMPONENTS C HL)
add_library(ergode_hdf5 INTERFACE)
add_library(ergode::hdf5 ALIAS ergode_hdf5)
target_include_directories(ergode_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(ergode_hdf5 INTERFACE ${HDF5_C_LIBRARIES} ${HDF5_HL_LIBRARIES} ${HDF5_C_HL_LIBRARIES})
target_compile_definitions(ergode_hdf5 INTERFACE ${HDF5_DEFINITIONS})

find_package(yaml-cpp REQUIRED)
add_library(ergode_yaml INTERFACE)
add_library(ergode::yaml ALIAS ergode_yaml)
if(TARGET yaml-cpp::yaml-cpp)  # 0.8
  target_link_libraries(ergode_yaml INTERFACE yaml-cpp::yaml-cpp)
else()                         # 0.7
  target_link_libraries(ergode_yaml INTERFACE yaml-cpp)
endif()

find_package(spdlog REQUIRED)
add_library(ergode_log INTERFACE)
add_library(ergode::log ALIAS ergode_log)
target_link_libraries(ergode_log INTERFACE spdlog::spdlog)

find_package(CLI11 REQUIRED)
add_library(ergode_cli INTERFACE)
add_library(ergode::cli ALIAS ergode_cli)
target_link_libraries(ergode_cli INTERFACE CLI11::CLI11)

if(ERGODE_TESTS)
  find_package(Catch2 3 REQUIRED)
endif()
