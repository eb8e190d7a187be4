#pragma once

#include "graph/program/Case.h"

#include <string>
#include <vector>

namespace touchstone::harness {

/// The case files that the paths name: files as they are, folders as all `*.py` below them, sorted. Throws
/// WrongUse for a path that is neither.
std::vector<std::string> findCaseFiles(const std::vector<std::string>& paths);

struct CaseFile {
  std::string path;
  graph::Case content;
};
/// Reads each; what cannot be read is left out and explained, one text a file, in `errors`.
std::vector<CaseFile> readCaseFiles(const std::vector<std::string>& files, bool rewrite,
                                    std::vector<std::string>& errors);

} // namespace touchstone::harness
