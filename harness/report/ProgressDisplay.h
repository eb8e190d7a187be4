#pragma once

#include "harness/report/Tally.h"

#include <cstdint>
#include <optional>
#include <string>

namespace touchstone::report {

/// Tells a person on standard error how far a campaign is: a bar that moves on a terminal, a line every ten seconds in a
/// log.
class ProgressDisplay {
 public:
  struct Goal {
    std::optional<double> seconds;
    std::optional<uint64_t> cases;
    std::string found = "new findings"; // what is counted
  };
  explicit ProgressDisplay(Goal goal);
  ~ProgressDisplay(); // clears the bar

  /// Cheap; shows something only when it is time to.
  void update(const Tally& tally, size_t findings, const std::string& activity);
  /// A line that stays.
  void say(const std::string& line);
  /// Takes the bar away; the next update() shows it again.
  void clear();

 private:
  Goal goal_;
  bool terminal_;
  bool shown_ = false;
  double begin_;
  double last_;
};

} // namespace touchstone::report
