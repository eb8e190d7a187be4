#pragma once

#include "program/language/Case.h"

#include <string>
#include <vector>

namespace touchstone::standalone {

/// How the first line begins of every file that printPytest() has made.
inline constexpr const char* kPytestMarker = "# Exported by `touchstone export --pytest`";

struct PytestOptions {
  std::string name; // of the test: letters, digits, underscores
  std::string source; // file that the Case was read from
  std::vector<std::string> backends; // of the installed PyTorch, `torch:aot_eager`
};

/// A Case as a file for pytest that needs PyTorch only: a test for each backend, which compares what the `__main__` part of the
/// case file would if what is expected of this backend stood first. Where a backend is expected to fail, the test is, too, strictly:
/// a bug that is mended shows. Custom operators are in namespaces of the test's, as pytest reads many files in one process. Where alternatives are expected, or what is no verdict, either will do.
std::string printPytest(const language::Case& theCase, const PytestOptions& options);

} // namespace touchstone::standalone
