# touchstone_library(NAME FOLDERS… [LINK targets…]): a static library of all sources directly in the folders.
# Includes are written from the repository's root (`graph/program/Case.h`). Unity batches make the clean build short;
# `cmake --preset daily` turns them off.
option(TOUCHSTONE_UNITY "Compile sources in batches" OFF)

add_library(touchstone_options INTERFACE)
target_compile_options(touchstone_options INTERFACE -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)

function(touchstone_sources target)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${target} PRIVATE touchstone_options)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TOUCHSTONE_UNITY} UNITY_BUILD_BATCH_SIZE 6 POSITION_INDEPENDENT_CODE ON)
endfunction()

function(touchstone_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;LINK")
  set(sources)
  foreach(folder ${arg_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  add_library(${name} STATIC ${sources})
  touchstone_sources(${name})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
endfunction()
