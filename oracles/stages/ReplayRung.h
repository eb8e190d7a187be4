#pragma once

#include <string>
#include <vector>

namespace touchstone::stages {

/// A step of AOTAutograd, by what it made of one compile: does its result compute what it was made from computes?
struct ReplayRung {
  enum class Outcome {
    kHolds,
    kDiffers,
    kNotJudged,
    kAbsent, // the compiles have no such stage, or nothing ran it
  };

  std::string stage; // `tracing`, `partition`, `forward`, `backward`
  std::string adds; // what it makes of what
  Outcome outcome = Outcome::kNotJudged;
  int judged = 0; // runs that it was judged on
  std::string message; // the first difference, a sentence
  std::vector<std::string> unjudged; // runs and graphs that it could not be judged on: why, each once

  bool operator==(const ReplayRung& other) const = default;
};

/// `Holds`, `Differs`, `not judged`, `absent`
const char* replayOutcomeName(ReplayRung::Outcome outcome);

} // namespace touchstone::stages
