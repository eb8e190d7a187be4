# touchstone_library(NAME FOLDERS… [WITH files…] [WITHOUT files…] [LINK targets…]): a static library of all sources directly in the
# folders, and of further ones; some may be another library's.
# Includes are written from the repository's root (`graph/program/Case.h`). Unity batches make the clean build short;
# `cmake --preset daily` turns them off.
option(TOUCHSTONE_UNITY "Compile sources in batches" OFF)
set(TOUCHSTONE_SINGLE "" CACHE STRING "Targets whose sources are compiled one by one even so, for working on them")

add_library(touchstone_options INTERFACE)
target_compile_options(touchstone_options INTERFACE -fPIC -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)

# The headers that nearly every source reads, parsed once: libtorch's autograd alone costs a source 10 s.
# What is narrower stays with the source, so that this file changes seldom. ccache needs to be told that it may look past
# precompiled headers (`./touchstone` does: CCACHE_SLOPPINESS).
add_library(touchstone_precompiled STATIC ${CMAKE_CURRENT_LIST_DIR}/Precompiled.cpp)
target_link_libraries(touchstone_precompiled PUBLIC torch fmt::fmt-header-only PRIVATE touchstone_options)
target_precompile_headers(touchstone_precompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/Precompiled.h)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -fpch-preprocess: what ccache needs; unity batches put several anonymous namespaces into one file, which gcc distrusts.
  target_compile_options(touchstone_options INTERFACE -fpch-preprocess -Wno-subobject-linkage)
endif()

function(touchstone_sources target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/generated>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:touchstone_options>)
  if(arg_LINK) # what links nothing needs no ATen
    target_precompile_headers(${target} REUSE_FROM touchstone_precompiled)
  endif()
  set(batches ${TOUCHSTONE_UNITY})
  if(target IN_LIST TOUCHSTONE_SINGLE)
    set(batches OFF)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${batches} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

function(touchstone_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;WITH;WITHOUT;LINK")
  set(sources)
  foreach(folder ${arg_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  list(APPEND sources ${arg_WITH})
  list(REMOVE_ITEM sources ${arg_WITHOUT})
  add_library(${name} STATIC ${sources})
  touchstone_sources(${name})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
endfunction()
