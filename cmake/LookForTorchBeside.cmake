# When a wheel is made: its executables look for libtorch in the package torch beside theirs, no longer where they were linked.
foreach(name touchstone touchstone-torch-worker)
  set(program "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/touchstone/bin/${name}")
  set(folders "")
  file(READ_ELF "${program}" RPATH folders RUNPATH folders) # it has one of the two
  list(FILTER folders EXCLUDE REGEX "/torch/lib/?$") # what is left is that of libpython
  list(PREPEND folders "\$ORIGIN/../../torch/lib")
  list(JOIN folders ":" folders)
  file(RPATH_SET FILE "${program}" NEW_RPATH "${folders}")
endforeach()
