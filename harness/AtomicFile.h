#pragma once

#include "graph/ir/AtomicFile.h"

#include <filesystem>

namespace touchstone::harness {

using graph::readFile;
using graph::writeFile;
using graph::writeNewFile;

/// Finds out before work begins whether its result can be written there; leaves what is there as it is, but makes the folder.
/// No path: nothing to try. Throws WrongUse naming the file or folder.
void tryToWriteFile(const std::filesystem::path& path);
void tryToWriteInto(const std::filesystem::path& folder);

} // namespace touchstone::harness
