#pragma once

#include "harness/worker/ForkServer.h"
#include "harness/worker/Progress.h"

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace touchstone::worker {

/// How a child ended.
struct ChildEnd {
  /// kGaveUp: it could not run a job, and ran others before it: what they left behind may be the reason.
  enum class Kind { kFinished, kDied, kGaveUp, kTimedOut, kOutOfMemory };
  Kind kind = Kind::kFinished;
  std::string cause; // `SIGSEGV`, `exit 3`, `cpu time`: part of a symptom
  std::string message; // for a person, with the last lines that the child wrote to its standard error
  double processorSeconds = 0; // since it was forked
};

/// A forked process that runs jobs one after the other and writes a line for each into a pipe.
class Child {
 public:
  /// Forks. `progress` lies in shared memory.
  Child(std::span<const Job> jobs, const JobLimits& limits, const JobRunner& run, const ForkHooks& hooks,
        Progress& progress);
  ~Child(); // ends the child's whole process group
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for whole lines; returns them as they come, and nothing once the child has ended or was ended for passing a
  /// limit.
  std::vector<std::string> nextLines();
  /// After nextLines() returned nothing: waits for the process and says how it ended.
  ChildEnd end();

 private:
  bool passedLimit();
  std::string lastErrorLines() const;

  const JobLimits limits_;
  Progress& progress_;
  pid_t process_ = -1;
  int lines_ = -1;
  int errors_ = -1;
  std::string buffer_;
  std::string limit_; // the limit that it passed
  double limitSeconds_ = 0;
};

} // namespace touchstone::worker
