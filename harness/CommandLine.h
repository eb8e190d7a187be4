#pragma once

namespace touchstone::harness {

/// What the commands end with; `touchstone --help` explains them.
enum class ExitStatus {
  kNothingNew = 0,
  kFindings = 1,
  kWrongUse = 2,
  kUnavailable = 3,
  kTooLittleJudged = 4,
  kFailed = 5,
  kInterrupted = 130,
};

/// `touchstone` as a function: reads the arguments, runs the command, returns the exit status. Never throws.
int runCommandLine(int count, char** arguments);

} // namespace touchstone::harness
