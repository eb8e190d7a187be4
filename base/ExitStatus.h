#pragma once

#include <stdexcept>

namespace touchstone::base {

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

/// The caller asked for what makes no sense or cannot be read; `what()` is the whole message. Exit status 2.
class WrongUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

} // namespace touchstone::base
