# Language level, warnings, and the flags by which the compiler may not decide the bits: no contraction, no fast-math.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(ERGODE_CCACHE)
  find_program(ERGODE_CCACHE_PROGRAM ccache)
  mark_as_advanced(ERGODE_CCACHE_PROGRAM)
  foreach(language C CXX CUDA)
    if(ERGODE_CCACHE_PROGRAM AND NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${ERGODE_CCACHE_PROGRAM})
    endif()
  endforeach()
endif()

add_library(ergode_options INTERFACE)
target_include_directories(ergode_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_features(ergode_options INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)

set(_cxx "$<COMPILE_LANGUAGE:CXX>")
target_compile_options(ergode_options INTERFACE $<${_cxx}:-ffp-contract=off> $<${_cxx}:-Wall> $<${_cxx}:-Wextra> $<${_cxx}:-Wshadow>)
# GCC 12 and 13 see an overlap in std::string's operator+ that is not there (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  target_compile_options(ergode_options INTERFACE $<${_cxx}:-Wno-restrict>)
endif()
if(ERGODE_WERROR)
  target_compile_options(ergode_options INTERFACE $<${_cxx}:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
if(ERGODE_SANITIZE)
  target_compile_options(ergode_options INTERFACE $<${_cxx}:-fsanitize=${ERGODE_SANITIZE}> $<${_cxx}:-fno-omit-frame-pointer>
                         $<${_cxx}:-fno-sanitize-recover=all>)
  target_link_options(ergode_options INTERFACE -fsanitize=${ERGODE_SANITIZE})
endif()

# One source built once for each instruction set, in a namespace of the set's name (ERGODE_ISA), so that no symbol of one
# build can be taken for another's.
function(ergode_add_isa_objects target)
  set(flags_baseline -march=x86-64)
  set(flags_avx2 -march=x86-64-v3)
  set(flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
  foreach(isa baseline avx2 avx512)
    if(ARGN)
      add_library(${target}_${isa} OBJECT ${ARGN})
      target_link_libraries(${target}_${isa} PRIVATE ergode_options)
      target_compile_definitions(${target}_${isa} PRIVATE ERGODE_ISA=${isa} ERGODE_ISA_${isa}=1)
      # GCC takes the undefined pass-through operand inside its own AVX-512 headers for a mistake of ours.
      target_compile_options(${target}_${isa} PRIVATE -O3 ${flags_${isa}} ${OpenMP_CXX_FLAGS} -Wno-maybe-uninitialized -Wno-uninitialized)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${isa}>)
    endif()
  endforeach()
endfunction()
