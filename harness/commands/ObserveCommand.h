#pragma once

#include "base/ExitStatus.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::commands {

struct ObserveOptions {
  std::vector<std::string> paths; // case files and folders of them; empty: Cases are generated
  uint64_t seed = 0, start = 0, cases = 1;
  std::string output; // folder
};

/// `touchstone observe`, for tests: Cases of a campaign as files `case-INDEX.py` (or given ones, as `INDEX-NAME.py`), and `observations.jsonl` with what our
/// eager runner observes of each, in text that a plain Python program can make too (`tests/python/observe_cases.py`).
///
/// Each Case is printed, parsed and printed again; the two texts must be the same, and what is run is the parsed one.
/// One line a Case: `{"file": NAME, "calls": [{FIELD: TEXT, ...}, ...]}`. Values stand there bit for bit, except that
/// every NaN of a type has the same bits. Exit status 5 when a Case changes by printing and parsing.
base::ExitStatus observeCases(const ObserveOptions& options);

} // namespace touchstone::commands
