#pragma once

#include <map>
#include <string>
#include <vector>

namespace touchstone::pool {

// How PythonRun::endText() begins.
inline constexpr const char* kEndsTheProcess = "ends the process";
inline constexpr const char* kOutOfTime = "runs out of time";

/// How a Python process ended, and what it printed.
struct PythonRun {
  std::string output; // standard output
  int status = 0; // of a shell: 124 for a process that ran out of time, 128 and a signal for one that died

  std::string lastLine() const;
  /// `ends the process (Segmentation fault)`, `runs out of time`, `ends with exit status 1: ` and the last line.
  std::string endText() const;
};

/// The interpreter that TOUCHSTONE_PYTHON names, else that which the program was built with.
std::string pythonInterpreter();

/// Runs the interpreter with these arguments, until the time is up. `environment`: variables beside those of this process. An
/// interrupt reaches the process, and this one. Standard error is dropped.
PythonRun runPython(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment,
                    double seconds);

} // namespace touchstone::pool
