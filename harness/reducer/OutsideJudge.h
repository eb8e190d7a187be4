#pragma once

#include "harness/reducer/Reducer.h"

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::reducer {

struct OutsideJudgeOptions {
  std::string command; // of the shell; the candidate's file takes the place of each `{}`, or comes behind it
  std::string fileName = "case.py"; // of each candidate, in a folder of its own
  int jobs = 1; // runs at once
  double secondsPerRun = 60; // then the run is ended, and its answer is no
};

constexpr double kNoDeadline = std::numeric_limits<double>::infinity();

/// Asks a command about candidates: exit status 0 means that a Case still shows what a person looks for. Candidates that
/// are no valid case files are not asked about. Its files are in a temporary folder that goes with it.
class OutsideJudge {
 public:
  explicit OutsideJudge(OutsideJudgeOptions options);
  ~OutsideJudge();
  OutsideJudge(const OutsideJudge&) = delete;
  OutsideJudge& operator=(const OutsideJudge&) = delete;

  /// As a CandidateJudge: the first for which the command says yes before the deadline (of wallSeconds()), when all runs are
  /// ended. Throws Interrupted, and ends them, too.
  std::optional<Sighting> operator()(const std::vector<language::Case>& candidates,
                                     double deadline = kNoDeadline) const;

  /// What the command made of one Case, as a sentence: `exit status 1`, `no answer in 60 seconds`; empty: it said yes.
  std::string refusalOf(const language::Case& theCase) const;

 private:
  struct Answer;
  std::vector<Answer> ask(const std::vector<language::Case>& candidates, double deadline) const;
  std::string commandFor(const std::filesystem::path& file) const;

  const OutsideJudgeOptions options_;
  std::filesystem::path folder_;
};

} // namespace touchstone::reducer
