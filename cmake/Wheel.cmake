# What a wheel holds beside the Python package (pyproject.toml): the two executables, and which PyTorch they were linked with.
set(TOUCHSTONE_PREBUILT "" CACHE PATH "A build folder whose executables a wheel takes, of the same Python and PyTorch; empty: they are compiled")
set(prebuilt "${TOUCHSTONE_PREBUILT}")
unset(TOUCHSTONE_PREBUILT CACHE) # of this wheel alone: the next in this build folder may be compiled
add_custom_target(touchstone_wheel)
if(prebuilt)
  set(builtIn ${prebuilt})
else()
  set(builtIn ${CMAKE_BINARY_DIR})
  set(CMAKE_BUILD_RPATH "\$ORIGIN/../../torch/lib") # the room for what LookForTorchBeside.cmake writes
  add_dependencies(touchstone_wheel touchstone touchstone-torch-worker)
endif()
install(PROGRAMS ${builtIn}/harness/touchstone ${builtIn}/harness/touchstone-torch-worker DESTINATION touchstone/bin COMPONENT wheel)
install(FILES ${builtIn}/generated/torch_version DESTINATION touchstone/bin COMPONENT wheel)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/LookForTorchBeside.cmake COMPONENT wheel)
