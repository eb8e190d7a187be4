# touchstone_room(FOLDER [NO_ATEN] [ROOMS rooms…] [LINK targets…]): the sources directly in a folder, as the static library
# touchstone_<name of the folder>. ROOMS are the folders, by name, that its includes may name; no arrow runs back up.
# NO_ATEN: the folder is compiled without libtorch's headers, so it cannot include them.
#
# Includes are written from the repository's root (`program/language/Case.h`). Unity batches make the clean build short, for most
# of a source's time is that of the templates that its neighbours use, too; `cmake --preset daily` turns them off.
option(TOUCHSTONE_UNITY "Compile sources in batches" OFF)
set(TOUCHSTONE_SINGLE "" CACHE STRING "Targets whose sources are compiled one by one even so, for working on them")
set(TOUCHSTONE_BATCH 32 CACHE STRING "Sources in a batch")

add_library(touchstone_compile_options INTERFACE)
target_compile_options(touchstone_compile_options INTERFACE -fPIC -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -fpch-preprocess: what ccache needs; unity batches put several anonymous namespaces into one file, which gcc distrusts.
  # The rest is the build's time, a fifth of it: a heap that is collected late, and no analyses across functions, which
  # this code gains nothing by.
  target_compile_options(touchstone_compile_options INTERFACE -fpch-preprocess -Wno-subobject-linkage --param=ggc-min-heapsize=4000000
    -fno-ipa-icf -fno-ipa-pure-const -fno-ipa-reference -fno-ipa-profile -fno-ipa-modref)
endif()

# A batch takes up to 2.5 GB to compile: no more at once than there is memory for.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
math(EXPR atOnce "(${megabytes} + 500) / 2500")
if(atOnce GREATER cores)
  set(atOnce ${cores})
elseif(atOnce LESS 1)
  set(atOnce 1)
endif()
set_property(GLOBAL PROPERTY JOB_POOLS compile=${atOnce})
set(CMAKE_JOB_POOL_COMPILE compile)

# The headers that nearly every source reads, parsed once: libtorch's autograd alone costs a source 10 s.
# What is narrower stays with the source, so that this file changes seldom. ccache needs to be told that it may look past
# precompiled headers (`./touchstone` does: CCACHE_SLOPPINESS).
add_library(touchstone_precompiled STATIC ${CMAKE_CURRENT_LIST_DIR}/Precompiled.cpp)
target_link_libraries(touchstone_precompiled PUBLIC torch touchstone_fmt PRIVATE touchstone_compile_options)
target_precompile_headers(touchstone_precompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/Precompiled.h)

function(touchstone_sources target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/generated>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:touchstone_compile_options>)
  if(NOT arg_NO_ATEN)
    target_precompile_headers(${target} REUSE_FROM touchstone_precompiled)
  endif()
  set(batches ${TOUCHSTONE_UNITY})
  if(target IN_LIST TOUCHSTONE_SINGLE)
    set(batches OFF)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${batches} UNITY_BUILD_BATCH_SIZE ${TOUCHSTONE_BATCH})
endfunction()

function(touchstone_room folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_ATEN" "" "ROOMS;LINK")
  get_filename_component(path ${folder} ABSOLUTE)
  get_filename_component(name ${path} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${path}/*.cpp)
  set(target touchstone_${name})
  add_library(${target} STATIC ${sources})
  touchstone_sources(${target})
  list(TRANSFORM arg_ROOMS PREPEND touchstone_)
  target_link_libraries(${target} PUBLIC ${arg_ROOMS} ${arg_LINK} touchstone_fmt)
  if(NOT arg_NO_ATEN)
    target_link_libraries(${target} PUBLIC torch)
  endif()
endfunction()

# touchstone_embed(TARGET texts…): each text of the folder, `NAME.py`, as a raw string literal that the folder's sources include as
# `FOLDER/NAME.inc`.
function(touchstone_embed target)
  foreach(text ${ARGN})
    cmake_path(REMOVE_EXTENSION text OUTPUT_VARIABLE name)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE folder)
    set(literal ${CMAKE_BINARY_DIR}/generated/${folder}/${name}.inc)
    add_custom_command(
      OUTPUT ${literal}
      COMMAND ${CMAKE_COMMAND} -DTEXT=${CMAKE_CURRENT_SOURCE_DIR}/${text} -DLITERAL=${literal} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${text} ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake
      COMMENT "Embedding ${folder}/${text}")
    target_sources(${target} PRIVATE ${literal})
  endforeach()
endfunction()
