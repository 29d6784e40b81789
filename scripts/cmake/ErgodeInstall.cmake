# `cmake --install BUILD --prefix PREFIX`: the program, and what a user of a shared installation needs beside it.
#   bin/ergode   share/ergode/{configs,scripts}   share/doc/ergode/{README.md,docs}   share/modulefiles/ergode/{VERSION,VERSION.lua}
# A library that is not where the system looks (a module's HDF5) is found again by the installed program.
set_target_properties(ergode PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS ergode RUNTIME DESTINATION bin)
install(DIRECTORY configs DESTINATION share/ergode)
# The scripts that need no source tree.
file(GLOB plot_scripts CONFIGURE_DEPENDS scripts/plot*)
install(PROGRAMS ${plot_scripts} DESTINATION share/ergode/scripts)
install(DIRECTORY scripts/slurm DESTINATION share/ergode/scripts USE_SOURCE_PERMISSIONS)
# Without what pip leaves when it installs the package from here.
install(DIRECTORY scripts/python DESTINATION share/ergode/scripts OPTIONAL
  PATTERN "__pycache__" EXCLUDE PATTERN "build" EXCLUDE PATTERN "*.egg-info" EXCLUDE)
install(DIRECTORY docs DESTINATION share/doc/ergode)
install(FILES README.md DESTINATION share/doc/ergode)

# Written when it is installed, because only then the prefix is known. Both kinds lie in one folder: each tool leaves the other's alone.
foreach(kind IN ITEMS tcl lua)
  set(extension "")
  if(kind STREQUAL "lua")
    set(extension .lua)
  endif()
  install(CODE "
    set(PROJECT_VERSION [==[${PROJECT_VERSION}]==])
    set(PROJECT_DESCRIPTION [==[${PROJECT_DESCRIPTION}]==])
    set(module \"\${CMAKE_INSTALL_PREFIX}/share/modulefiles/ergode/${PROJECT_VERSION}${extension}\")
    message(STATUS \"Installing: \$ENV{DESTDIR}\${module}\")
    configure_file([==[${PROJECT_SOURCE_DIR}/scripts/modulefiles/ergode.${kind}.in]==] \"\$ENV{DESTDIR}\${module}\" @ONLY)")
endforeach()
