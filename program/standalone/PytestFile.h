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

/// How the first line begins of every file that printTestFunction() has made, and how its name ends.
inline constexpr const char* kTestFunctionMarker = "# Drafted by `touchstone draft`";
inline constexpr const char* kTestFunctionEnding = "_test_fn.py";

/// A Case as a file with `test_fn() -> bool`, which takes nothing, is True where the compiled program does what eager mode does, and is
/// what `torch._inductor.compiler_bisector.CompilerBisector.do_bisect` takes; run as a script it is bisected. `_check(backend)`
/// compares, and `_settings()` is what it runs under. The options name one backend, which CompilerBisector replaces.
std::string printTestFunction(const language::Case& theCase, const PytestOptions& options);

} // namespace touchstone::standalone
