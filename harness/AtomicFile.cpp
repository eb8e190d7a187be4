#include "harness/AtomicFile.h"

#include "harness/CommandLine.h"

#include <exception>
#include <string>

namespace touchstone::harness {

void tryToWriteFile(const std::filesystem::path& path) {
  if (path.empty()) {
    return;
  }
  try {
    graph::tryToWrite(path);
  } catch (const std::exception& error) {
    throw WrongUse(std::string(error.what()) + " It was tried before anything else, so nothing was done.");
  }
}

void tryToWriteInto(const std::filesystem::path& folder) {
  if (!folder.empty()) {
    tryToWriteFile(folder / "case.py");
  }
}

} // namespace touchstone::harness
