# Everything from outside: libtorch (inside a Python package `torch`), the interpreter, and libraries of the system.

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  if(SKBUILD) # what ./touchstone and docs/building.md tell ccache by the environment
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endif()
endif()

# The interpreter of the environment that holds torch: `./touchstone` passes it; else the one that pip runs in.
if(SKBUILD)
  if(NOT DEFINED CACHE{TOUCHSTONE_PYTHON})
    set(TOUCHSTONE_PYTHON ${Python_EXECUTABLE}) # not in the cache: the next pip may be that of another environment
  endif()
  set(toldToDo "pip builds against the torch of the environment that it runs in: install torch there first, by `${TOUCHSTONE_PYTHON} -m pip install torch`. "
               "A tool that builds with an interpreter of its own (uv, build) is told another by `-C cmake.define.TOUCHSTONE_PYTHON=/path/to/python`.")
else()
  set(TOUCHSTONE_PYTHON "${CMAKE_SOURCE_DIR}/.venv/bin/python" CACHE FILEPATH "Python interpreter with torch installed")
  set(toldToDo "Run ./touchstone, which makes .venv, or pass -DTOUCHSTONE_PYTHON=/path/to/python of an environment with torch.")
endif()
set(runWithPackages ${TOUCHSTONE_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/run_with_packages.py)
execute_process(
  COMMAND ${runWithPackages} ${CMAKE_CURRENT_LIST_DIR}/describe_python.py
  OUTPUT_VARIABLE pythonDescription OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "`${TOUCHSTONE_PYTHON}` cannot tell where torch is. " ${toldToDo})
endif()
list(GET pythonDescription 0 TOUCHSTONE_TORCH_DIR)
list(GET pythonDescription 1 pythonInclude)
list(GET pythonDescription 2 pythonLibrary)
list(GET pythonDescription 3 TOUCHSTONE_TORCH_VERSION)
message(STATUS "torch ${TOUCHSTONE_TORCH_VERSION} in ${TOUCHSTONE_TORCH_DIR}")

file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/torch_version CONTENT "${TOUCHSTONE_TORCH_VERSION}\n")

# A cache remembers the libraries of another torch.
if(TOUCHSTONE_CACHED_TORCH AND NOT TOUCHSTONE_CACHED_TORCH STREQUAL TOUCHSTONE_TORCH_DIR)
  get_cmake_property(cached CACHE_VARIABLES)
  foreach(name ${cached})
    if("$CACHE{${name}}" MATCHES "^${TOUCHSTONE_CACHED_TORCH}/")
      unset(${name} CACHE)
    endif()
  endforeach()
endif()
set(TOUCHSTONE_CACHED_TORCH ${TOUCHSTONE_TORCH_DIR} CACHE INTERNAL "The torch whose libraries this cache names")
list(APPEND CMAKE_PREFIX_PATH ${TOUCHSTONE_TORCH_DIR}/share/cmake)
find_package(Torch REQUIRED)

add_library(touchstone_python INTERFACE)
target_compile_definitions(touchstone_python INTERFACE TOUCHSTONE_TORCH_VERSION="${TOUCHSTONE_TORCH_VERSION}")
target_include_directories(touchstone_python SYSTEM INTERFACE ${pythonInclude})
target_link_libraries(touchstone_python INTERFACE ${TOUCHSTONE_TORCH_DIR}/lib/libtorch_python.so ${pythonLibrary})

find_package(Threads REQUIRED)

# fmt: the torch package brings headers of its own, newer than those of the system, and both must not meet in one program.
# They get a folder of their own, so that folders without ATen can have them without libtorch's.
if(EXISTS ${TOUCHSTONE_TORCH_DIR}/include/fmt/format-inl.h)
  set(fmtHeaders ${TOUCHSTONE_TORCH_DIR}/include/fmt)
else()
  find_path(fmtFolder fmt/format-inl.h REQUIRED)
  set(fmtHeaders ${fmtFolder}/fmt)
endif()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/third_party)
file(CREATE_LINK ${fmtHeaders} ${CMAKE_BINARY_DIR}/third_party/fmt SYMBOLIC)
add_library(touchstone_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/Fmt.cpp)
target_include_directories(touchstone_fmt SYSTEM PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/third_party>)
set_target_properties(touchstone_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)

find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost REQUIRED) # headers: the graph library
find_package(SQLite3 REQUIRED) # the store of findings
if(TOUCHSTONE_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(TOUCHSTONE_BENCH)
  find_package(benchmark REQUIRED)
endif()
